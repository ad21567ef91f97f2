"""Wrong answers of chapter 3 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch03_positions import (
    position_table,
    shift_matrix,
    steps_between,
)

KNOWN = {
    "position_table": position_table.KNOWN,
    "shift_matrix": shift_matrix.KNOWN,
    "steps_between": steps_between.KNOWN,
}
