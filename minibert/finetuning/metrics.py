"""Scores of predictions: between 0 and 1, correlations between -1 and 1."""

from collections.abc import Hashable, Sequence

import torch
from torch import Tensor


def accuracy(found: Sequence[Hashable], expected: Sequence[Hashable]) -> float:
    """The share of predictions that are right."""
    return sum(one == other for one, other in zip(found, expected, strict=True)) / len(expected)


def macro_f1(found: Sequence[str], expected: Sequence[str]) -> float:
    """F1 = 2 · right / (predicted + gold), averaged over the classes that occur.

    Every class counts the same, however rare it is.
    """
    scores = []
    for label in sorted({*found, *expected}):
        right = sum(one == other == label for one, other in zip(found, expected, strict=True))
        scores.append(2 * right / (list(found).count(label) + list(expected).count(label)))
    return sum(scores) / len(scores)


def pearson(found: Sequence[float], expected: Sequence[float]) -> float:
    """Pearson's correlation of two lists of numbers; 0 where one of them is constant."""
    one = torch.tensor(found, dtype=torch.float64)  # [N]
    other = torch.tensor(expected, dtype=torch.float64)  # [N]
    if one.min() == one.max() or other.min() == other.max():
        return 0.0
    one, other = (_of_middle_size(values - values.mean()) for values in (one, other))
    return max(-1.0, min(1.0, float(one @ other / (one.norm() * other.norm()))))


def _of_middle_size(values: Tensor) -> Tensor:
    """Numbers times a power of 2, which rounds nothing, so that their squares are not 0 or inf."""
    _, exponent = torch.frexp(values.abs().max())
    return torch.ldexp(values, -exponent)


def spearman(found: Sequence[float], expected: Sequence[float]) -> float:
    """Spearman's correlation, of the ranks; equal numbers share the mean of their ranks."""
    return pearson(_ranks(found), _ranks(expected))


def _ranks(values: Sequence[float]) -> list[float]:
    numbers = torch.tensor(values, dtype=torch.float64)  # [N]
    _, place, counts = torch.unique(numbers, return_inverse=True, return_counts=True)
    last = counts.cumsum(0).double()  # [different]
    ranks: list[float] = (last - (counts - 1) / 2)[place].tolist()
    return ranks
