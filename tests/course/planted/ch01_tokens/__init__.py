"""Answers on which the exercises of chapter 1 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch01_tokens import find_bugs, make_batch, merge_step, split_words, wordpiece

ANSWERS = {
    "find_bugs": find_bugs.ANSWERS,
    "make_batch": make_batch.ANSWERS,
    "merge_step": merge_step.ANSWERS,
    "split_words": split_words.ANSWERS,
    "wordpiece": wordpiece.ANSWERS,
}
