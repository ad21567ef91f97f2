"""Exercises of chapter 4: attention."""

from minibert.course.exercises.ch04_attention import (
    attention_counts,
    key_bias_shift,
    masked_attention,
    scaled_scores,
    self_attention,
)

EXERCISES = [
    scaled_scores.EXERCISE,
    masked_attention.EXERCISE,
    attention_counts.EXERCISE,
    self_attention.EXERCISE,
    key_bias_shift.EXERCISE,
]
