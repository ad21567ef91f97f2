"""Exercises of chapter 0: a first look."""

from minibert.course.exercises.ch00_first_look import certainly_equal, cosine, mean_pooling, search

EXERCISES = [
    cosine.EXERCISE,
    certainly_equal.EXERCISE,
    mean_pooling.EXERCISE,
    search.EXERCISE,
]
