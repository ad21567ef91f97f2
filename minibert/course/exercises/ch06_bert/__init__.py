"""Exercises of chapter 6: the whole model, and checkpoints."""

from minibert.course.exercises.ch06_bert import (
    all_differences,
    bert,
    choose_inputs,
    first_difference,
    load_strictly,
)

EXERCISES = [
    bert.EXERCISE,
    load_strictly.EXERCISE,
    first_difference.EXERCISE,
    all_differences.EXERCISE,
    choose_inputs.EXERCISE,
]
