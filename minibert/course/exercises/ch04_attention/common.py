"""Definitions that several exercises of this chapter share."""

import math

from torch import Tensor

from minibert.course.exercises.compare import Mistake, expect_tensor

CHAPTER = "04_attention"


def masked_attention(query, key, value, mask=None):
    """Attention with a mask, True = may be attended to.

    query [B, A, S, D], key and value [B, A, T, D], mask broadcasting to [B, A, S, T]
    -> mixed values [B, A, S, D] and weights [B, A, S, T].
    """
    # blank from here: equation 4.1, with the hidden keys out of the softmax
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # [B, A, S, T]
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def expect_maps(maps, entries):
    """Refuse what is not a pair of maps [entries, 2] of finite numbers."""
    if not isinstance(maps, (tuple, list)) or len(maps) != 2:
        raise Mistake("Return two maps, W_query and W_key.")
    for name, each in zip(("W_query", "W_key"), maps):
        expect_tensor(each, [entries, 2], f"Your {name}")
        if not each.is_floating_point() or not each.isfinite().all():
            raise Mistake(f"Your {name} should hold finite numbers of a floating-point type.")


def weights_of(x: Tensor, maps) -> Tensor:
    """The attention weights that two maps of two columns each give to the tokens x: [S, S]."""
    W_query, W_key = (each.detach().double() for each in maps)
    return ((x @ W_query) @ (x @ W_key).T / math.sqrt(2)).softmax(dim=-1)
