"""Wrong answers of chapter 1 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch01_tokens import (
    decode,
    make_batch,
    merge_step,
    wordpiece,
)

KNOWN = {
    "decode": decode.KNOWN,
    "make_batch": make_batch.KNOWN,
    "merge_step": merge_step.KNOWN,
    "wordpiece": wordpiece.KNOWN,
}
