"""Exercises of chapter 7: the truncation of pairs, masking, whole words, and faults found by counting."""

from minibert.course.exercises.ch07_pretraining_data import (
    believe,
    find_faults,
    mask_words,
    shorten,
    words_of,
)

EXERCISES = [
    shorten.EXERCISE,
    mask_words.EXERCISE,
    believe.EXERCISE,
    words_of.EXERCISE,
    find_faults.EXERCISE,
]
