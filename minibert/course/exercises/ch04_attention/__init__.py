"""Exercises of chapter 4: attention."""

from minibert.course.exercises.ch04_attention import (
    masked_attention,
    muddy,
    previous_token,
    self_attention,
)

EXERCISES = [
    muddy.EXERCISE,
    previous_token.EXERCISE,
    masked_attention.EXERCISE,
    self_attention.EXERCISE,
]
