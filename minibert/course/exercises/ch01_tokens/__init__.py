"""Exercises of chapter 1: cutting words, training, batches, finding bugs, and splitting a text into words."""

from minibert.course.exercises.ch01_tokens import (
    find_bugs,
    make_batch,
    merge_step,
    split_words,
    wordpiece,
)

EXERCISES = [
    wordpiece.EXERCISE,
    merge_step.EXERCISE,
    make_batch.EXERCISE,
    find_bugs.EXERCISE,
    split_words.EXERCISE,
]
