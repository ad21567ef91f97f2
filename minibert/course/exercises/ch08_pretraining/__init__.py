"""Exercises of chapter 8: a bug in AdamW, texts for an intervention, micro-batches."""

from minibert.course.exercises.ch08_pretraining import (
    backward_in_pieces,
    only_the_name,
    which_bug,
)

EXERCISES = [
    which_bug.EXERCISE,
    only_the_name.EXERCISE,
    backward_in_pieces.EXERCISE,
]
