"""Definitions that several exercises of this chapter share."""

import math

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
