"""Wrong answers of chapter 2 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch02_embeddings import (
    embedding_parameters,
    embeddings,
    layer_norm,
    one_hot_lookup,
    same_vectors,
)

KNOWN = {
    "one_hot_lookup": one_hot_lookup.KNOWN,
    "layer_norm": layer_norm.KNOWN,
    "embedding_parameters": embedding_parameters.KNOWN,
    "same_vectors": same_vectors.KNOWN,
    "Embeddings": embeddings.KNOWN,
}
