"""Exercise `wavelength`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def wavelength(pair, dim):
    """After how many positions pair 0, 1, 2, … of a table of `dim` columns has turned once around."""
    frequency = 10000.0 ** (-2 * pair / dim)  # blank: radians that this pair turns for each position  # fmt: skip
    return 2 * math.pi / frequency  # blank: positions for a full turn


def check_wavelength(answer):
    if not hasattr(answer(0, 8), "__float__"):
        raise Mistake(
            f"Your answer for pair 0 of 8 columns is {answer(0, 8)!r}, a {type(answer(0, 8)).__name__}; return a number."
        )
    for pair, dim in ((0, 8), (1, 8), (3, 8), (5, 12), (100, 384)):
        found, right = float(answer(pair, dim)), wavelength(pair, dim)
        if math.isclose(found, right, rel_tol=1e-5):
            continue
        given = f"For pair {pair} of {dim} columns you get {found:,.4g} positions where {right:,.4g} is right"
        for mistake, sentence in known(wavelength):
            # Several mistakes agree on pair 0, so a suspect must match on another pair as well.
            if math.isclose(found, mistake(pair, dim), rel_tol=1e-5) and math.isclose(
                float(answer(3, 8)), mistake(3, 8), rel_tol=1e-5
            ):
                raise Mistake(f"{given}: {sentence.format(pair=pair, dim=dim)}.")
        if abs(found - right) <= 1 and found == int(found):
            raise Mistake(f"{given}: you round; the number need not be whole.")
        raise Mistake(f"{given}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="How long is a wave?",
    task="""
            Pair $j$ of the table turns by $1/10000^{2j/d}$ radians from one position to the next. After how many positions has it turned once around?
            (The number need not be whole.)
            """,
    hints=(
        "The second hand of a clock turns 6 degrees each second; a full turn takes 360/6 = 60 seconds. Here a full turn is 2π radians.",
        "The frequency is `10000.0 ** (-2 * pair / dim)`. The wavelength is 2π divided by it: 2π for pair 0, longer for every pair after it.",
    ),
    paragraph="The formula",
    solution=wavelength,
    check=check_wavelength,
)
