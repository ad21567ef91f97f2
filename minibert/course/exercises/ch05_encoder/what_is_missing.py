"""Exercise `what_is_missing`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.encoder import BertEncoder


def what_is_missing(states, query_gradients):
    """What a fresh post-norm encoder lacks: "residual", "norm", "attention" or "nothing", from its hidden states and gradients."""
    pairs = zip(states, states[1:])  # what goes into each layer, and what leaves it
    kept = [float(F.cosine_similarity(before, after, dim=-1).mean()) for before, after in pairs]  # L numbers  # fmt: skip
    replaced = sum(kept) / len(kept) < 0.2  # blank: do layers replace a token's vector instead of adding to it?  # fmt: skip
    spread = states[-1].std(dim=-1, correction=0)  # [B, S]
    uneven = bool((spread - 1).abs().max() > 0.01)  # blank: has any token not passed a fresh LayerNorm?  # fmt: skip
    unused = bool(max(query_gradients) == 0)  # blank: do queries change nothing, in any layer?
    answer = "attention" if unused else "residual" if replaced else "norm" if uneven else "nothing"  # blank: one of the four words  # fmt: skip
    return answer


def stack(kind, layers, width, std, loss=1.0):
    """(hidden states, norms of the gradients of the query weights) of a fresh encoder that lacks `kind`."""
    encoder = BertEncoder(
        BertConfig(
            vocab_size=1, hidden_size=width, num_hidden_layers=layers, num_attention_heads=4,
            intermediate_size=4 * width, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        )
    )  # fmt: skip
    for parameter in encoder.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=std)

    def add(hidden, found, norm):
        total = found if kind == "residual" else hidden + found
        return total if kind == "norm" else norm(total)

    with torch.enable_grad():
        hidden = torch.randn(3, 7, width)  # [B, S, H]
        states = [hidden]
        for layer in encoder.layer:
            first, second, heads = layer.attention.output, layer.output, layer.attention.self
            mixed = heads.value(hidden) if kind == "attention" else heads(hidden)[0]
            hidden = add(hidden, first.dense(mixed), first.LayerNorm)
            hidden = add(hidden, second.dense(layer.intermediate(hidden)), second.LayerNorm)
            states.append(hidden)
        (loss * hidden * torch.randn_like(hidden)).sum().backward()
    gradients = [layer.attention.self.query.weight.grad for layer in encoder.layer]
    return [state.detach() for state in states], [
        0.0 if each is None else float(each.norm()) for each in gradients
    ]


TRIALS = (  # lacking, layers, width, standard deviation of the weights, factor of the loss
    ("nothing", 6, 64, 0.02, 1.0),
    ("residual", 6, 64, 0.1, 1.0),
    ("norm", 12, 64, 0.05, 1.0),
    ("attention", 6, 64, 0.05, 1.0),
    ("nothing", 6, 64, 0.125, 1.0),  # complete, and the mean cosine of its tokens is 0.95
    ("nothing", 12, 32, 0.18, 1.0),  # complete, and some pairs of tokens have a cosine of 0.999
    ("nothing", 12, 128, 0.1, 1.0),  # complete, and no pair has less than 0.999
    ("nothing", 6, 64, 0.02, 1e-3),  # small gradients
    ("nothing", 12, 64, 0.02, 1e-7),  # very small gradients
    ("residual", 12, 32, 0.1, 1e3),  # all gradients are large
    ("norm", 6, 64, 0.02, 1.0),
    ("attention", 12, 32, 0.1, 1.0),
)
WHY = {
    "nothing": "each layer's output resembles its input, each token has standard deviation 1 over its numbers, and every layer's queries have a gradient",
    "residual": "a layer's output does not resemble its input, because the sublayers replace the vectors instead of adding to them",
    "norm": "its vectors do not have standard deviation 1 at the end, which a fresh LayerNorm would give them",
    "attention": "the gradients of the queries are exactly 0 in every layer, so no output depends on where the tokens look",
}


def check_what_is_missing(answer):
    for kind, layers, width, std, loss in TRIALS:
        states, gradients = stack(kind, layers, width, std, loss)
        told = answer(states, gradients)
        if told not in WHY:
            raise Mistake(f"Expected is one of {', '.join(WHY)}, not {told!r}.")
        if told != kind:
            unit = F.normalize(states[-1], dim=-1)  # [B, S, H]
            alike = float((unit @ unit.mT).min())
            spread = float(states[-1].std(dim=-1, correction=0).mean())
            raise Mistake(
                f"For an encoder of {layers} layers of width {width} with weights of {std} you find {told!r}, and it should be {kind!r}: {WHY[kind]}. (Smallest cosine of two tokens "
                f"{alike:.4f}, standard deviation {spread:.2f}, query gradients {gradients[0]:.0e} in the first layer and {gradients[-1]:.0e} in the last.)"
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=12,
    title="Which part is missing?",
    solution=what_is_missing,
    check=check_what_is_missing,
    task="You get the hidden states of a fresh post-norm encoder, `L + 1` tensors `[B, S, H]`, and the norm of the gradient of each layer's query "
    "weights, `L` numbers. Either the encoder is complete, or its residual connections are missing, or its LayerNorms, or attention passes each "
    "token's own value on and never looks at another token. Find out which. Your function will see encoders of 6 and 12 layers, 32 to 128 wide, with "
    'weights from 0.02 to about $1/\\sqrt H$ and losses of any scale, so neither similar tokens nor a small gradient prove anything by themselves. Return `"nothing"`, `"residual"`, `"norm"` or `"attention"`.',
    hints=(
        "For each of the three parts, ask what it guarantees: a residual connection about a layer's output and its *input*, a fresh LayerNorm about the spread of one token's numbers, attention about the gradients.",
        "A complete deep encoder with large weights also has similar tokens, so do not compare tokens with each other: compare each token with itself one layer earlier. With a residual connection "
        "a good part of the old vector is still there; without one, the cosine is about 0. A fresh LayerNorm gives standard deviation 1. If the heads are not used, the gradient is exactly 0.",
    ),
    paragraph="What LayerNorm does, and what it does not",
)
