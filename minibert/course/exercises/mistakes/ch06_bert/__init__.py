"""Wrong answers of chapter 6 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch06_bert import bert

KNOWN = {
    "Bert": bert.KNOWN,
}
