"""Wrong answers of chapter 7 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch07_pretraining_data import believe

KNOWN = {
    "believe": believe.KNOWN,
}
