"""Exercises of chapter 8: a bug in AdamW, an intervention, micro-batches."""

from minibert.course.exercises.ch08_pretraining import (
    backward_in_pieces,
    influence,
    which_bug,
)

EXERCISES = [
    which_bug.EXERCISE,
    influence.EXERCISE,
    backward_in_pieces.EXERCISE,
]
