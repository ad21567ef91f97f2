"""Wrong answers to `operated_layer` that its check recognises, each with the feedback for it."""

import math

import torch.nn.functional as F

from minibert.course.exercises.mistakes import named


def whole_layer(scale=None, use_mask=True, branch_norm=False, first_input=False, activation=F.gelu):
    """Returns a layer with a mistake that is not one of the patient's bugs."""

    def wrong(layer, hidden, mask):
        attention, heads = layer.attention, layer.attention.self.num_heads
        query, key, value = (
            part(hidden).unflatten(-1, (heads, -1)).transpose(1, 2)
            for part in (attention.self.query, attention.self.key, attention.self.value)
        )  # [B, A, S, D] each
        scores = (
            query
            @ key.transpose(-2, -1)
            / (scale(query.size(-1)) if scale else math.sqrt(query.size(-1)))
        )  # [B, A, S, S]
        scores = scores.masked_fill(~mask, -math.inf) if use_mask else scores
        mixed = attention.output.dense(
            (scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(2)
        )  # [B, S, H]
        middle = (
            hidden + attention.output.LayerNorm(mixed)
            if branch_norm
            else attention.output.LayerNorm(hidden + mixed)
        )
        out = layer.output.dense(activation(layer.intermediate.dense(middle)))  # [B, S, H]
        return (
            middle + layer.output.LayerNorm(out)
            if branch_norm
            else layer.output.LayerNorm((hidden if first_input else middle) + out)
        )

    return wrong


OTHER_LAYERS = (
    (
        named("layer_unscaled", whole_layer(scale=lambda D: 1.0)),
        "Your scores are not divided at all; the root of the head size, 4, is 2.",
    ),
    (
        named("layer_by_head_size", whole_layer(scale=lambda D: D)),
        "You divide the scores by the head size, 4, and not by its root, 2.",
    ),
    (
        named("layer_unmasked", whole_layer(use_mask=False)),
        "Your mask is not used: the second row has 2 tokens of padding, and every token looks at them.",
    ),
    (
        named("layer_branch_norm", whole_layer(branch_norm=True)),
        "You normalise what attention and feed-forward have found, and then add: LayerNorm(x + f(x)) is wanted, not x + LayerNorm(f(x)).",
    ),
    (
        named("layer_first_input", whole_layer(first_input=True)),
        "Your second residual connection adds what came into the *layer*; it should add what went into the feed-forward.",
    ),
    (
        named("layer_tanh", whole_layer(activation=lambda x: F.gelu(x, approximate="tanh"))),
        "Your GELU is the one by tanh, which is up to 5e-4 off; this layer has the exact one, by erf.",
    ),
    (
        named("layer_relu", whole_layer(activation=F.relu)),
        "You have a ReLU where the GELU should stand: whatever lies below 0 is gone.",
    ),
)


KNOWN = OTHER_LAYERS
