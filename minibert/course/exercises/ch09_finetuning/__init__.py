"""Exercises of chapter 9: classification, token labels, entities, answer spans, and test-set size."""

from minibert.course.exercises.ch09_finetuning import (
    best_span,
    entities_in,
    examples_needed,
    first_piece_labels,
    text_logits,
)

EXERCISES = [
    text_logits.EXERCISE,
    first_piece_labels.EXERCISE,
    entities_in.EXERCISE,
    best_span.EXERCISE,
    examples_needed.EXERCISE,
]
