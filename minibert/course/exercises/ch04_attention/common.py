"""Definitions that several exercises of this chapter share."""

import math

import torch

CHAPTER = "04_attention"


def masked_attention(query, key, value, mask=None):
    """Attention with a mask, True = may be looked at.

    query [B, A, S, D], key and value [B, A, T, D], mask broadcasting to [B, A, S, T]
    -> mixed values [B, A, S, D] and weights [B, A, S, T].
    A query that may look at nothing gets the mean of all values.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        lowest = torch.finfo(scores.dtype).min  # blank: the lowest finite number that this dtype has  # fmt: skip
        scores = scores.masked_fill(~mask, lowest)  # blank: that number wherever the mask is False
    weights = scores.softmax(dim=-1)  # blank: shares that sum to 1 over the keys
    return weights @ value, weights  # blank: the values mixed by the weights, and the weights
