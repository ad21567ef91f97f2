"""Answers on which the exercises of chapter 3 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch03_positions import (
    look_back,
    position_table,
    shift_matrix,
    smooth_table,
)

ANSWERS = {
    "position_table": position_table.ANSWERS,
    "shift_matrix": shift_matrix.ANSWERS,
    "look_back": look_back.ANSWERS,
    "smooth_table": smooth_table.ANSWERS,
}
