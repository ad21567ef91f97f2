"""Exercises of chapter 2: the gradient of a look-up, reading a sum, LayerNorm, and the embeddings of a BERT."""

from minibert.course.exercises.ch02_embeddings import (
    embeddings,
    layer_norm,
    lookup_gradient,
    read_sums,
)

EXERCISES = [
    lookup_gradient.EXERCISE,
    read_sums.EXERCISE,
    layer_norm.EXERCISE,
    embeddings.EXERCISE,
]
