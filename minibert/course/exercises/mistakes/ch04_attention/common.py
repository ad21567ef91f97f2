"""Wrong answers and helpers that several exercises of this chapter share."""

import math

import torch

from minibert.course.exercises.mistakes import named


def scaled_scores(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))


def scores_over(name, divisor):
    """Returns a wrong answer that divides the scores by another number."""

    def answer(query, key):
        return query @ key.transpose(-2, -1) / divisor(query)

    return named(name, answer)


by_length = scores_over("by_length", lambda query: math.sqrt(query.size(-2)))


by_hidden = scores_over("by_hidden", lambda query: math.sqrt(query.size(1) * query.size(-1)))


by_nothing = scores_over("by_nothing", lambda query: 1)


def lowest_score(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min)


def masked_variant(
    name, scores=scaled_scores, hide=lowest_score, axis=-1, after=lambda weights, mask: weights
):
    """Returns `masked_attention` with one of its steps replaced."""

    def answer(query, key, value, mask=None):
        found = scores(query, key)
        weights = (found if mask is None else hide(found, mask)).softmax(axis)
        weights = weights if mask is None else after(weights, mask)
        return weights @ value, weights

    return named(name, answer)


scale_by_length = masked_variant("scale_by_length", scores=by_length)


no_scale = masked_variant("no_scale", scores=by_nothing)


polarity_reversed = masked_variant(
    "polarity_reversed", hide=lambda scores, mask: lowest_score(scores, ~mask)
)
