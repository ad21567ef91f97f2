"""Exercises of chapter 7: masking, whole words, pairs, and faults found by counting."""

from minibert.course.exercises.ch07_pretraining_data import (
    believe,
    find_faults,
    mask_batch,
    pairs_of,
    words_of,
)

EXERCISES = [
    mask_batch.EXERCISE,
    believe.EXERCISE,
    words_of.EXERCISE,
    pairs_of.EXERCISE,
    find_faults.EXERCISE,
]
