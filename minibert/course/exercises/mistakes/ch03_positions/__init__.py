"""Wrong answers of chapter 3 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch03_positions import (
    look_back,
    position_table,
    shift_matrix,
)

KNOWN = {
    "position_table": position_table.KNOWN,
    "shift_matrix": shift_matrix.KNOWN,
    "look_back": look_back.KNOWN,
}
