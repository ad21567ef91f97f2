"""Answers to `inspect_sublayer` on which its check is tried."""

import torch

from minibert.course.exercises.ch05_encoder.inspect_sublayer import inspect_sublayer
from planted import Answers, named


def mixing(f, x, y, tokens, own=False):
    """Whether a change of one of `tokens` reaches another (with `own`: any) token."""
    found = False
    for i in tokens:
        changed = x.clone()
        changed[:, i] = y[:, i]
        moved = (f(changed) - f(x)).abs().sum(dim=-1)[0]
        if not own:
            moved[i] = 0
        found = found or bool(moved.max() > 1e-3)
    return found


def linear(f, x, y):
    return bool((f(x - y) - f(x) + f(y) - f(torch.zeros_like(x))).abs().max() < 1e-3)


def probe_token_by_token(f, x, y):
    return mixing(f, x, y, range(x.size(1))), linear(f, x, y)


def probe_by_a_mean(f, x, y):
    middle = (f(x) + f(y)) / 2  # an affine map keeps the middle of two points
    affine = torch.allclose(f((x + y) / 2), middle, atol=1e-4)
    tokens = range(x.size(1))
    alone = torch.cat([f(x[:, i : i + 1]) for i in tokens], dim=1)
    return not torch.allclose(alone, f(x), atol=1e-4), affine


def first_token_only(f, x, y):
    return mixing(f, x, y, [0]), linear(f, x, y)


def last_token_only(f, x, y):
    return mixing(f, x, y, [x.size(1) - 1]), linear(f, x, y)


def own_token_counts(f, x, y):
    return mixing(f, x, y, range(x.size(1)), own=True), linear(f, x, y)


def bias_forgotten(f, x, y):
    return inspect_sublayer(f, x, y)[0], bool((f(x + y) - f(x) - f(y)).abs().max() < 1e-3)


def without_tolerance(f, x, y):
    return inspect_sublayer(f, x, y)[0], torch.equal(f(x + y), f(x) + f(y) - f(0 * x))


def scaling_only(f, x, y):
    zero = f(0 * x)
    return inspect_sublayer(f, x, y)[0], bool((f(2 * x) - 2 * f(x) + zero).abs().max() < 1e-3)


def the_other_way_round(f, x, y):
    return inspect_sublayer(f, x, y)[::-1]


def one_answer(f, x, y):
    return inspect_sublayer(f, x, y)[0]


def one_answer_a_token(f, x, y):
    return torch.zeros(x.size(1), dtype=torch.bool), linear(f, x, y)


always = [
    named(f"always_{mixes}_{affine}", lambda f, x, y, told=(mixes, affine): told)
    for mixes in (False, True)
    for affine in (False, True)
]

ANSWERS = Answers(
    right=(probe_token_by_token, probe_by_a_mean),
    wrong={
        first_token_only: "from one's own on.*the first token reaches nobody",
        last_token_only: "own, on 6 tokens.*the last token reaches nobody",
        own_token_counts: "feed-forward network with GELU.*mixes True.*that is no mixing",
        bias_forgotten: "counted twice",
        without_tolerance: "mean pooling.*affine should be True.*rounding alone",
        scaling_only: "ReLU.*f\\(2x\\) = 2 f\\(x\\) holds",
        the_other_way_round: "Mixing comes first",
        one_answer: "Two answers are expected",
        one_answer_a_token: "a tensor of 6 numbers",
        always[1]: "GELU.*affine True.*bends it",
        always[3]: "GELU, on .*mixes True, affine True",
    },
)
