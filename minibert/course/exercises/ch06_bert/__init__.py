"""Exercises of chapter 6: the whole model, and checkpoints."""

from minibert.course.exercises.ch06_bert import (
    bert,
    first_difference,
    load_strictly,
    mlm_head,
    read_shapes,
)

EXERCISES = [
    bert.EXERCISE,
    read_shapes.EXERCISE,
    load_strictly.EXERCISE,
    first_difference.EXERCISE,
    mlm_head.EXERCISE,
]
