"""Exercises of chapter 1: cutting words, training, batches, and finding bugs in a tokenizer."""

from minibert.course.exercises.ch01_tokens import (
    fewest_pieces,
    find_bugs,
    make_batch,
    merge_step,
    wordpiece,
)

EXERCISES = [
    wordpiece.EXERCISE,
    fewest_pieces.EXERCISE,
    merge_step.EXERCISE,
    make_batch.EXERCISE,
    find_bugs.EXERCISE,
]
