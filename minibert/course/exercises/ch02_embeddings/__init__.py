"""Exercises of chapter 2: embedding lookup, LayerNorm, and the embeddings of a BERT."""

from minibert.course.exercises.ch02_embeddings import (
    embedding_parameters,
    embeddings,
    layer_norm,
    one_hot_lookup,
    same_vectors,
)

EXERCISES = [
    one_hot_lookup.EXERCISE,
    layer_norm.EXERCISE,
    embedding_parameters.EXERCISE,
    same_vectors.EXERCISE,
    embeddings.EXERCISE,
]
