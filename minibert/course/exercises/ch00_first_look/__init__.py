"""Exercises of chapter 0: what a BERT computes, and sentence similarity."""

from minibert.course.exercises.ch00_first_look import (
    certainly_equal,
    cosine,
    fair_triples,
    mean_pooling,
)

EXERCISES = [
    cosine.EXERCISE,
    certainly_equal.EXERCISE,
    mean_pooling.EXERCISE,
    fair_triples.EXERCISE,
]
