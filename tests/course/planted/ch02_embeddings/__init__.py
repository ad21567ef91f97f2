"""Answers on which the exercises of chapter 2 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch02_embeddings import (
    embeddings,
    layer_norm,
    lookup_gradient,
    row_step,
)

ANSWERS = {
    "lookup_gradient": lookup_gradient.ANSWERS,
    "row_step": row_step.ANSWERS,
    "layer_norm": layer_norm.ANSWERS,
    "Embeddings": embeddings.ANSWERS,
}
