"""How good predictions are. All scores lie between 0 and 1, correlations between -1 and 1."""

from collections.abc import Hashable, Sequence

import torch


def accuracy(found: Sequence[Hashable], wanted: Sequence[Hashable]) -> float:
    """The share of predictions that are right."""
    return sum(one == other for one, other in zip(found, wanted, strict=True)) / len(wanted)


def macro_f1(found: Sequence[Hashable], wanted: Sequence[Hashable]) -> float:
    """The mean over the classes that occur of F1 = 2 · right / (predicted + there): every class counts alike, however rare."""
    scores = []
    for label in sorted({*found, *wanted}):
        right = sum(one == other == label for one, other in zip(found, wanted, strict=True))
        scores.append(2 * right / (list(found).count(label) + list(wanted).count(label)))
    return sum(scores) / len(scores)


def pearson(found: Sequence[float], wanted: Sequence[float]) -> float:
    """The correlation of two lists of numbers; 0 where one of them never changes."""
    one, other = (torch.tensor(values, dtype=torch.float64) for values in (found, wanted))          # [N], [N]
    if one.min() == one.max() or other.min() == other.max():
        return 0.0
    one, other = one - one.mean(), other - other.mean()
    return max(-1.0, min(1.0, float(one @ other / (one.norm() * other.norm()))))


def spearman(found: Sequence[float], wanted: Sequence[float]) -> float:
    """The correlation of their ranks; equal numbers share the mean of their ranks."""
    return pearson(_ranks(found), _ranks(wanted))


def _ranks(values: Sequence[float]) -> list[float]:
    _, place, counts = torch.tensor(values, dtype=torch.float64).unique(return_inverse=True, return_counts=True)    # [N], [different]
    last = counts.cumsum(0).double()                                                                # [different]
    return (last - (counts - 1) / 2)[place].tolist()
