"""Exercises of chapter 2: the gradient of a look-up, one step of a row, LayerNorm, and the embeddings of a BERT."""

from minibert.course.exercises.ch02_embeddings import (
    embeddings,
    layer_norm,
    lookup_gradient,
    row_step,
)

EXERCISES = [
    lookup_gradient.EXERCISE,
    row_step.EXERCISE,
    layer_norm.EXERCISE,
    embeddings.EXERCISE,
]
