"""Exercise `largest_weight`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch04_attention.common import CHAPTER
from minibert.course.exercises.compare import Mistake

SPREAD = 0.009  # of own keys it is about 0.004, of shared ones about 0.017
SETTINGS = ((16, 1), (16, 4), (64, 8), (64, 64), (384, math.sqrt(384)))  # D and divisor


def largest_weight(D, divisor):
    """Mean over 1,000 random queries of the largest of their 8 attention weights."""
    # blank from here: draw queries and keys, compute the weights, average the largest
    query = torch.randn(1000, 1, D)
    key = torch.randn(1000, 8, D)  # eight keys for each query
    scores = query @ key.transpose(-2, -1) / divisor  # [1000, 1, 8]
    weights = scores.softmax(dim=-1)  # each row sums to 1
    return weights.amax(dim=-1).mean().item()


def measured(answer):
    """The numbers of an answer at all settings, each from the same random numbers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        return [answer(D, divisor) for D, divisor in SETTINGS]


def draws(answer):
    """Twenty results for D = 16 and a divisor of 4, each from other random numbers: [20]."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        return torch.tensor([float(answer(16, 4)) for _ in range(20)])


def expect_own_keys(answer):
    """Means over independent queries differ little from draw to draw, and agree on average."""
    found, right = draws(answer), draws(largest_weight)
    if found.std() > SPREAD:
        raise Mistake(
            f"Your result varies by {found.std():.3f} from draw to draw, more than a mean over 1,000 independent queries does. "
            "Give every query eight keys of its own."
        )
    if abs(found.mean() - right.mean()) > 0.008:  # about six standard errors of the difference
        raise Mistake(
            f"In 20 draws with D = 16 and a divisor of 4 you find {found.mean():.3f} on average; expected is {right.mean():.3f}, "
            "and chance does not explain the difference. Do you take the mean over the queries, not the median, and are there eight keys?"
        )


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
        return expect_own_keys(answer)
    for wrong, sentence in known(largest_weight):
        if all(abs(a - b) < 0.004 + 0.04 * abs(b) for a, b in zip(found, measured(wrong))):
            raise Mistake(sentence)
    at = next(i for i, (a, b) in enumerate(zip(found, expected)) if abs(a - b) >= 0.04)
    D, divisor = SETTINGS[at]
    raise Mistake(
        f"For D = {D} and a divisor of {divisor:.1f} you find {found[at]:.2f}; expected is about {expected[at]:.2f}."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="Measure how even the softmax is",
    task="""
            Write an experiment that compares two divisors, 1 and √D. Draw 1,000 random queries of size D, and eight random keys
            for each of them; all entries are independent, with mean 0 and variance 1. Divide the scores by `divisor`, apply the
            softmax over the eight keys, and return the mean, over the queries, of the largest weight.
            """,
    hints=(
        "Write down the shapes first. Which shape do eight keys for each of 1,000 queries have?",
        "`torch.randn` draws the numbers. If every query has an axis of length 1, [1000, 1, D], one matrix product computes "
        "the scores of all queries. Over which axis do the weights sum to 1?",
    ),
    paragraph="Why divide by √D?",
    solution=largest_weight,
    check=check_largest_weight,
)
