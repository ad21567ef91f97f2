"""Exercises of chapter 6: the attention mask, the whole model, and checkpoints."""

from minibert.course.exercises.ch06_bert import bert, extend_mask, load_strictly, read_shapes

EXERCISES = [
    read_shapes.EXERCISE,
    extend_mask.EXERCISE,
    bert.EXERCISE,
    load_strictly.EXERCISE,
]
