"""Wrong answers of chapter 7 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch07_pretraining_data import believe, how_many, words_of

KNOWN = {
    "how_many": how_many.KNOWN,
    "believe": believe.KNOWN,
    "words_of": words_of.KNOWN,
}
