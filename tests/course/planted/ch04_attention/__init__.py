"""Answers on which the exercises of chapter 4 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch04_attention import (
    attention_counts,
    key_bias_shift,
    masked_attention,
    scaled_scores,
    self_attention,
)

ANSWERS = {
    "scaled_scores": scaled_scores.ANSWERS,
    "masked_attention": masked_attention.ANSWERS,
    "attention_counts": attention_counts.ANSWERS,
    "SelfAttention": self_attention.ANSWERS,
    "key_bias_shift": key_bias_shift.ANSWERS,
}
