"""Exercises of chapter 6: the whole model, and checkpoints."""

from minibert.course.exercises.ch06_bert import bert, load_strictly, read_shapes, translate

EXERCISES = [
    bert.EXERCISE,
    read_shapes.EXERCISE,
    translate.EXERCISE,
    load_strictly.EXERCISE,
]
