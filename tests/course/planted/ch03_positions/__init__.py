"""Answers on which the exercises of chapter 3 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch03_positions import (
    look_back,
    position_table,
    random_phases,
    shift_matrix,
)

ANSWERS = {
    "position_table": position_table.ANSWERS,
    "shift_matrix": shift_matrix.ANSWERS,
    "look_back": look_back.ANSWERS,
    "random_phases": random_phases.ANSWERS,
}
