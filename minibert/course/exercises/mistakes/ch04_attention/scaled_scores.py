"""Wrong answers to `scaled_scores` that its check recognises, each with the feedback for it."""

import math

from minibert.course.exercises.mistakes.ch04_attention.common import (
    by_hidden,
    by_length,
    by_nothing,
    scores_over,
)

by_heads = scores_over("by_heads", lambda query: math.sqrt(query.size(1)))


by_size = scores_over("by_size", lambda query: query.size(-1))


times_root = scores_over("times_root", lambda query: 1 / math.sqrt(query.size(-1)))


SCORE_MISTAKES = (
    (
        by_length,
        "Your scores are divided by the square root of the sequence length, √5; the size of a head here is 8, so √8 is right. "
        "With your scale a longer text gets smaller scores.",
    ),
    (
        by_heads,
        "Your scores are divided by √3, the number of heads: query.size(1). The size of a head, 8, stands on the last axis.",
    ),
    (
        by_hidden,
        "Your scores are divided by √24, the hidden size; the dot products run over one head only, whose size is 8.",
    ),
    (
        by_size,
        "Your scores are divided by the head size, 8, without its square root: their standard deviation is {0:.2f} instead of {1:.2f}.",
    ),
    (
        by_nothing,
        "Your scores are not divided by √8: their standard deviation is {0:.2f} instead of {1:.2f}.",
    ),
    (
        times_root,
        "Your scores are multiplied by √8 instead of divided by it: their standard deviation is {0:.2f} instead of {1:.2f}.",
    ),
)


KNOWN = SCORE_MISTAKES
