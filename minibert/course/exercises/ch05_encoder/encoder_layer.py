"""Exercise `EncoderLayer`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.attention import BertAttention
from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.ch05_encoder.encoder_layer_in_training import (
    check_dropout,
    check_dropout_pre_norm,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    expect_module,
    give_weights,
    recognise,
)
from minibert.encoder import ACTIVATIONS, BertLayer


class EncoderLayer(nn.Module):
    """One encoder layer, post-norm or pre-norm as the config says, with the names of the published checkpoints."""

    def __init__(self, config):
        super().__init__()
        # .self (the heads), .output.dense, .output.dropout, .output.LayerNorm
        self.attention = BertAttention(config)
        self.intermediate = nn.ModuleDict(
            {"dense": nn.Linear(config.hidden_size, config.intermediate_size)}
        )
        self.output = nn.ModuleDict(
            {
                "dense": nn.Linear(config.intermediate_size, config.hidden_size),
                "LayerNorm": nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps),
            }
        )
        self.activation = ACTIVATIONS[config.hidden_act]
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.norm_first = config.norm_first

    def forward(self, hidden, mask=None, output_attentions=False):
        """hidden [B, S, H] -> the layer's output [B, S, H] and the attention weights [B, A, S, S], the second result of self.attention.self."""
        # blank from here: both halves, in both orders
        heads, block = self.attention.self, self.attention.output
        read = block.LayerNorm(hidden) if self.norm_first else hidden
        mixed, weights = heads(read, mask, output_attentions)  # [B, S, H], [B, A, S, S]
        hidden = hidden + block.dropout(block.dense(mixed))  # [B, S, H]
        hidden = hidden if self.norm_first else block.LayerNorm(hidden)

        up, down, norm = self.intermediate["dense"], self.output["dense"], self.output["LayerNorm"]
        read = norm(hidden) if self.norm_first else hidden
        hidden = hidden + self.dropout(down(self.activation(up(read))))  # [B, S, H]
        return hidden if self.norm_first else norm(hidden), weights


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
        given = f"a {type(result).__name__}" + (f" of {len(result)}" * isinstance(result, tuple))
        raise Mistake(
            f"forward should give back two things, the hidden states and the attention weights, not {given}."
        )
    if isinstance(result[0], torch.Tensor) and not torch.equal(result[0], again[0]):
        raise Mistake(
            "In evaluation your layer gives two answers to one question: something is still dropped. "
            "F.dropout drops always, unless it is told training=self.training; nn.Dropout knows by itself."
        )
    right, right_weights = layer(x, mask, True)  # [B, S, H], [B, A, S, S]
    attended = layer.attention(x, mask)[0]  # [B, S, H]
    linear = layer.intermediate.dense(attended)  # [B, S, I]
    norm, down = layer.output.LayerNorm, layer.output.dense
    back = down(F.gelu(linear))  # [B, S, H]
    unmasked = layer.attention(x)[0]  # [B, S, H]
    half, found = layer.attention, layer.attention.output.dense(layer.attention.self(x, mask)[0])
    exchanged = norm(x + found)  # [B, S, H]

    def second_half(attended):
        return norm(attended + down(layer.intermediate(attended)))

    suspects = [
        (
            second_half(half.output.LayerNorm(found)),
            "Attention's residual connection is missing: add `hidden` to what attention found.",
        ),
        (
            half.output.LayerNorm(exchanged + down(layer.intermediate(exchanged))),
            'The two LayerNorms are exchanged: here `self.attention.output.LayerNorm` follows attention, and `self.output["LayerNorm"]` the feed-forward network.',
        ),
        (
            second_half(x + found),
            "The sum after attention is not normalised: in post-norm a LayerNorm follows each addition.",
        ),
        (
            second_half(half.output.LayerNorm(x + half.self(x, mask)[0])),
            "What the heads give is added without its output matrix, `self.attention.output.dense`.",
        ),
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
            second_half(F.layer_norm(x + found, (12,), *half.output.LayerNorm.parameters())),
            f"Attention's LayerNorm has its default eps 1e-05; the config asks for {config.layer_norm_eps}.",
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
    _check_weights(result[1], right_weights)
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
    check_dropout(mine.train(), config)
    _check_pre_norm(answer)


def _check_pre_norm(answer):
    """The same with `norm_first`: x + f(LayerNorm(x))."""
    config = BertConfig(
        vocab_size=11, hidden_size=12, num_attention_heads=3, intermediate_size=20,
        hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.0, norm_first=True,
    )  # fmt: skip
    layer = _random_weights(BertLayer(config).double().eval())
    mine = answer(config).double().eval()
    give_weights(mine, layer.state_dict(), "Your layer")
    x = draw(2, 5, 12, seed=7)  # [B, S, H]
    attended, _ = layer.attention(x)  # [B, S, H]
    norm = layer.output.LayerNorm

    def feed(read):
        return layer.output.dense(layer.intermediate(read))

    half = layer.attention  # the first half, with its parts
    read = half.output.LayerNorm(x)  # [B, S, H], what attention has to read
    on_normalised = read + half.output.dense(half.self(read)[0])  # [B, S, H]
    twice = half.output.LayerNorm(attended)  # [B, S, H]
    unread = x + half.output.dense(half.self(x)[0])  # [B, S, H], attention read the stream itself

    exchanged = x + half.output.dense(half.self(norm(x))[0])  # [B, S, H]
    suspects = [
        (exchanged + feed(half.output.LayerNorm(exchanged)), 'the two LayerNorms are exchanged: `self.attention.output.LayerNorm` belongs before attention, and `self.output["LayerNorm"]` before the feed-forward network.'),
        (unread + feed(norm(unread)), "attention reads the stream as it is; a LayerNorm belongs before it."),
        (on_normalised + feed(norm(on_normalised)), "you add attention's result to the normalised vector; the residual is `hidden`, as it came in."),
        (twice + feed(norm(twice)), "the sum after attention is normalised as well; the LayerNorm that follows in post-norm has to go."),
        (attended + feed(twice), 'you use attention\'s LayerNorm a second time; the feed-forward network reads through its own, `self.output["LayerNorm"]`.'),
        (norm(half.output.LayerNorm(unread) + feed(half.output.LayerNorm(unread))), "your layer is still post-norm: it never asks norm_first."),
        (norm(attended + feed(attended)), "your layer is still post-norm: it never asks norm_first."),
        (attended + feed(attended), "no LayerNorm is left in the second half: it belongs before the feed-forward network."),
        (norm(attended + feed(norm(attended))), "the sum is normalised as well; nothing may lie on the residual stream."),
        (norm(attended) + feed(norm(attended)), "you add to the normalised vector; the residual is what came out of attention, as it is."),
        (attended + norm(feed(attended)), "you normalise what the feed-forward network gives; it belongs before what it reads."),
        (x + feed(norm(attended)), "your residual adds what came into the layer; add what came out of attention."),
    ]  # fmt: skip
    suspects = [(value, f"With norm_first=True {sentence}") for value, sentence in suspects]
    recognise(mine(x)[0], layer(x)[0], suspects, "With norm_first=True, your output", 1e-7)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])[:, None, None]  # [B, 1, 1, S]
    found, weights = mine(x, mask, True)  # [B, S, H], [B, A, S, S]
    right, right_weights = layer(x, mask, True)  # [B, S, H], [B, A, S, S]
    unmasked = "With norm_first=True the mask does not reach attention: padding is looked at."
    recognise(found, right, [(layer(x)[0], unmasked)], "With norm_first=True, your output", 1e-7)
    _check_weights(weights, right_weights, "With norm_first=True, the second")
    check_dropout_pre_norm(mine, config)


