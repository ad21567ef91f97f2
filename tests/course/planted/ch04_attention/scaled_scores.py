"""Answers to `scaled_scores` on which its check is tried."""

import math

from minibert.course.exercises.mistakes.ch04_attention.scaled_scores import SCORE_MISTAKES
from planted import Answers, patterns
from planted.ch04_attention.common import scores_by_einsum


def scores_scaled_before(query, key):
    """Another right answer: half of the scaling on either side, as some half-precision code does it."""
    root = query.size(-1) ** 0.25
    return (query / root) @ (key / root).mT


def rows_are_keys(query, key):
    return key @ query.transpose(-2, -1) / math.sqrt(query.size(-1))


def scaled_in_place(query, key):
    return query.div_(math.sqrt(query.size(-1))) @ key.mT


ANSWERS = Answers(
    right=(scores_by_einsum, scores_scaled_before),
    wrong=patterns(SCORE_MISTAKES)
    | {
        rows_are_keys: r"a row for each of the 7 keys",
        scaled_in_place: r"changes `query`.*240 of its 240",
    },
)
