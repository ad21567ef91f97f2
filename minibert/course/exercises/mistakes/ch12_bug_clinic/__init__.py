"""Wrong answers of chapter 12 that a check recognises by their result, each with its sentence."""

from minibert.course.exercises.mistakes.ch12_bug_clinic import best_probe, operated_layer

KNOWN = {
    "operated_layer": operated_layer.KNOWN,
    "best_probe": best_probe.KNOWN,
}
