"""Exercises of chapter 8: a step of AdamW, reading losses, micro-batches."""

from minibert.course.exercises.ch08_pretraining import (
    adamw_step,
    backward_in_pieces,
    read_losses,
)

EXERCISES = [
    adamw_step.EXERCISE,
    read_losses.EXERCISE,
    backward_in_pieces.EXERCISE,
]
