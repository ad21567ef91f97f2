"""Probes: linear classifiers on hidden states, which show what can be read off them, and their
controls.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.config import InputError

MOST_STEPS = 200  # of the search for a probe's weights


@dataclass(frozen=True)
class Probe:
    """A linear classifier on vectors: softmax((x - mean) / deviation · W + b)."""

    labels: list[Any]  # the C classes, in order
    weight: Tensor  # [H, C]
    bias: Tensor  # [C]
    mean: Tensor  # [H], of the training vectors
    deviation: Tensor  # [H], of the training vectors

    def predict(self, vectors: Tensor) -> list[Any]:
        """The likeliest label of each of the vectors [N, H]."""
        scores = _scaled(vectors, self.mean, self.deviation) @ self.weight + self.bias  # [N, C]
        return [self.labels[i] for i in scores.argmax(-1).tolist()]

    def accuracy(self, vectors: Tensor, labels: Sequence[Any]) -> float:
        """The share of vectors [N, H] whose label is found."""
        _check_labels(vectors, labels)
        return sum(
            found == wanted for found, wanted in zip(self.predict(vectors), labels, strict=True)
        ) / len(labels)


def train_probe(vectors: Tensor, labels: Sequence[Any], penalty: float = 1.0) -> Probe:
    """Multinomial logistic regression on vectors [N, H] that stay as they are.

    It answers what a linear map can read off them.

        min over W, b   - Σ_n log softmax(x_n W + b)_(y_n)  +  penalty / 2 · |W|²

    (Alain & Bengio 2016, "Understanding intermediate layers using linear classifier probes"). The
    problem is convex and L-BFGS goes to its one solution in float64: no seed, no learning rate. A
    regression on one-hot targets would need no search, but it hides classes that lie between
    others, such as the middle one of three positions in a row (Hastie et al. 2009, section 4.2).
    Every number of a vector is brought to mean 0 and deviation 1 first.

    Errors: a ValueError for other shapes, fewer than two classes, or a penalty that is not above 0.
    """
    _check_labels(vectors, labels)
    if not penalty > 0:
        raise InputError(f"penalty must be above 0, not {penalty!r}")
    classes = sorted(set(labels))
    if len(classes) < 2:
        raise InputError(f"a probe needs at least two different labels, not only {classes[0]!r}")
    mean, deviation = vectors.double().mean(0), vectors.double().std(0, correction=0)  # [H], [H]
    deviation = torch.where(deviation > 0, deviation, 1.0)  # [H]
    x, y = (
        _scaled(vectors, mean, deviation),
        torch.tensor([classes.index(label) for label in labels]),
    )  # [N, H], [N]
    weight = torch.zeros(x.size(1), len(classes), dtype=x.dtype, requires_grad=True)  # [H, C]
    bias = torch.zeros(len(classes), dtype=x.dtype, requires_grad=True)  # [C]
    search = torch.optim.LBFGS(
        [weight, bias], max_iter=MOST_STEPS, tolerance_grad=1e-5, line_search_fn="strong_wolfe"
    )

    def objective() -> Tensor:
        search.zero_grad()
        value = (
            F.cross_entropy(x @ weight + bias, y) + penalty / (2 * len(x)) * weight.square().sum()
        )
        value.backward()
        return value

    with torch.enable_grad():
        search.step(objective)
    return Probe(classes, weight.detach(), bias.detach(), mean, deviation)


def majority_accuracy(train_labels: Sequence[Any], test_labels: Sequence[Any]) -> float:
    """What always answering with the most frequent label of the training set would score."""
    common = Counter(train_labels).most_common(1)[0][0]
    return sum(label == common for label in test_labels) / len(test_labels)


def control_task(words: Sequence[str], labels: Sequence[Any], seed: int = 0) -> list[Any]:
    """Labels that say nothing: every word type gets one at random, as often as `labels` has it, and
    keeps it everywhere.

    Hewitt & Liang 2019, "Designing and Interpreting Probes with Control Tasks", section 2. Who
    finds these has learned the words by heart. A probe's selectivity is its accuracy on the real
    labels less its accuracy on these: a good probe is right because of what the vectors hold, and
    not because it is able to learn anything.

    Give the words of training and test together, and cut the result apart: a word has one label in
    both.
    """
    if len(words) != len(labels):
        raise InputError(f"there are {len(words)} words, but {len(labels)} labels")
    types = sorted(set(words))
    drawn = random.Random(seed).choices(list(labels), k=len(types))
    chosen = dict(zip(types, drawn, strict=True))
    return [chosen[word] for word in words]


def _scaled(vectors: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    return (vectors.double() - mean) / deviation  # [N, H]


def _check_labels(vectors: Tensor, labels: Sequence[Any]) -> None:
    if vectors.dim() != 2 or len(vectors) != len(labels) or not len(labels):
        raise InputError(
            "vectors must have the shape [labels, hidden], with at least one label: not "
            f"{list(vectors.shape)} for {len(labels)} labels"
        )
