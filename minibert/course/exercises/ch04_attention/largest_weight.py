"""Exercise `largest_weight`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch04_attention.common import CHAPTER
from minibert.course.exercises.compare import Mistake

KEYS = 8
SETTINGS = ((16, 1), (16, 4), (64, 8), (64, 64), (384, math.sqrt(384)))  # d and divisor


def largest_weight(d, divisor):
    """Mean over 1,000 random queries of the largest of their 8 attention weights."""
    query = torch.randn(1000, 1, d)  # blank: 1,000 queries, one to a row
    key = torch.randn(1000, 8, d)  # blank: eight keys for each query
    scores = query @ key.transpose(-2, -1) / divisor  # blank: [1000, 1, 8]
    weights = scores.softmax(dim=-1)  # blank: they sum to 1 over the keys
    return weights.amax(dim=-1).mean().item()  # blank: the largest for each query, averaged


def measured(answer):
    """The numbers of an answer at all settings, each from the same random numbers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        return [answer(d, divisor) for d, divisor in SETTINGS]


def check_largest_weight(answer):
    found = measured(answer)
    try:
        found = [float(each) for each in found]
    except (TypeError, ValueError, RuntimeError):
        raise Mistake("Return one number, the mean over all queries.") from None
    if not all(math.isfinite(each) for each in found):
        raise Mistake(f"Return a finite number: yours is {found[0]}.")
    expected = measured(largest_weight)
    if all(abs(a - b) < 0.04 for a, b in zip(found, expected)):
        return
    for wrong, sentence in known(largest_weight):
        if all(abs(a - b) < 0.004 + 0.04 * abs(b) for a, b in zip(found, measured(wrong))):
            raise Mistake(sentence)
    at = next(i for i, (a, b) in enumerate(zip(found, expected)) if abs(a - b) >= 0.04)
    d, divisor = SETTINGS[at]
    raise Mistake(
        f"For d = {d} and a divisor of {divisor:.1f} you find {found[at]:.2f}; expected is about {expected[at]:.2f}."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="Measure how even the softmax is",
    task="""
            Write the experiment that decides between no division, √d and d. Draw 1,000 random queries of size d, and eight
            random keys for each; all entries are independent, with mean 0 and variance 1. Divide the scores by `divisor`, apply
            the softmax over the eight keys, and return the mean, over the queries, of the largest weight.
            """,
    hints=(
        "`torch.randn` draws numbers with mean 0 and variance 1. Give queries and keys a first axis of 1,000, so that one "
        "batched matrix product computes the scores of each query with its own eight keys.",
        "With queries [1000, 1, d] and keys [1000, 8, d], `query @ key.transpose(-2, -1)` is [1000, 1, 8]. `amax(dim=-1)` takes "
        "the largest weight of each row.",
    ),
    paragraph="Why divide by √D?",
    solution=largest_weight,
    check=check_largest_weight,
)
