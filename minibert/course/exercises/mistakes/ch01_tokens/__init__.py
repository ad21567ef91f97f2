"""Wrong answers of chapter 1 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch01_tokens import (
    make_batch,
    merge_step,
    split_words,
    wordpiece,
)

KNOWN = {
    "make_batch": make_batch.KNOWN,
    "merge_step": merge_step.KNOWN,
    "split_words": split_words.KNOWN,
    "wordpiece": wordpiece.KNOWN,
}
