"""Answers on which the exercises of chapter 1 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch01_tokens import decode, make_batch, merge_step, revealing_text, wordpiece

ANSWERS = {
    "decode": decode.ANSWERS,
    "make_batch": make_batch.ANSWERS,
    "merge_step": merge_step.ANSWERS,
    "revealing_text": revealing_text.ANSWERS,
    "wordpiece": wordpiece.ANSWERS,
}
