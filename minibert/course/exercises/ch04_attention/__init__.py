"""Exercises of chapter 4: attention."""

from minibert.course.exercises.ch04_attention import (
    agreeing_noun,
    mask_works,
    masked_attention,
    previous_token,
    self_attention,
)

EXERCISES = [
    agreeing_noun.EXERCISE,
    previous_token.EXERCISE,
    masked_attention.EXERCISE,
    mask_works.EXERCISE,
    self_attention.EXERCISE,
]
