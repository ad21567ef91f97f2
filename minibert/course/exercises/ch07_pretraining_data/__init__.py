"""Exercises of chapter 7: masking, pairs of texts, and bugs found by counting."""

from minibert.course.exercises.ch07_pretraining_data import (
    audit_batch,
    believe,
    looks_random,
    mask_batch,
    pairs_of,
)

EXERCISES = [
    mask_batch.EXERCISE,
    believe.EXERCISE,
    pairs_of.EXERCISE,
    looks_random.EXERCISE,
    audit_batch.EXERCISE,
]
