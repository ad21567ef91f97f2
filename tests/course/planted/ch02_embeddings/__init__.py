"""Answers on which the exercises of chapter 2 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch02_embeddings import (
    embedding_parameters,
    embeddings,
    layer_norm,
    one_hot_lookup,
    same_vectors,
)

ANSWERS = {
    "one_hot_lookup": one_hot_lookup.ANSWERS,
    "layer_norm": layer_norm.ANSWERS,
    "embedding_parameters": embedding_parameters.ANSWERS,
    "same_vectors": same_vectors.ANSWERS,
    "Embeddings": embeddings.ANSWERS,
}
