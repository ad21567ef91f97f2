"""Scores against scipy and against a confusion matrix."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import pearsonr, rankdata, spearmanr

from minibert.config import InputError
from minibert.finetuning import answer_f1, entity_f1, exact_match
from minibert.finetuning.metrics import _ranks, accuracy, macro_f1, pearson, spearman

DRAW = np.random.default_rng(0)
FOUND, WANTED = DRAW.normal(size=200), DRAW.normal(size=200)
LISTS = {
    "independent": (FOUND, WANTED),
    "related": (FOUND, FOUND + WANTED),
    "opposite": (FOUND, -3 * FOUND + 1),
    "many ties": (DRAW.integers(0, 4, 200), DRAW.integers(0, 3, 200)),
    "far from 0": (1e6 + FOUND, 1e-6 * (FOUND + WANTED)),
    "large and small": (1e12 * FOUND, 1e-12 * (FOUND - WANTED)),
    "a scale that squares to 0": (1e-160 * FOUND, 1e160 * (FOUND - WANTED)),
    "curved": (FOUND, np.exp(3 * FOUND)),
    "two numbers": ([1.0, 2.0], [5.0, 3.0]),
}


@pytest.mark.parametrize("name", LISTS)
def test_correlations_are_those_of_scipy(name):
    found, wanted = (list(map(float, values)) for values in LISTS[name])
    assert pearson(found, wanted) == pytest.approx(pearsonr(found, wanted).statistic, abs=1e-9)
    assert spearman(found, wanted) == pytest.approx(spearmanr(found, wanted).statistic, abs=1e-12)
    assert -1 <= pearson(found, wanted) <= 1 and -1 <= spearman(found, wanted) <= 1


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9 + 0.1])
def test_a_list_that_never_changes_correlates_with_nothing(constant):
    for measure in (pearson, spearman):
        assert (
            measure([constant] * 3, [0.1, 0.7, 0.2])
            == measure([0.1, 0.7, 0.2], [constant] * 3)
            == measure([constant] * 3, [0.7] * 3)
            == 0.0
        )


def test_only_the_order_counts_in_ranks():
    assert (
        spearman([1, 10, 100, 1000], [0.1, 0.2, 0.3, 0.30001]) == pytest.approx(1.0)
        and pearson([1, 10, 100, 1000], [1, 2, 3, 4]) < 0.9
    )
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(
        spearmanr([1, 2.5, 2.5, 4], [1, 2, 3, 4]).statistic
    )


@pytest.mark.parametrize("name", LISTS)
def test_ranks_are_those_of_scipy(name):
    """From 1, and equal numbers share the mean of theirs."""
    for values in LISTS[name]:
        assert _ranks(torch.tensor(values, dtype=torch.float64)) == rankdata(values).tolist()


def macro_f1_by_confusion_matrix(found, wanted):
    """Precision and recall of every class, 0 where they divide by nothing, and their harmonic mean."""
    labels = sorted(set(found) | set(wanted))
    matrix = np.zeros((len(labels), len(labels)))
    np.add.at(
        matrix,
        ([labels.index(label) for label in wanted], [labels.index(label) for label in found]),
        1,
    )
    scores = []
    for i in range(len(labels)):
        precision, recall = (
            matrix[i, i] / total if total else 0.0
            for total in (matrix[:, i].sum(), matrix[i].sum())
        )
        scores.append(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
    return np.mean(scores)


def test_accuracy_and_macro_f1():
    found, wanted = (
        ["abcde"[i] for i in DRAW.choice(5, 300, p=p)]
        for p in ([0.5, 0.3, 0.1, 0.1, 0.0], [0.6, 0.2, 0.1, 0.0, 0.1])
    )
    assert accuracy(found, wanted) == sum(map(str.__eq__, found, wanted)) / 300
    assert macro_f1(found, wanted) == pytest.approx(
        macro_f1_by_confusion_matrix(found, wanted), rel=1e-12
    )


@pytest.mark.parametrize(
    "found, wanted, score",
    [
        (["a", "b"], ["a", "b"], 1.0),
        (["a", "b"], ["b", "a"], 0.0),
        (
            ["a", "a", "a", "a"],
            ["a", "a", "a", "b"],
            (6 / 7 + 0) / 2,
        ),  # the class that is never found counts as much as the other
        (["c"], ["a"], 0.0),
        (["a", "a"], ["a", "a"], 1.0),  # a class that does not occur is none
    ],
)
def test_macro_f1_by_hand(found, wanted, score):
    assert macro_f1(found, wanted) == pytest.approx(score)


@pytest.mark.parametrize("measure", [pearson, spearman])
@pytest.mark.parametrize(
    "found, expected, message",
    [
        ([math.nan] * 3, [3, 1, 2], "needs finite numbers"),
        ([1, 2, math.inf], [3, 2, 1], "needs finite numbers"),
        ([1, 2, 3], [1, math.nan, 2], "needs finite numbers"),
        ([], [], "not 0 and 0 of them"),
        ([1, 2], [1, 2, 3], "not 2 and 3 of them"),
        (["a", "b"], [1, 2], "two lists of numbers"),
        ([None, 1], [1, 2], "two lists of numbers"),
        ([[1, 2], [3, 4]], [1, 2], "not lists of lists"),
    ],
)
def test_correlations_need_two_lists_of_finite_numbers(measure, found, expected, message):
    with pytest.raises(InputError, match=message):
        measure(found, expected)


@pytest.mark.parametrize("measure", [accuracy, macro_f1])
@pytest.mark.parametrize("found", [["a", "b"], []])
def test_lists_of_different_lengths_and_empty_ones_are_an_error(measure, found):
    with pytest.raises(InputError, match=f"not {len(found)} and {len(found) // 2} of them"):
        measure(found, found[: len(found) // 2])


@pytest.mark.parametrize("measure", [exact_match, answer_f1])
@pytest.mark.parametrize("expected", ["rome", [None], [["rome"]]])
def test_expected_answers_are_a_list_of_texts(measure, expected):
    with pytest.raises(InputError, match="must be a list of answers|must be a text, not"):
        measure("rome", expected)


def test_entities_of_as_many_sentences():
    with pytest.raises(InputError, match="there are 1 predicted and 2 gold sentences"):
        entity_f1([["O"]], [["O"], ["O"]])


def test_many_classes_take_no_longer_than_their_number():
    """Every label was counted in the whole list: 40,000 of them took minutes."""
    labels = [str(n) for n in range(40_000)]
    assert macro_f1(labels, labels) == 1.0
