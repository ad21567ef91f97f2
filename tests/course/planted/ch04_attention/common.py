"""What several lists of answers share."""

import torch


def scores_by_einsum(query, key):
    """Another right answer: the axes named by letters."""
    return torch.einsum("basd,batd->bast", query, key) / query.size(-1) ** 0.5
