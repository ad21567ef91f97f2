"""Exercises of chapter 3: positions."""

from minibert.course.exercises.ch03_positions import (
    look_back,
    position_table,
    shift_matrix,
    smooth_table,
)

EXERCISES = [
    position_table.EXERCISE,
    shift_matrix.EXERCISE,
    look_back.EXERCISE,
    smooth_table.EXERCISE,
]
