"""Exercises with checks that name the mistake. In a chapter: `from minibert.course.exercises import check, swap_in, similarities`.

`from minibert.course.exercises import progress` and `progress()` print what you have solved.
"""

from minibert.course.exercises.base import check
from minibert.course.exercises.card import progress
from minibert.course.exercises.compare import Mistake
from minibert.course.exercises.swap import similarities, swap_in

__all__ = [
    "Mistake",
    "check",
    "progress",
    "similarities",
    "swap_in",
]
