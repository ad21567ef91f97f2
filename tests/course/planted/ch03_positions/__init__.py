"""Answers on which the exercises of chapter 3 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch03_positions import (
    learned_positions,
    position_table,
    shift_matrix,
    steps_between,
)

ANSWERS = {
    "position_table": position_table.ANSWERS,
    "shift_matrix": shift_matrix.ANSWERS,
    "steps_between": steps_between.ANSWERS,
    "LearnedPositions": learned_positions.ANSWERS,
}
