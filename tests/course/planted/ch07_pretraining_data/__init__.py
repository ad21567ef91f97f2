"""Answers on which the exercises of chapter 7 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch07_pretraining_data import (
    audit_batch,
    believe,
    looks_random,
    mask_batch,
    pairs_of,
)

ANSWERS = {
    "believe": believe.ANSWERS,
    "pairs_of": pairs_of.ANSWERS,
    "mask_batch": mask_batch.ANSWERS,
    "looks_random": looks_random.ANSWERS,
    "audit_batch": audit_batch.ANSWERS,
}
