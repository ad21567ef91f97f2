"""Exercises of chapter 2: reading a sum, LayerNorm, a smaller vocabulary, and the embeddings of a
BERT.
"""

from minibert.course.exercises.ch02_embeddings import (
    embeddings,
    layer_norm,
    read_sums,
    rows_to_keep,
)

EXERCISES = [
    read_sums.EXERCISE,
    layer_norm.EXERCISE,
    rows_to_keep.EXERCISE,
    embeddings.EXERCISE,
]
