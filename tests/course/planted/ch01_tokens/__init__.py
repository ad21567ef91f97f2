"""Answers on which the exercises of chapter 1 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch01_tokens import greedy_trap, next_merge, padded_batch, token_types, wordpiece

ANSWERS = {
    "next_merge": next_merge.ANSWERS,
    "wordpiece": wordpiece.ANSWERS,
    "greedy_trap": greedy_trap.ANSWERS,
    "token_types": token_types.ANSWERS,
    "padded_batch": padded_batch.ANSWERS,
}
