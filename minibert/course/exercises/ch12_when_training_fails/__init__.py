"""Exercises of chapter 12: inspect a batch, overfit one, undo a running mean, name three faults."""

from minibert.course.exercises.ch12_when_training_fails import (
    inspect_batch,
    name_the_faults,
    overfit_one_batch,
    undo_the_mean,
)

EXERCISES = [
    inspect_batch.EXERCISE,
    overfit_one_batch.EXERCISE,
    undo_the_mean.EXERCISE,
    name_the_faults.EXERCISE,
]
