"""Wrong answers to `masked_attention` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.mistakes.ch04_attention.common import (
    masked_variant,
    no_scale,
    polarity_reversed,
    scale_by_length,
)


def unmasked(scores, mask):
    return scores


def fill(number):
    return lambda scores, mask: scores.masked_fill(~mask, number)


over_queries = masked_variant("over_queries", axis=-2)


mask_ignored = masked_variant("mask_ignored", hide=unmasked)


masked_after_softmax = masked_variant("masked_after_softmax", hide=unmasked, after=torch.mul)


hidden_with_zero = masked_variant("hidden_with_zero", hide=fill(0.0))


WEIGHT_MISTAKES = (
    (
        over_queries,
        "Your weights sum to 1 over the queries (each column); they must sum to 1 over the keys (each row): a query shares out 1.",
    ),
    (mask_ignored, "The mask has no effect: your largest weight on a hidden key is {0:.2f}."),
    (
        polarity_reversed,
        "Your mask works the other way round: a hidden key gets a weight of {0:.2f}. "
        "Here True means 'may be looked at', so hide where it is False.",
    ),
    (
        masked_after_softmax,
        "You set weights to zero after the softmax, so the rows sum to less than 1: hide the scores before it.",
    ),
    (
        hidden_with_zero,
        "You hide a key by a score of 0, but e⁰ = 1: its weight is up to {0:.2f}. Only a score far below all others gives 0.",
    ),
    (
        scale_by_length,
        "Your scores are divided by the square root of the number of queries, √4; the head size is 8.",
    ),
    (no_scale, "Your scores are not divided by √8, the root of the head size."),
)


KNOWN = WEIGHT_MISTAKES
