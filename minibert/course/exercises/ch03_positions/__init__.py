"""Exercises of chapter 3: positions."""

from minibert.course.exercises.ch03_positions import (
    learned_positions,
    position_table,
    shift_matrix,
    wavelength,
)

EXERCISES = [
    wavelength.EXERCISE,
    position_table.EXERCISE,
    shift_matrix.EXERCISE,
    learned_positions.EXERCISE,
]
