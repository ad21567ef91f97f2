"""Exercise `examples_needed`: task, hints, solution and check."""

import math

from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch09_finetuning.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def examples_needed(one, other, z=2.0):
    """How many test examples tell two accuracies apart: their difference is then `z` standard errors.

    An accuracy p, measured on n examples, has the variance p (1 - p) / n; that of a difference is the sum of both (the two are
    measured on n examples each, drawn afresh). -> a whole number, rounded up
    """
    variance = one * (1 - one) + other * (1 - other)  # blank: of the difference, times n
    difference = one - other  # blank: what is to be seen
    return math.ceil(z ** 2 * variance / difference ** 2)  # blank: n, from |difference| = z · √(variance / n)  # fmt: skip


def check_examples_needed(answer):
    def compare(one, other, z=2.0):
        found = answer(one, other, z)
        if isinstance(found, Tensor):
            found = found.item()
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise Mistake(f"examples_needed should give a number, not a {type(found).__name__}.")
        p, q = one * (1 - one), other * (1 - other)
        gap = abs(one - other)
        right = math.ceil(z**2 * (p + q) / gap**2)
        if found == right:
            return
        for value, sentence in (
            (
                math.ceil(z * (p + q) / gap**2),
                f"Your {found:.0f} has z = {z:g} in it as it is. It stands before a root, and n under it: z squared.",
            ),
            (
                math.ceil(z**2 * (p + q) / gap),
                f"Your {found:.0f} divides by the difference {gap:g}; half the difference needs *four* times the examples: its square.",
            ),
            (
                math.ceil(z**2 * p / gap**2),
                f"Your {found:.0f} has the variance of the first accuracy only. Both are measured, so both waver.",
            ),
            (
                math.ceil(z**2 * q / gap**2),
                f"Your {found:.0f} has the variance of the second accuracy only. Both are measured, so both waver.",
            ),
            (
                math.ceil(z**2 * (math.sqrt(p) + math.sqrt(q)) ** 2 / gap**2),
                f"Your {found:.0f} adds up standard deviations; it is the variances that add.",
            ),
            (
                math.ceil(z**2 * (p + q) / 2 / gap**2),
                f"Your {found:.0f} takes the mean of the two variances; that of a difference is their *sum*.",
            ),
            (
                math.ceil((p + q) / gap**2),
                f"Your {found:.0f} makes the difference one standard error. Chance alone does that one time in three; {z:g} were asked for.",
            ),
            (
                math.floor(z**2 * (p + q) / gap**2),
                f"Your {found:.0f} is rounded down: it is not quite enough. Round up.",
            ),
            (
                math.ceil(z**2 * abs(p - q) / gap**2),
                f"Your {found:.0f} takes one variance from the other. Chance does not cancel: variances add, also for a difference.",
            ),
            (
                math.ceil(z**2 * 2 * (one + other) / 2 * (1 - (one + other) / 2) / gap**2),
                f"Your {found:.0f} takes both accuracies for one, their mean. That is for the question whether they are equal; here each has a variance of its own.",
            ),
            (
                math.ceil(4 * (p + q) / gap**2),
                f"Your {found:.0f} has 2 for z, and z is {z:g} here.",
            ),
            (
                math.ceil(z**2 * (one + other) / gap**2),
                f"Your {found:.0f} has p where the variance has p (1 - p).",
            ),
            (
                math.ceil(z * math.sqrt(p + q) / gap),
                f"Your {found:.0f} is the root of what is wanted: solve for n, not for √n.",
            ),
            (
                math.floor(z**2 * (p + q) / gap**2) + 1,
                f"Your {found:.0f} is one too many: {right} examples are exactly enough, and a whole number is not rounded up any further.",
            ),
        ):
            if found == value:
                raise Mistake(sentence)
        if abs(found - z**2 * (p + q) / gap**2) < 1e-6:
            raise Mistake(f"{found:.2f} examples there are none: round up.")
        raise Mistake(
            f"For {one:g} and {other:g} and z = {z:g} it takes {right} examples; you have {found:.2f}."
        )

    compare(0.91, 0.87, 3.0)
    compare(0.55, 0.7)
    compare(0.62, 0.51, 2.5)
    compare(0.5, 1.0)  # exactly 4, also with roots, because all are whole numbers of quarters


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="Is it better, or was it lucky?",
    solution=examples_needed,
    check=check_examples_needed,
    task="Two systems have the accuracies $p$ and $q$. On how many test examples does their difference reach $z$ standard errors, so that chance is an unlikely reason for it? "
    "Guess first: how many does it take to tell 90% from 89%?",
    hints=(
        "The standard error of the difference is $\\sqrt{(p(1-p) + q(1-q)) / n}$. Set $|p - q| = z$ times that, and solve for $n$.",
        "Square both sides: $n = z^2 \\cdot (p(1-p) + q(1-q)) / (p - q)^2$, rounded up.",
    ),
    paragraph="How sure is a score?",
)
