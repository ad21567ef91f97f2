"""Exercises of chapter 8: losses, learning rate, micro-batches, the work of scoring."""

from minibert.course.exercises.ch08_pretraining import (
    backward_in_pieces,
    pretraining_losses,
    set_rates,
    share_of_work,
)

EXERCISES = [
    pretraining_losses.EXERCISE,
    set_rates.EXERCISE,
    backward_in_pieces.EXERCISE,
    share_of_work.EXERCISE,
]
