"""Exercises with checks that name the mistake. In a chapter: `from minibert.exercises import check, swap_in, similarities`.

`from minibert.exercises import progress` and `progress()` print what you have solved.
"""

from minibert.exercises.base import Mistake, check
from minibert.exercises.card import progress
from minibert.exercises.swap import similarities, swap_in
