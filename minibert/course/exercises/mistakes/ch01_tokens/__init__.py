"""Wrong answers of chapter 1 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch01_tokens import next_merge, wordpiece

KNOWN = {
    "next_merge": next_merge.KNOWN,
    "wordpiece": wordpiece.KNOWN,
}
