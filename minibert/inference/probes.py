"""Probes, which are linear classifiers on hidden states, and controls for them.

A probe tests whether hidden states contain some information in a linearly decodable form.
"""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.config import InputError
from minibert.hub.tokenizer_files import listed
from minibert.inference.checks import check_kind, check_number

MOST_STEPS = 200  # of the optimiser that fits a probe


@dataclass(frozen=True)
class Probe:
    """A linear classifier on vectors: softmax((x - mean) / deviation · W + b)."""

    labels: list[Any]  # the C classes, sorted
    weight: Tensor  # [H, C]
    bias: Tensor  # [C]
    mean: Tensor  # [H], of the training vectors
    deviation: Tensor  # [H], standard deviation of the training vectors

    def predict(self, vectors: Tensor) -> list[Any]:
        """The most probable label for each of the vectors [N, H]."""
        check_kind("vectors", vectors, Tensor)
        if vectors.dim() != 2 or vectors.size(1) != len(self.mean):
            raise InputError(
                f"vectors must have the shape [texts, {len(self.mean)}], not {list(vectors.shape)}"
            )
        scores = _scaled(vectors, self.mean, self.deviation) @ self.weight + self.bias  # [N, C]
        return [self.labels[i] for i in scores.argmax(-1).tolist()]

    def accuracy(self, vectors: Tensor, labels: Sequence[Any]) -> float:
        """The share of the vectors [N, H] whose label is predicted correctly."""
        _check_labels(vectors, labels)
        return sum(
            predicted == label
            for predicted, label in zip(self.predict(vectors), labels, strict=True)
        ) / len(labels)


def train_probe(vectors: Tensor, labels: Sequence[Any], penalty: float = 1.0) -> Probe:
    """Fit a multinomial logistic regression on fixed vectors [N, H].

        min over W, b   - Σ_n log softmax(x_n W + b)_(y_n)  +  penalty / 2 · |W|²

    (Alain & Bengio 2016, "Understanding intermediate layers using linear classifier probes"). Every
    feature is standardised to mean 0 and deviation 1 first. The problem is convex, so L-BFGS finds
    its only solution, without a seed or a learning rate; it computes in float64. Linear regression
    on one-hot targets would have a closed form, but it masks classes that lie between others, such
    as the middle one of three positions in a row (Hastie et al. 2009, section 4.2).

    Raises an InputError for other shapes, vectors that are not finite, fewer than two classes, or a
    penalty that is not above 0.
    """
    _check_labels(vectors, labels)
    if not vectors.isfinite().all():
        raise InputError("vectors hold NaN or infinite numbers")
    if not isinstance(penalty, int | float) or not 0 < penalty < math.inf:
        raise InputError(f"penalty must be above 0 and finite, not {penalty!r}")
    vectors, classes = vectors.detach(), _sorted("labels", labels)
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
    optimizer = torch.optim.LBFGS(
        [weight, bias], max_iter=MOST_STEPS, tolerance_grad=1e-5, line_search_fn="strong_wolfe"
    )

    def objective() -> Tensor:
        optimizer.zero_grad()
        value = (
            F.cross_entropy(x @ weight + bias, y) + penalty / (2 * len(x)) * weight.square().sum()
        )
        value.backward()
        return value

    with torch.enable_grad():
        optimizer.step(objective)
    return Probe(classes, weight.detach(), bias.detach(), mean, deviation)


def majority_accuracy(train_labels: Sequence[Any], test_labels: Sequence[Any]) -> float:
    """The accuracy on the test labels of always predicting the most frequent training label.

    Raises an InputError where there are no labels.
    """
    train_labels = _listed_labels("train_labels", train_labels)
    test_labels = _listed_labels("test_labels", test_labels)
    if not len(train_labels) or not len(test_labels):
        raise InputError("train_labels and test_labels need at least one label each")
    _sorted("train_labels", train_labels)
    common = Counter(train_labels).most_common(1)[0][0]
    return sum(label == common for label in test_labels) / len(test_labels)


def control_task(words: Sequence[str], labels: Sequence[Any], seed: int = 0) -> list[Any]:
    """Random labels for a control task: each word type gets one label, the same in every context.

    The labels are drawn in the proportions of `labels` (Hewitt & Liang 2019, "Designing and
    Interpreting Probes with Control Tasks", section 2). A probe can predict them only by memorising
    the words. Its selectivity is its accuracy on the real labels minus its accuracy on these; it is
    high if the probe relies on information in the vectors and not on its own capacity to memorise.

    Pass the words of the training and the test set together, and split the result afterwards, so
    that a word has the same label in both. Raises an InputError if there are not as many words as
    labels.
    """
    words, labels = listed("words", words, "a list of words"), _listed_labels("labels", labels)
    check_number("seed", seed, int)
    if len(words) != len(labels):
        raise InputError(f"there are {len(words)} words, but {len(labels)} labels")
    types = _sorted("words", words)
    drawn = random.Random(seed).choices(list(labels), k=len(types))
    chosen = dict(zip(types, drawn, strict=True))
    return [chosen[word] for word in words]


def _scaled(vectors: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    return (vectors.double() - mean) / deviation  # [N, H]


def _listed_labels(name: str, labels: Any) -> list[Any]:
    if isinstance(labels, Tensor):  # equal numbers in it are not equal keys of a dict
        raise InputError(f"{name} must be a list of labels, not a Tensor: give {name}.tolist()")
    return listed(name, labels, "a list of labels")


def _sorted(name: str, values: Sequence[Any]) -> list[Any]:
    """The different ones of words or labels, in order."""
    try:
        return sorted(set(values))
    except TypeError as error:
        raise InputError(f"{name} must be all texts or all numbers: {error}") from error


def _check_labels(vectors: Tensor, labels: Sequence[Any]) -> None:
    check_kind("vectors", vectors, Tensor)
    labels = _listed_labels("labels", labels)
    if vectors.dim() != 2 or len(vectors) != len(labels) or not len(labels):
        raise InputError(
            "vectors must have the shape [labels, hidden], with at least one label: not "
            f"{list(vectors.shape)} for {len(labels)} labels"
        )
