"""Exercises of chapter 3: positions."""

from minibert.course.exercises.ch03_positions import (
    look_back,
    position_table,
    random_phases,
    shift_matrix,
)

EXERCISES = [
    position_table.EXERCISE,
    shift_matrix.EXERCISE,
    look_back.EXERCISE,
    random_phases.EXERCISE,
]
