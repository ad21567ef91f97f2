"""Answers to `masked_attention` on which its check is tried."""

import math

import torch

from minibert.attention import attend
from minibert.course.exercises.ch04_attention.common import masked_attention
from minibert.course.exercises.mistakes.ch04_attention.common import masked_variant
from minibert.course.exercises.mistakes.ch04_attention.masked_attention import (
    KNOWN,
    fill,
)
from planted import Answers, patterns
from planted.ch04_attention.common import scores_by_einsum


def masked_with_infinity(query, key, value, mask=None):
    """Another right answer: -inf, and rows with nothing to look at are opened before."""
    return attend(query, key, value, mask)


def masked_with_where(query, key, value, mask=None):
    """Another right answer: torch.where, and the softmax written out."""
    scores = scores_by_einsum(query, key)
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    power = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = power / power.sum(-1, keepdim=True)
    return torch.einsum("bast,batd->basd", weights, value), weights


ten_thousand_less = masked_variant(
    "ten_thousand_less", hide=lambda scores, mask: scores - 10000.0 * ~mask
)


filled_with_25 = masked_variant("filled_with_25", hide=fill(-25.0))


infinity_times_mask = masked_variant(
    "infinity_times_mask", hide=lambda scores, mask: scores - math.inf * ~mask
)


filled_with_a_billion = masked_variant("filled_with_a_billion", hide=fill(-1e9))


filled_with_infinity = masked_variant("filled_with_infinity", hide=fill(-math.inf))


renormalised = masked_variant(
    "renormalised",
    hide=lambda scores, mask: scores,
    after=lambda weights, mask: weights * mask / (weights * mask).sum(-1, keepdim=True),
)


def in_single_precision(query, key, value, mask=None):
    weights = masked_attention(query.float(), key.float(), value.float(), mask)[1]
    return weights @ value, weights


def mask_flipped_in_place(query, key, value, mask=None):
    mixed = masked_attention(query, key, value, mask)
    if mask is not None:
        mask.logical_not_()
    return mixed


def rows_are_keys(query, key, value, mask=None):
    mixed, weights = masked_attention(query, key, value, mask)
    return mixed, weights.transpose(-2, -1)


ANSWERS = Answers(
    right=(
        masked_with_infinity,
        masked_with_where,
        filled_with_infinity,
    ),
    wrong=patterns(KNOWN)
    | {
        rows_are_keys: r"the weights, should have the shape \[2, 3, 4, 6\]",
        ten_thousand_less: r"hidden key gets the weight \d\.\d\d",
        filled_with_25: r"keeps a weight of",
        filled_with_a_billion: r"is not far enough below scores",
        infinity_times_mask: r"of your weights are nan",
        renormalised: r"With very large scores.*0/0 is nan",
        in_single_precision: r"changes the precision on the way",
        mask_flipped_in_place: r"changes `mask`.*12 of its 12",
    },
)
