"""Wrong answers of chapter 0 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch00_first_look import cosine, mean_pooling

KNOWN = {
    "cosine": cosine.KNOWN,
    "mean_pooling": mean_pooling.KNOWN,
}
