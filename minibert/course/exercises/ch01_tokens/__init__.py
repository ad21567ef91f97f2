"""Exercises of chapter 1: cutting words, training, decoding, batches, and testing a tokenizer."""

from minibert.course.exercises.ch01_tokens import (
    decode,
    make_batch,
    merge_step,
    revealing_text,
    wordpiece,
)

EXERCISES = [
    wordpiece.EXERCISE,
    merge_step.EXERCISE,
    decode.EXERCISE,
    make_batch.EXERCISE,
    revealing_text.EXERCISE,
]
