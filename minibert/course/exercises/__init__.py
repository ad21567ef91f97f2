"""The exercises, with checks that explain what is wrong with an answer.

The chapters import `check`, `swap_in` and `similarities` from here. `progress()` prints which
exercises you have solved.
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
