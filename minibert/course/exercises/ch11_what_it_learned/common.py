"""Definitions that several exercises of this chapter share."""

import torch

CHAPTER = "11_what_it_learned"


def _maps(*shape):
    """Random float64 attention maps that are far from uniform; every row sums to 1."""
    generator = torch.Generator().manual_seed(1)
    return (2 * torch.randn(*shape, generator=generator, dtype=torch.float64)).softmax(dim=-1)
