"""Exercises of chapter 8: a step of AdamW, learning rate, micro-batches, the work of scoring."""

from minibert.course.exercises.ch08_pretraining import (
    adamw_step,
    backward_in_pieces,
    set_rates,
    share_of_work,
)

EXERCISES = [
    adamw_step.EXERCISE,
    set_rates.EXERCISE,
    backward_in_pieces.EXERCISE,
    share_of_work.EXERCISE,
]
