"""Exercises of chapter 2: reading a sum, LayerNorm, and the embeddings of a BERT."""

from minibert.course.exercises.ch02_embeddings import (
    embeddings,
    layer_norm,
    read_sums,
)

EXERCISES = [
    read_sums.EXERCISE,
    layer_norm.EXERCISE,
    embeddings.EXERCISE,
]
