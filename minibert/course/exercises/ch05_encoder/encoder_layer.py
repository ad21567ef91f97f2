"""Exercise `EncoderLayer`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.attention import BertAttention
from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    expect_module,
    give_weights,
    recognise,
)
from minibert.encoder import BertLayer


class EncoderLayer(nn.Module):
    """One post-norm encoder layer, with the parameter names of the published checkpoints."""

    def __init__(self, config):
        super().__init__()
        self.attention = BertAttention(
            config
        )  # attention with its own residual and norm: chapter 4
        self.intermediate = nn.ModuleDict(
            {"dense": nn.Linear(config.hidden_size, config.intermediate_size)}
        )
        self.output = nn.ModuleDict(
            {
                "dense": nn.Linear(config.intermediate_size, config.hidden_size),
                "LayerNorm": nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps),
            }
        )
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden, mask=None, output_attentions=False):
        attended, weights = self.attention(
            hidden, mask, output_attentions
        )  # [B, S, H], [B, A, S, S]
        wide = F.gelu(self.intermediate["dense"](attended))  # blank: [B, S, I], the activation last
        back = self.dropout(self.output["dense"](wide))  # blank: [B, S, H], dropout last
        hidden = self.output["LayerNorm"](attended + back)  # blank: [B, S, H], residual, then norm
        return hidden, weights


def check_encoder_layer(answer):
    config = BertConfig(
        vocab_size=11,
        hidden_size=12,
        num_attention_heads=3,
        intermediate_size=20,
        hidden_dropout_prob=0.3,
        attention_probs_dropout_prob=0.0,
        layer_norm_eps=0.1,  # large, so that a forgotten eps changes the result
    )
    layer = _random_weights(BertLayer(config).double().eval())
    expect_module(mine := answer(config), f"{answer.__name__}(config)")
    mine = mine.double().eval()
    give_weights(mine, layer.state_dict(), "Your layer")
    x = torch.randn(2, 5, 12, dtype=torch.float64)  # [B, S, H]
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])[:, None, None]  # [B, 1, 1, S]
    result, again = mine(x, mask, True), mine(x, mask, True)
    if not isinstance(result, tuple) or len(result) != 2:
        given = (
            f"a tuple of {len(result)}"
            if isinstance(result, tuple)
            else f"a {type(result).__name__}"
        )
        raise Mistake(
            f"forward should give back two things, the hidden states and the attention weights, not {given}."
        )
    if isinstance(result[0], torch.Tensor) and not torch.equal(result[0], again[0]):
        raise Mistake(
            "In evaluation your layer gives two answers to one question: something is still dropped. "
            "F.dropout drops always, unless it is told training=self.training; nn.Dropout knows by itself."
        )
    right, right_weights = layer(x, mask, True)  # [B, S, H], [B, A, S, S]
    attended, _ = layer.attention(x, mask)  # [B, S, H]
    linear = layer.intermediate.dense(attended)  # [B, S, I]
    norm, down = layer.output.LayerNorm, layer.output.dense
    back = down(F.gelu(linear))  # [B, S, H]
    unmasked, _ = layer.attention(x)  # [B, S, H]
    suspects = [
        (
            norm(back),
            "The residual connection is missing: your layer forgets what attention found.",
        ),
        (
            attended + back,
            "The sum is not normalised: LayerNorm has to follow it (post-norm, as BERT was published).",
        ),
        (
            norm(x + back),
            "Your residual adds what came into the layer; add what came out of attention, which the feed-forward read.",
        ),
        (
            attended + norm(back),
            "You normalise before adding; in BERT the sum is normalised: LayerNorm(attended + back).",
        ),
        (
            attended + down(F.gelu(layer.intermediate.dense(norm(attended)))),
            "That is pre-norm, x + f(LayerNorm(x)); this checkpoint was trained post-norm, LayerNorm(x + f(x)).",
        ),
        (
            norm(attended + down(linear)),
            "There is no activation: without it two linear maps are one.",
        ),
        (norm(attended + down(F.relu(linear))), "Your activation is ReLU; this config says GELU."),
        (
            norm(attended + down(F.gelu(linear, approximate="tanh"))),
            'Your GELU is the tanh form; hidden_act "gelu" is the exact one, with erf.',
        ),
        (
            F.layer_norm(attended + back, (12,), norm.weight, norm.bias),
            f"Your LayerNorm has its default eps 1e-05; the config asks for {config.layer_norm_eps}.",
        ),
        (
            norm(attended + down(layer.intermediate.dense(F.gelu(attended)))),
            "Your activation comes before the first linear map; it belongs between the two.",
        ),
        (
            norm(attended + F.gelu(back)),
            "Your activation comes once more, after the second linear map; the way back is linear.",
        ),
        (
            norm(attended + F.gelu(down(linear))),
            "Your activation comes after the second linear map; it belongs between the two.",
        ),
        (
            norm(attended + x + back),
            "You add the layer's input as well; attention has its own residual for that, inside `self.attention`.",
        ),
        (
            norm(attended) + back,
            "You normalise the residual alone; in BERT the sum is normalised: LayerNorm(attended + back).",
        ),
        (
            norm(attended + down(F.gelu(layer.intermediate.dense(x)))),
            "Your feed-forward reads what came into the layer; it should read what came out of attention.",
        ),
        (
            norm(x + down(F.gelu(layer.intermediate.dense(x)))),
            "What attention found is used nowhere: your feed-forward reads and adds the layer's input.",
        ),
        (
            layer.attention.output.LayerNorm(attended + back),
            'You use attention\'s LayerNorm a second time; the second norm of a layer has weights of its own, `self.output["LayerNorm"]`.',
        ),
        (right + x, "You add the layer's input once more, after everything."),
        (layer(right, mask)[0], "Your vectors go through the layer twice."),
        (
            right * mask[:, 0, 0, :, None],
            "You set the vectors of padding to zero; the mask hides what is looked *at*, nothing else.",
        ),
        (right[:1].expand_as(right), "Every text of yours has the vectors of the first one."),
        (
            norm(unmasked + down(F.gelu(layer.intermediate.dense(unmasked)))),
            "The mask does not reach attention: padding is looked at.",
        ),
    ]
    recognise(result[0], right, suspects, "the output of your layer", tolerance=1e-7)
    if result[1] is None or not torch.allclose(result[1], right_weights):
        raise Mistake(
            "The second thing that forward gives back should be the attention weights, as attention returned them."
        )
    try:
        mine(x)
    except (TypeError, AttributeError) as error:
        raise Mistake(
            f"Without a mask your layer stops ({error}): mask is None then, and nothing is hidden."
        ) from None
    also(
        mine,
        layer,
        (draw(3, 2, 12),),
        (draw(1, 7, 12), torch.ones(1, 1, 7, 7, dtype=torch.bool).tril()),
        gradient=True,
    )
    _check_dropout(mine.train(), config)


def _check_dropout(layer, config):
    """Checks that dropout is applied to the feed-forward's result only, at the config's rate."""
    layer.attention.eval()
    norm, down = layer.output["LayerNorm"], layer.output["dense"]
    x = torch.randn(8, 25, config.hidden_size, dtype=torch.float64)  # [B, S, H]
    # whether the layer computes anything else in training than in evaluation
    moved = not torch.allclose(layer(x)[0], layer.eval()(x)[0])
    layer.train().attention.eval()
    # The second linear map now gives 1000 everywhere, so dropped numbers fall below the mean.
    with torch.no_grad():
        for vector, value in (
            (down.weight, 0.0),
            (down.bias, 1000.0),
            (norm.weight, 1.0),
            (norm.bias, 0.0),
        ):
            vector.fill_(value)
    out, _ = layer(x)  # [B, S, H]
    attended, _ = layer.attention(x)  # [B, S, H]
    rate = config.hidden_dropout_prob
    if torch.allclose(out, norm(attended + 1000)):
        where = (
            "dropout stands before the second linear map; it belongs after it"
            if moved
            else f"nothing is dropped; the config asks for hidden_dropout_prob {rate} after the second linear map"
        )
        raise Mistake(f"In training {where}.")
    if (out == 0).any():
        raise Mistake(
            "In training some of the layer's outputs are zero: dropout stands after the LayerNorm; it belongs before the sum."
        )
    spreads = [
        float((token[token < 0].max() - token[token < 0].min()).detach())
        for token in out.flatten(0, 1)
        if (token < 0).any()
    ]
    # If the dropped numbers are all equal, the residual was dropped together with them.
    if sorted(spreads)[len(spreads) // 2] < 1e-9:
        raise Mistake(
            "In training the sum is dropped, the residual with it; drop the feed-forward's result before you add."
        )
    # The second linear map now gives 0, so dropout after it must not change the result.
    with torch.no_grad():
        down.bias.zero_()
    if not torch.allclose(layer(x)[0], norm(attended)):
        raise Mistake(
            "In training a part of the residual is dropped: drop the feed-forward's result before the sum, never what came out of attention."
        )
    _check_share(out < 0, rate, "the feed-forward's result")
    # Attention's result is now 1 everywhere, and both linear maps treat each number separately.
    with torch.no_grad():
        layer.attention.output.LayerNorm.weight.zero_()
        layer.attention.output.LayerNorm.bias.fill_(1)
        layer.intermediate["dense"].weight.copy_(
            10 * torch.eye(*layer.intermediate["dense"].weight.shape)
        )
        layer.intermediate["dense"].bias.zero_()
        down.weight.copy_(100 * torch.eye(*down.weight.shape))
    _check_share(
        layer(x)[0] < 0,
        rate,
        "the numbers at the three places of the feed-forward (coming in, wide, going out) together",
        " Drop once, what goes out.",
    )


def _check_share(dropped, rate, what, advice=""):
    share = float(dropped.double().mean())
    if abs(share - rate) > 0.05:
        raise Mistake(
            f"In training {share:.0%} of {what} is dropped; the config asks for hidden_dropout_prob {rate}.{advice}"
        )


def _random_weights(module):
    """Sets weights that are so large that every mistake changes the result visibly."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="One encoder layer",
    solution=EncoderLayer,
    check=check_encoder_layer,
    task="Write the second half of an encoder layer: after attention comes the feed-forward (up to $I$, GELU, back to $H$), "
    "dropout, the residual connection and LayerNorm, post-norm as BERT was published. The parts are made for you, "
    "under the names of the published checkpoints; your class will run inside a real BERT below.",
    hints=(
        "Three lines: wide = activation of the first linear map; back = dropout of the second; hidden = norm of a sum. Which two things are added?",
        "The feed-forward reads `attended`, so `attended` is what it adds itself to: `LayerNorm(attended + back)`.",
    ),
    paragraph="One layer by hand",
)
