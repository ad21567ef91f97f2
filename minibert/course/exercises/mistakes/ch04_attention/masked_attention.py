"""Wrong answers to `masked_attention` that its check recognises, each with the feedback for it."""

import math

import torch

from minibert.course.exercises.mistakes.ch04_attention.common import (
    by_hidden,
    masked_variant,
    no_scale,
    polarity_reversed,
    scale_by_length,
    scores_over,
)


def unmasked(scores, mask):
    return scores


def fill(number):
    return lambda scores, mask: scores.masked_fill(~mask, number)


reversed_with_infinity = masked_variant(
    "reversed_with_infinity", hide=lambda scores, mask: scores.masked_fill(mask, -math.inf)
)


over_queries = masked_variant("over_queries", axis=-2)


mask_ignored = masked_variant("mask_ignored", hide=unmasked)


lowers_the_visible = masked_variant(
    "lowers_the_visible", hide=lambda scores, mask: scores - 10000.0 * mask
)


masked_after_softmax = masked_variant("masked_after_softmax", hide=unmasked, after=torch.mul)


hidden_with_zero = masked_variant("hidden_with_zero", hide=fill(0.0))


scale_by_hidden = masked_variant("scale_by_hidden", scores=by_hidden)


scale_by_heads = masked_variant(
    "scale_by_heads", scores=scores_over("by_heads", lambda query: math.sqrt(query.size(1)))
)


scale_by_size = masked_variant(
    "scale_by_size", scores=scores_over("by_size", lambda query: query.size(-1))
)


times_root = masked_variant(
    "times_root", scores=scores_over("times_root", lambda query: 1 / math.sqrt(query.size(-1)))
)


first_head_for_all = masked_variant(
    "first_head_for_all", hide=lambda scores, mask: scores.masked_fill(~mask[:, :1], -math.inf)
)


WEIGHT_MISTAKES = (
    (
        over_queries,
        "Your weights sum to 1 over the queries (each column); they must sum to 1 over the keys (each row).",
    ),
    (mask_ignored, "The mask has no effect: your largest weight on a hidden key is {0:.2f}."),
    (
        polarity_reversed,
        "Your mask works the other way round: a hidden key gets a weight of {0:.2f}. "
        "Here True means 'may be attended to', so hide where it is False.",
    ),
    (
        lowers_the_visible,
        "You lower the scores of the keys that may be attended to, or raise the others, so a hidden key gets a weight of {0:.2f}. True means 'may be attended to'; lower the others.",
    ),
    (
        reversed_with_infinity,
        "Your mask works the other way round: it hides the keys that may be attended to. Where all of them may, you hide all, "
        "and the softmax of a row of -inf is nan. Here True means 'may be attended to', so hide where it is False.",
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
    (
        scale_by_heads,
        "Your scores are divided by √3, the number of heads: query.size(1). The head size, 8, is the last axis.",
    ),
    (
        scale_by_hidden,
        "Your scores are divided by √24, the hidden size; the dot products run over one head only, whose size is 8.",
    ),
    (scale_by_size, "Your scores are divided by the head size, 8, without its square root."),
    (times_root, "Your scores are multiplied by √8 instead of divided by it."),
    (no_scale, "Your scores are not divided by √8, the root of the head size."),
)


KNOWN = (
    *WEIGHT_MISTAKES,
    (
        first_head_for_all,
        "You use the mask of the first head for all heads: a hidden key gets a weight of {0:.2f}.",
    ),
)
