"""Exercises of chapter 6: the mask, the whole model, loading weights, and reading a stranger's checkpoint."""

from minibert.course.exercises.ch06_bert import bert, extend_mask, load_strictly, read_shapes

EXERCISES = [
    read_shapes.EXERCISE,
    extend_mask.EXERCISE,
    bert.EXERCISE,
    load_strictly.EXERCISE,
]
