"""Exercises of chapter 4: attention."""

from minibert.course.exercises.ch04_attention import (
    largest_weight,
    masked_attention,
    previous_token,
    self_attention,
)

EXERCISES = [
    largest_weight.EXERCISE,
    previous_token.EXERCISE,
    masked_attention.EXERCISE,
    self_attention.EXERCISE,
]
