"""Answers on which the exercises of chapter 7 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch07_pretraining_data import believe, find_faults, mask_batch, pairs_of, words_of

ANSWERS = {
    "believe": believe.ANSWERS,
    "words_of": words_of.ANSWERS,
    "pairs_of": pairs_of.ANSWERS,
    "mask_batch": mask_batch.ANSWERS,
    "find_faults": find_faults.ANSWERS,
}
