"""Definitions that several exercises of this chapter share."""

import math

import torch

CHAPTER = "04_attention"


def masked_attention(query, key, value, mask=None):
    """Attention with a mask, True = may be attended to.

    query [B, A, S, D], key and value [B, A, T, D], mask broadcasting to [B, A, S, T]
    -> mixed values [B, A, S, D] and weights [B, A, S, T].
    A query that may attend to nothing gets the mean of all values.
    """
    products = query @ key.transpose(-2, -1)  # blank: the dot product of every query with every key
    scores = products / math.sqrt(query.size(-1))  # blank: the products, scaled
    if mask is not None:
        lowest = torch.finfo(scores.dtype).min  # blank: the lowest finite number that this dtype has  # fmt: skip
        scores = scores.masked_fill(~mask, lowest)  # blank: that number wherever the mask is False
    weights = scores.softmax(dim=-1)  # blank: weights that sum to 1 over the keys
    return weights @ value, weights  # blank: the values mixed by the weights, and the weights
