"""Exercises of chapter 1: cutting words, training, two ways to cut, batches, and finding bugs in a tokenizer."""

from minibert.course.exercises.ch01_tokens import (
    find_bugs,
    make_batch,
    merge_step,
    two_cuts,
    wordpiece,
)

EXERCISES = [
    wordpiece.EXERCISE,
    merge_step.EXERCISE,
    two_cuts.EXERCISE,
    make_batch.EXERCISE,
    find_bugs.EXERCISE,
]
