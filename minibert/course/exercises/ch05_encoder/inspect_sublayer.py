"""Exercise `inspect_sublayer`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def inspect_sublayer(f, x, y):
    """(mixes, affine): whether f mixes tokens, and whether it is affine, by experiments on two inputs x and y, of shape 1 × S × H."""
    # blank from here: two experiments
    mixes = False
    for i in range(x.size(1)):
        changed = x.clone()
        changed[:, i] = y[:, i]  # token i is another
        moved = (f(changed) - f(x)).abs().amax(dim=-1)[0] > 1e-4  # [S]
        moved[i] = False  # a token's own output may move
        mixes = mixes or bool(moved.any())
    affine = torch.allclose(f(x + y), f(x) + f(y) - f(0 * x), atol=1e-4)  # the bias counts once
    return mixes, affine


def _feed_forward(width, activation, bias=True):
    up, down = nn.Linear(width, 4 * width, bias), nn.Linear(4 * width, width, bias)
    for part in (up, down):  # large weights, so that a curve is seen to be one
        nn.init.normal_(part.weight, std=0.5)
        if bias:
            nn.init.normal_(part.bias)
    return lambda x: down(activation(up(x)))


def _average(allowed):
    """Every token becomes the average of the tokens that `allowed`, a function of [S, S], leaves."""

    def f(x):
        seen = allowed(torch.ones(x.size(1), x.size(1)))
        return seen / seen.sum(dim=-1, keepdim=True) @ x

    return f


def _attention(width):
    attention = BertSelfAttention(
        BertConfig(vocab_size=1, hidden_size=width, num_attention_heads=2)
    ).eval()
    for parameter in attention.parameters():
        nn.init.normal_(parameter, std=0.7)
    return lambda x: attention(x)[0]


def trials():
    """(name, f, tokens, width, (mixes, affine), why not mixes, why not affine)."""
    torch.manual_seed(5)
    return [
        ("a feed-forward network with GELU", _feed_forward(8, F.gelu), 6, 8, (False, False),
         "a token's own output moves when the token changes, and that is no mixing: look at the other tokens",
         "an activation bends it, so the output of a sum is not the sum of the outputs"),
        ("mean pooling, an average of all tokens", _average(lambda seen: seen), 6, 12, (True, True),
         "every output is the same average of all tokens",
         "an average is linear, and has no bias. If you compare with ==, rounding alone makes the two sides differ; allow a small tolerance"),
        ("two linear maps with biases", _feed_forward(10, lambda x: x), 5, 10, (False, True),
         "every token is read alone",
         "it is one matrix and one bias; the bias is in f(x) and in f(y), so it is counted twice in their sum"),
        ("self-attention", _attention(12), 6, 12, (True, False),
         "every token takes something from all others",
         "the weights depend on the input through a softmax"),
        ("an average of the tokens up to and including one's own", _average(torch.tril), 6, 8, (True, True),
         "the last token reaches nobody else here, the first reaches everybody: change each in turn",
         "an average is linear"),
        ("an average of the tokens from one's own on", _average(torch.triu), 7, 8, (True, True),
         "the first token reaches nobody else here, the last reaches everybody: change each in turn",
         "an average is linear"),
        ("a feed-forward network with ReLU and no biases", _feed_forward(8, F.relu, bias=False), 6, 8,
         (False, False), "every token is read alone",
         "f(2x) = 2 f(x) holds, and still it is not linear: f(x + y) is not f(x) + f(y)"),
        ("a LayerNorm", lambda x: F.layer_norm(x, x.shape[-1:]), 4, 9, (False, False),
         "mean and variance are those of one token's own numbers",
         "it divides by a standard deviation that depends on the input"),
    ]  # fmt: skip


@torch.no_grad()
def check_inspect_sublayer(answer):
    for name, f, count, width, right, *why in trials():
        x, y = torch.randn(1, count, width), torch.randn(1, count, width)
        found = answer(f, x, y)
        if not isinstance(found, tuple) or len(found) != 2:
            raise Mistake(
                f"Two answers are expected, (mixes, affine), not {type(found).__name__} {found!r}."
            )
        if isinstance(found[0], torch.Tensor) and found[0].numel() > 1:
            raise Mistake(
                f"`mixes` is a tensor of {found[0].numel()} numbers; one answer for the whole sublayer is expected."
            )
        told = tuple(map(bool, found))
        shown = f"f is {name}, on {count} tokens of width {width}. You return mixes {told[0]}, affine {told[1]}"
        if told == right[::-1] and told != right:
            raise Mistake(f"{shown}: the other way round it would be right. Mixing comes first.")
        for own, wanted, fact, reason in zip(told, right, ("mixes", "affine"), why):
            if own != wanted:
                raise Mistake(f"{shown}; {fact} should be {wanted}: {reason}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=15,
    title="What is in the box?",
    solution=inspect_sublayer,
    check=check_inspect_sublayer,
    task="You are given a part of a model as a black box: you can run `f`, but you cannot read its code. Find out by experiment (1) whether it "
    "carries information from one token to another, and (2) whether it is *affine*, that is, one matrix and one bias. First write down "
    "what you expect of attention, a feed-forward network, LayerNorm and mean pooling. Your probe will be tried on eight boxes, including these four. "
    "Afterwards: one random pair `x`, `y` that fails shows that $f$ is not affine. What does a pair that passes show?",
    hints=(
        "For (1), which change of the input would show it? Is it enough to make that change at one position? For (2), what does "
        "$f(x + y)$ equal if $f(x) = xW + b$?",
        "For (1), watch the outputs of the *other* tokens. For (2), the bias is counted twice in $f(x) + f(y)$: which input shows you the bias alone? Allow a small tolerance for rounding.",
    ),
    paragraph="The feed-forward network: each token on its own",
)
