"""Exercises of chapter 8: losses, accuracy, micro-batches, parameter groups, learning rate, logs."""

from minibert.course.exercises.ch08_pretraining import (
    backward_in_pieces,
    mlm_accuracy,
    parameter_groups,
    pretraining_losses,
    read_the_log,
    set_rates,
)

EXERCISES = [
    pretraining_losses.EXERCISE,
    mlm_accuracy.EXERCISE,
    backward_in_pieces.EXERCISE,
    parameter_groups.EXERCISE,
    set_rates.EXERCISE,
    read_the_log.EXERCISE,
]
