"""Exercises of chapter 6: the whole model, and checkpoints."""

from minibert.course.exercises.ch06_bert import (
    bert,
    choose_inputs,
    first_difference,
    load_strictly,
    repair,
)

EXERCISES = [
    bert.EXERCISE,
    load_strictly.EXERCISE,
    first_difference.EXERCISE,
    repair.EXERCISE,
    choose_inputs.EXERCISE,
]
