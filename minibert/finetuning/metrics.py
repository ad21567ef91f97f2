"""Scores of predictions: between 0 and 1, correlations between -1 and 1."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence, Sized

import torch
from torch import Tensor

from minibert.config import InputError


def check_lengths(found: Sized, expected: Sized) -> None:
    """Raise an InputError unless there are as many predictions as labels, and some."""
    if len(found) != len(expected) or not len(found):
        raise InputError(
            "a score needs two lists of one length, predictions and labels, not "
            f"{len(found)} and {len(expected)} of them"
        )


def accuracy(found: Sequence[Hashable], expected: Sequence[Hashable]) -> float:
    """The share of predictions that are right.

    Raises an InputError for lists of different lengths, and for empty ones.
    """
    check_lengths(found, expected)
    return sum(one == other for one, other in zip(found, expected, strict=True)) / len(expected)


def macro_f1(found: Sequence[str], expected: Sequence[str]) -> float:
    """F1 = 2 · right / (predicted + gold), averaged over the classes that occur.

    Every class counts the same, however rare it is. Errors are those of `accuracy`.
    """
    check_lengths(found, expected)
    both = Counter(found) + Counter(expected)
    pairs = zip(found, expected, strict=True)
    right = Counter(one for one, other in pairs if one == other)
    return math.fsum(2 * right[label] / both[label] for label in both) / len(both)


def pearson(found: Sequence[float], expected: Sequence[float]) -> float:
    """Pearson's correlation of two lists of numbers; 0 where one of them is constant.

    Raises an InputError for lists of different lengths, empty ones, and numbers that are NaN or
    infinite.
    """
    one, other = _checked(found, expected)
    if one.min() == one.max() or other.min() == other.max():
        return 0.0
    one, other = (_of_middle_size(values - values.mean()) for values in (one, other))
    return max(-1.0, min(1.0, float(one @ other / (one.norm() * other.norm()))))


def _checked(found: Sequence[float], expected: Sequence[float]) -> tuple[Tensor, Tensor]:
    """Both lists as float64 tensors."""
    check_lengths(found, expected)
    try:
        one, other = (torch.as_tensor(values, dtype=torch.float64) for values in (found, expected))
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise InputError(f"a correlation needs two lists of numbers ({error})") from error
    if one.ndim != 1 or other.ndim != 1:
        raise InputError("a correlation needs two lists of numbers, not lists of lists")
    if not (one.isfinite().all() and other.isfinite().all()):
        raise InputError("a correlation needs finite numbers, but one of these is NaN or infinite")
    return one, other


def _of_middle_size(values: Tensor) -> Tensor:
    """Numbers times a power of 2, which rounds nothing, so that their squares are not 0 or inf."""
    _, exponent = torch.frexp(values.abs().max())
    return torch.ldexp(values, -exponent)


def spearman(found: Sequence[float], expected: Sequence[float]) -> float:
    """Spearman's correlation, of the ranks; equal numbers share the mean of their ranks.

    Errors are those of `pearson`.
    """
    one, other = _checked(found, expected)
    return pearson(_ranks(one), _ranks(other))


def _ranks(numbers: Tensor) -> list[float]:
    """The ranks of the numbers of a tensor, from 1."""
    _, place, counts = torch.unique(numbers, return_inverse=True, return_counts=True)
    last = counts.cumsum(0).double()  # [different]
    ranks: list[float] = (last - (counts - 1) / 2)[place].tolist()
    return ranks
