"""Exercise `what_is_missing`: task, hints, solution and check."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.encoder import BertEncoder


def what_is_missing(layers, x):
    """What each of these fresh post-norm layers lacks: "residual", "norm", "attention" or "nothing", by experiments on x [B, S, H]."""
    # blank from here: your experiments
    layer = layers[0]
    out = layer(x)  # [B, S, H]
    other = x.clone()
    other[:, 0] = -x[:, 0]  # another first token
    if (layer(other) - out)[:, 1:].abs().max() < 1e-6:
        return "attention"  # no other token has noticed
    if F.cosine_similarity(x, out, dim=-1).mean() < 0.2:
        return "residual"  # nothing of the input is left
    spread = layer(5 * x).std(dim=-1, correction=0)  # [B, S]
    return "nothing" if (spread - 1).abs().max() < 0.01 else "norm"


def layers_without(kind, count, width, std):
    """The layers of a fresh encoder that lack `kind`, as functions [B, S, H] -> [B, S, H]."""
    encoder = BertEncoder(
        BertConfig(
            vocab_size=1, hidden_size=width, num_hidden_layers=count, num_attention_heads=4,
            intermediate_size=4 * width, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        )
    )  # fmt: skip
    for parameter in encoder.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=std)

    def add(hidden, found, norm):
        total = found if kind == "residual" else hidden + found
        return total if kind == "norm" else norm(total)

    def run(layer, hidden):
        first, second, heads = layer.attention.output, layer.output, layer.attention.self
        mixed = heads.value(hidden) if kind == "attention" else heads(hidden)[0]  # [B, S, H]
        hidden = add(hidden, first.dense(mixed), first.LayerNorm)
        return add(hidden, second.dense(layer.intermediate(hidden)), second.LayerNorm)

    return [partial(run, layer) for layer in encoder.layer]


TRIALS = (  # lacking, layers, width, standard deviation of the weights
    ("nothing", 6, 64, 0.02),
    ("residual", 6, 64, 0.1),
    ("norm", 12, 64, 0.05),
    ("attention", 6, 64, 0.05),
    ("nothing", 6, 64, 0.125),  # complete, and the mean cosine of its tokens is 0.95
    ("nothing", 12, 32, 0.18),  # complete, and some pairs of tokens have a cosine of 0.999
    ("nothing", 12, 128, 0.1),  # complete, and no pair has less than 0.999
    ("residual", 12, 32, 0.1),
    ("norm", 6, 64, 0.02),  # the vectors grow by less than a thousandth in a layer
    ("attention", 12, 32, 0.1),
)
WHY = {
    "nothing": "each layer's output resembles its input, each token has standard deviation 1 over its numbers, and a change of one token reaches the others",
    "residual": "a layer's output does not resemble its input, because the sublayers replace the vectors instead of adding to them",
    "norm": "its vectors do not have standard deviation 1, which a fresh LayerNorm would give them",
    "attention": "if one token is changed, the output of no other token changes",
}


@torch.no_grad()
def check_what_is_missing(answer):
    for kind, count, width, std in TRIALS:
        layers, x = layers_without(kind, count, width, std), torch.randn(3, 7, width)  # [B, S, H]
        told = answer(layers, x)
        if told not in WHY:
            raise Mistake(f"Expected is one of {', '.join(WHY)}, not {told!r}.")
        if told != kind:
            end = x
            for layer in layers:
                end = layer(end)  # [B, S, H]
            unit = F.normalize(end, dim=-1)  # [B, S, H]
            alike = float((unit @ unit.mT).min())
            raise Mistake(
                f"For an encoder of {count} layers of width {width} with weights of {std} you find {told!r}, and it should be {kind!r}: {WHY[kind]}. "
                f"(At the end of the stack, the smallest cosine of two tokens is {alike:.4f}.)"
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=25,
    title="Which part is missing?",
    solution=what_is_missing,
    check=check_what_is_missing,
    task="You are given the layers of a fresh post-norm encoder as black boxes: each is a function from `[B, S, H]` to `[B, S, H]` that you can run on any input. "
    "Either the layers are complete, or all of them lack their residual connections, or their LayerNorms, or their attention only passes on each "
    "token's own value. Design experiments that tell which. The standard deviation of the weights ranges from 0.02 to about $1/\\sqrt H$, and with "
    'large weights the tokens of a complete stack can become alike as well. Return `"nothing"`, `"residual"`, `"norm"` or `"attention"`.',
    hints=(
        "For each part, ask what it guarantees whatever the input is, and which input would show it best. You may choose the input, and one layer is enough.",
        "Similar tokens at the end of the stack tell you nothing, because complete encoders with large weights have them as well. Look at one layer, and ask of its output: "
        "does it still resemble something, does it have a fixed statistic, does it notice a change elsewhere? Each question belongs to one part. "
        "For the first, the mean cosine of a token before and after one layer is near 0 without residual connections, and clearly above it with them: even with the largest weights about 0.5.",
    ),
    paragraph="Twelve layers in a row",
)
