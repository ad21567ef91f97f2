"""Wrong answers of chapter 12 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch12_bug_clinic import best_probe, operated_layer

KNOWN = {
    "operated_layer": operated_layer.KNOWN,
    "best_probe": best_probe.KNOWN,
}
