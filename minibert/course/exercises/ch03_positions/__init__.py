"""Exercises of chapter 3: positions."""

from minibert.course.exercises.ch03_positions import (
    longer_table,
    look_back,
    position_table,
    rotate,
    shift_matrix,
)

EXERCISES = [
    position_table.EXERCISE,
    shift_matrix.EXERCISE,
    look_back.EXERCISE,
    longer_table.EXERCISE,
    rotate.EXERCISE,
]
