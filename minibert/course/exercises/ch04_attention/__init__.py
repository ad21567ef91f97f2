"""Exercises of chapter 4: attention."""

from minibert.course.exercises.ch04_attention import (
    key_bias_shift,
    masked_attention,
    previous_token,
    self_attention,
)

EXERCISES = [
    previous_token.EXERCISE,
    masked_attention.EXERCISE,
    self_attention.EXERCISE,
    key_bias_shift.EXERCISE,
]
