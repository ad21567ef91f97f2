"""Answers on which the exercises of chapter 7 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch07_pretraining_data import believe, find_faults, mask_words, shorten, words_of

ANSWERS = {
    "believe": believe.ANSWERS,
    "words_of": words_of.ANSWERS,
    "shorten": shorten.ANSWERS,
    "mask_words": mask_words.ANSWERS,
    "find_faults": find_faults.ANSWERS,
}
