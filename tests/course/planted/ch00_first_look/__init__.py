"""Answers on which the exercises of chapter 0 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch00_first_look import certainly_equal, cosine, fair_triples, mean_pooling

ANSWERS = {
    "cosine": cosine.ANSWERS,
    "certainly_equal": certainly_equal.ANSWERS,
    "mean_pooling": mean_pooling.ANSWERS,
    "fair_triples": fair_triples.ANSWERS,
}
