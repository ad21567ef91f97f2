"""Definitions that several exercises of this chapter share."""

import math

CHAPTER = "04_attention"


def masked_attention(query, key, value, mask=None):
    """Attention with a mask, True = may be attended to.

    query [B, A, S, D], key and value [B, A, T, D], mask broadcasting to [B, A, S, T]
    -> mixed values [B, A, S, D] and weights [B, A, S, T].
    """
    products = query @ key.transpose(-2, -1)  # blank: [B, A, S, T]
    scores = products / math.sqrt(query.size(-1))  # blank: [B, A, S, T]
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # blank: keys hidden
    weights = scores.softmax(dim=-1)  # blank: [B, A, S, T]
    return weights @ value, weights  # blank: two results
