"""Exercises of chapter 12: inspect a batch, measure the effect of context, find the first NaN, diagnose a recorded run."""

from minibert.course.exercises.ch12_when_training_fails import (
    diagnose,
    effect_of_context,
    first_not_finite,
    inspect_batch,
)

EXERCISES = [
    inspect_batch.EXERCISE,
    effect_of_context.EXERCISE,
    first_not_finite.EXERCISE,
    diagnose.EXERCISE,
]
