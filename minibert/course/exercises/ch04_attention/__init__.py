"""Exercises of chapter 4: attention."""

from minibert.course.exercises.ch04_attention import (
    largest_weight,
    masked_attention,
    muddy,
    previous_token,
    self_attention,
)

EXERCISES = [
    muddy.EXERCISE,
    previous_token.EXERCISE,
    largest_weight.EXERCISE,
    masked_attention.EXERCISE,
    self_attention.EXERCISE,
]
