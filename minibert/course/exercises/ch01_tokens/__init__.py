"""Exercises of chapter 1: tokenization, segments and padding."""

from minibert.course.exercises.ch01_tokens import (
    greedy_trap,
    next_merge,
    padded_batch,
    token_types,
    wordpiece,
)

EXERCISES = [
    next_merge.EXERCISE,
    wordpiece.EXERCISE,
    greedy_trap.EXERCISE,
    token_types.EXERCISE,
    padded_batch.EXERCISE,
]
