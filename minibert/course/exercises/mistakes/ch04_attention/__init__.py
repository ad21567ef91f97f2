"""Wrong answers of chapter 4 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch04_attention import (
    attention_counts,
    key_bias_shift,
    masked_attention,
    scaled_scores,
    self_attention,
)

KNOWN = {
    "scaled_scores": scaled_scores.KNOWN,
    "masked_attention": masked_attention.KNOWN,
    "attention_counts": attention_counts.KNOWN,
    "SelfAttention": self_attention.KNOWN,
    "key_bias_shift": key_bias_shift.KNOWN,
}
