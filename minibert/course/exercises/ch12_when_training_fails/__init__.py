"""Exercises of chapter 12: inspect a batch, measure the effect of context, find the first NaN, name three faults."""

from minibert.course.exercises.ch12_when_training_fails import (
    effect_of_context,
    first_not_finite,
    inspect_batch,
    name_the_faults,
)

EXERCISES = [
    inspect_batch.EXERCISE,
    effect_of_context.EXERCISE,
    first_not_finite.EXERCISE,
    name_the_faults.EXERCISE,
]
