"""Exercises of chapter 12: inspect a batch, overfit one, measure the effect of context, repair a program, name three faults."""

from minibert.course.exercises.ch12_when_training_fails import (
    effect_of_context,
    inspect_batch,
    mended_program,
    name_the_faults,
    overfit_one_batch,
)

EXERCISES = [
    inspect_batch.EXERCISE,
    overfit_one_batch.EXERCISE,
    effect_of_context.EXERCISE,
    mended_program.EXERCISE,
    name_the_faults.EXERCISE,
]
