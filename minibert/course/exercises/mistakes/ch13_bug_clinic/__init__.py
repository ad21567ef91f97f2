"""Wrong answers of chapter 13 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch13_bug_clinic import (
    best_probe,
    mend_program,
    operated_layer,
)

KNOWN = {
    "operated_layer": operated_layer.KNOWN,
    "best_probe": best_probe.KNOWN,
    "mend_program": mend_program.KNOWN,
}
