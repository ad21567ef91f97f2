"""Exercise `operated_layer`: task, hints, solution and check."""

import itertools
import math

import torch

from minibert.config import BertConfig
from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch13_bug_clinic.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    Unforeseen,
    draw,
    expect_tensor,
)
from minibert.encoder import BertLayer


def operated_layer(layer, hidden, mask):
    """One encoder layer after the operation: hidden [B, S, H], mask [B, 1, 1, S] -> [B, S, H].

    `layer` is a BertLayer, whose weights are used; in `mask` True = may be looked at. Post-norm, GELU by erf.
    """
    attention, heads = layer.attention, layer.attention.self.num_heads
    query, key, value = (
        part(hidden).unflatten(-1, (heads, -1)).transpose(1, 2)
        for part in (attention.self.query, attention.self.key, attention.self.value)
    )  # [B, A, S, D] each
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # blank: divided by the root of what? [B, A, S, S]  # fmt: skip
    scores = scores.masked_fill(~mask, -math.inf)  # blank: who must not be looked at? [B, A, S, S]
    weights = scores.softmax(dim=-1)  # blank: along which axis does it sum to 1? [B, A, S, S]
    mixed = (weights @ value).transpose(1, 2).flatten(2)  # blank: a token's heads side by side: [B, S, H]  # fmt: skip
    hidden = attention.output.LayerNorm(hidden + attention.output.dense(mixed))  # blank: what does a token keep? [B, S, H]  # fmt: skip
    inner = layer.intermediate.dense(hidden)  # [B, S, I]
    wide = inner * 0.5 * (1 + torch.erf(inner / math.sqrt(2)))  # blank: GELU: [B, S, I]
    return layer.output.LayerNorm(hidden + layer.output.dense(wide))  # blank: and here, what does it keep? [B, S, H]  # fmt: skip


# The bugs of the patient: name -> feedback for an answer that still has it.
DISEASES = {
    "scale": "the scores are divided by the root of 6, the number of tokens, not by that of 4, the head size",
    "mask": "the mask is read the other way round, so that the second row looks at its padding and at nothing else",
    "axis": "the softmax runs over the queries, so that what one token gives to all others does not add up to 1",
    "merge": "the heads are put together without moving their axis back: one token's numbers come from several tokens",
    "residual of attention": "what came in is not added to what attention found",
    "gelu": "in the GELU a * stands where the + should be: it gives 0.34 for -1 and for 1",
    "residual of the feed-forward": "what came in is not added to what the feed-forward found",
}


def layer_with(sick: frozenset, hidden_from_view: float = -10000.0):
    """Returns the layer with these bugs; `hidden_from_view` is the value of a masked score."""

    def ill_layer(layer, hidden, mask):
        attention, heads = layer.attention, layer.attention.self.num_heads
        query, key, value = (
            part(hidden).unflatten(-1, (heads, -1)).transpose(1, 2)
            for part in (attention.self.query, attention.self.key, attention.self.value)
        )  # [B, A, S, D] each
        scores = (
            query
            @ key.transpose(-2, -1)
            / math.sqrt(hidden.size(1) if "scale" in sick else query.size(-1))
        )  # [B, A, S, S]
        scores = scores.masked_fill(
            mask if "mask" in sick else ~mask, hidden_from_view
        )  # [B, A, S, S]
        mixed = scores.softmax(dim=-2 if "axis" in sick else -1) @ value  # [B, A, S, D]
        mixed = (
            mixed.reshape(hidden.shape) if "merge" in sick else mixed.transpose(1, 2).flatten(2)
        )  # [B, S, H]
        kept = 0 if "residual of attention" in sick else hidden
        hidden = attention.output.LayerNorm(kept + attention.output.dense(mixed))  # [B, S, H]
        inner = layer.intermediate.dense(hidden)  # [B, S, I]
        wide = (
            inner * 0.5 * (torch.erf(inner / math.sqrt(2)) + (0 if "gelu" in sick else 1))
        )  # [B, S, I]
        kept = 0 if "residual of the feed-forward" in sick else hidden
        return layer.output.LayerNorm(kept + layer.output.dense(wide))  # [B, S, H]

    return ill_layer


def check_operated_layer(answer):
    layer = (
        BertLayer(
            BertConfig(vocab_size=10, hidden_size=12, num_attention_heads=3, intermediate_size=20)
        )
        .double()
        .eval()
    )
    for seed, parameter in enumerate(layer.parameters()):  # large, so that every part matters
        parameter.data = 0.6 * draw(*parameter.shape, seed=seed)
    hidden = draw(2, 6, 12, seed=100)  # [B, S, H]
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])[:, None, None]  # [B, 1, 1, S]
    with torch.no_grad():
        right = layer(hidden, mask)[0]  # [B, S, H]
        found = answer(layer, hidden, mask)
        expect_tensor(found, hidden.shape, "what the layer gives")
        if torch.allclose(found, right, atol=1e-8):
            return
        for size, fill in itertools.product(range(1, len(DISEASES) + 1), (-10000.0, -math.inf)):
            for sick in itertools.combinations(DISEASES, size):
                if torch.allclose(
                    found, layer_with(frozenset(sick), fill)(layer, hidden, mask), atol=1e-8
                ):
                    left = "One disease is left" if size == 1 else f"{size} diseases are left"
                    raise Mistake(f"{left}: {'; '.join(DISEASES[name] for name in sick)}.")
        _explain_layer(found, layer, hidden, mask, right)


def _explain_layer(found, layer, hidden, mask, right):
    for wrong, sentence in known(operated_layer):
        if torch.allclose(found, wrong(layer, hidden, mask), atol=1e-8):
            raise Mistake(sentence)
    if found.isnan().any():
        raise Mistake(
            f"{int(found.isnan().sum())} of your {found.numel()} numbers are NaN: a softmax over nothing but minus infinity. Who is looked at in the first row, which has no padding?"
        )
    if torch.allclose(found[0], right[0], atol=1e-8):
        raise Mistake(
            f"Your layer is right in the row without padding, and off by up to {(found - right).abs().max():.2f} in the one with 2 tokens of it: look at the mask."
        )
    raise Unforeseen(
        f"Your layer is off by up to {(found - right).abs().max():.2f}, in the row without padding too."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="The operation",
    task="Seven lines of `sick_layer` are ill. Write the layer as it should be, line by line; the blanks are those seven lines. The check says which diseases are left.",
    hints=(
        "Use what you have found: what does the padding probe say, do the weights of a token add up to 1, is the answer another one when two heads change places, what comes out when attention and feed-forward give zero?",
        "Head size: `query.size(-1)`. Where `mask` is False, minus infinity. Softmax over the last axis. `transpose(1, 2)` before `flatten(2)`. Twice `hidden +`. And GELU is x/2 · (1 + erf(x/√2)).",
    ),
    paragraph="A whole layer, and seven diseases",
    solution=operated_layer,
    check=check_operated_layer,
)