def _check_weights(found, right, which="The second"):
    expected = f"{which} thing that forward gives back should be the attention weights"
    if isinstance(found, torch.Tensor) and found.shape != right.shape:
        raise Mistake(f"{expected}, {list(right.shape)} here; yours has {list(found.shape)}.")
    if found is None or not torch.allclose(found, right):
        raise Mistake(f"{expected}, as attention returned them.")


def _random_weights(module):
    """Sets weights that are so large that every mistake changes the result visibly."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=30,
    title="One encoder layer, post-norm and pre-norm",
    solution=EncoderLayer,
    check=check_encoder_layer,
    task="Write a whole encoder layer, from input to output: both sublayers, both additions, both norms. One class serves both "
    "orders, and `config.norm_first` says which. `.self` already applies dropout to the attention weights. Apply it also to each sublayer's output, before it is added: `self.attention.output.dropout` in the first half, `self.dropout` in the second. `__init__` makes the parts for you under the "
    'names of the published checkpoints, because your class will run inside a post-norm and a pre-norm model. The parts of attention are attributes, such as `self.attention.output.dense`; `self.intermediate` and `self.output` are dictionaries, as in `self.output["dense"]`.',
    hints=(
        "Follow one arrow of the diagram after the other. Where do the two columns differ: in what the branch reads, in what it adds, or in the output?",
        "Write the post-norm half around attention first, and compare it with the six lines by hand: which line of theirs has no counterpart in yours? "
        "The second half follows the same pattern with other parts. Then go through your lines and ask which of them change when `norm_first` is true.",
    ),
    paragraph="Post-norm and pre-norm",
)
