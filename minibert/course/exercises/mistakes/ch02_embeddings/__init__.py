"""Wrong answers of chapter 2 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch02_embeddings import (
    embeddings,
    layer_norm,
    lookup_gradient,
    row_step,
)

KNOWN = {
    "lookup_gradient": lookup_gradient.KNOWN,
    "row_step": row_step.KNOWN,
    "layer_norm": layer_norm.KNOWN,
    "Embeddings": embeddings.KNOWN,
}
