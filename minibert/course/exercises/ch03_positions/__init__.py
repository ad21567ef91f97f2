"""Exercises of chapter 3: positions."""

from minibert.course.exercises.ch03_positions import (
    learned_positions,
    position_table,
    shift_matrix,
    steps_between,
)

EXERCISES = [
    position_table.EXERCISE,
    shift_matrix.EXERCISE,
    steps_between.EXERCISE,
    learned_positions.EXERCISE,
]
