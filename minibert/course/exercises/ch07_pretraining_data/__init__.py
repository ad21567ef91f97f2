"""Exercises of chapter 7: MLM masking, whole words, and the truncation of sentence pairs."""

from minibert.course.exercises.ch07_pretraining_data import (
    believe,
    how_many,
    mask_words,
    shorten,
    words_of,
)

EXERCISES = [
    how_many.EXERCISE,
    believe.EXERCISE,
    words_of.EXERCISE,
    shorten.EXERCISE,
    mask_words.EXERCISE,
]
