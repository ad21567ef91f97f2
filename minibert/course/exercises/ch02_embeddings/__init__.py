"""Chapter 02: looking rows up, counting parameters, LayerNorm, and the embeddings of a whole BERT."""

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
