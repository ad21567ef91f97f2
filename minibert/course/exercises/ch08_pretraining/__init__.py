"""Exercises of chapter 8: AdamW, a bug in it, texts for an intervention, micro-batches."""

from minibert.course.exercises.ch08_pretraining import (
    adamw_step,
    backward_in_pieces,
    only_the_name,
    which_bug,
)

EXERCISES = [
    adamw_step.EXERCISE,
    which_bug.EXERCISE,
    only_the_name.EXERCISE,
    backward_in_pieces.EXERCISE,
]
