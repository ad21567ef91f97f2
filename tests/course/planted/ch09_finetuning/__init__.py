"""Answers on which the exercises of chapter 9 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch09_finetuning import (
    best_span,
    entities_in,
    examples_needed,
    first_piece_labels,
    text_logits,
)

ANSWERS = {
    "text_logits": text_logits.ANSWERS,
    "first_piece_labels": first_piece_labels.ANSWERS,
    "entities_in": entities_in.ANSWERS,
    "best_span": best_span.ANSWERS,
    "examples_needed": examples_needed.ANSWERS,
}
