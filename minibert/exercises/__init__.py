"""Exercises with checks that name the mistake. In a chapter: `from minibert.exercises import check, swap_in, similarities`."""

from minibert.exercises.base import Mistake, check
from minibert.exercises.swap import similarities, swap_in
