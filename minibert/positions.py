"""Where a token stands: the sinusoidal table, and a layer that looks positions up in it."""

import math

import torch
from torch import Tensor, nn

from minibert.config import InputError


def sinusoidal_table(length: int, dim: int) -> Tensor:
    """The fixed table of position vectors: [length, dim], float32.

    Vaswani et al. 2017, section 3.5:

        p[i, 2j]     = sin(i / 10000^(2j / dim))
        p[i, 2j + 1] = cos(i / 10000^(2j / dim))

    A pair of columns (2j, 2j + 1) shares one frequency, so that moving on by k positions turns
    every pair by a fixed angle, and the dot product of two rows depends on their distance only. The
    angles are computed in float64: far positions would lose digits in float32.

    Raises an InputError for an odd `dim`, which would cut a pair, and for a length or dim that is
    not a whole number of at least 1.
    """
    if type(length) is not int or type(dim) is not int or length < 1 or dim < 1:
        raise InputError(
            "a table needs whole numbers, at least one position and one pair: "
            f"length {length!r}, dim {dim!r}"
        )
    if dim % 2:
        raise InputError(f"sine and cosine come in pairs: dim {dim} is odd")
    position = torch.arange(length, dtype=torch.float64)  # [S]
    pair = torch.arange(0, dim, 2, dtype=torch.float64)  # [H/2]: 0, 2, 4, …
    frequency = torch.exp(-pair * (math.log(10000.0) / dim))  # [H/2], from 1 down to nearly 1/10000
    angle = position[:, None] * frequency[None, :]  # [S, H/2]
    table = torch.stack((angle.sin(), angle.cos()), dim=-1)  # [S, H/2, 2]
    return table.reshape(length, dim).float()  # [S, H]: sin, cos, sin, cos, …


class SinusoidalPositions(nn.Module):
    """Looks positions up in the sinusoidal table; nothing in it is trained.

    The table is a buffer called `weight`: in a checkpoint it has the name and the shape of a
    learned position table, so a program that knows only learned positions computes the same.
    """

    def __init__(self, length: int, dim: int):
        super().__init__()
        self.weight: Tensor
        self.register_buffer("weight", sinusoidal_table(length, dim))  # [S, H]

    def forward(self, position_ids: Tensor) -> Tensor:
        """position_ids [B, S] or [1, S] -> position vectors [B, S, H] or [1, S, H]."""
        return self.weight[position_ids]  # [B, S, H] or [1, S, H]
