"""ROUGE: which of several references counts, which of the two ROUGE-L is which, and the band of a
mean."""

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from minibert.summarization import rouge as module
from minibert.summarization.rouge import bootstrap_band, mean_rouge, rouge_scores


def f1(common: int, found: int, wanted: int) -> float:
    return 100 * 2 * common / (found + wanted) if common else 0.0


def test_by_hand():
    scores = rouge_scores(
        ["The cats sat down.", "A dog ran."], [["A cat sat.", "The dog was running away."]]
    )
    # stemmed: the cat sat down a dog ran | a cat sat the dog wa run awai: cat, sat, a, the and dog
    # of 7 and 8 words
    assert scores["rouge1"] == pytest.approx(f1(5, 7, 8)) and scores["rouge2"] == pytest.approx(
        f1(1, 6, 7)
    )
    assert scores["rougeL"] == pytest.approx(f1(3, 7, 8))  # cat sat dog, across both texts
    # united for each sentence of the reference: 'a cat sat' has cat, sat, a; 'the dog was running
    # away' has the, dog
    assert scores["rougeLsum"] == pytest.approx(f1(5, 7, 8))


WORDS = st.lists(st.sampled_from(["a", "b", "cc", "d1"]), min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(WORDS, WORDS)
def test_n_grams_by_counting(mine, theirs):
    """ROUGE-N counts every occurrence, where the oracle's F1 is over sets."""
    scores = rouge_scores([" ".join(mine)], [[" ".join(theirs)]])
    for n in (1, 2):
        found, wanted = (Counter(zip(*(words[i:] for i in range(n)))) for words in (mine, theirs))
        assert scores[f"rouge{n}"] == pytest.approx(
            f1((found & wanted).total(), found.total(), wanted.total())
        )


@settings(deadline=None, max_examples=60)
@given(WORDS, WORDS)
def test_on_single_sentences_both_rouge_l_are_one(mine, theirs):
    scores = rouge_scores([" ".join(mine)], [[" ".join(theirs)]])
    assert scores["rougeL"] == pytest.approx(scores["rougeLsum"])


def test_the_reference_with_the_best_rouge_1_gives_all_four():
    summary, one, other = ["a b c d"], ["d c b a"], ["a b x y z"]
    scores = rouge_scores(summary, [other, one])
    assert (
        scores == rouge_scores(summary, [one])
        and scores["rouge1"] == pytest.approx(100)
        and scores["rouge2"] == 0
    )
    assert rouge_scores(summary, [other])["rouge2"] > 0, (
        "rouge-score's own score_multi would mix the two"
    )


def test_it_is_rouge_score_with_its_stemmer():
    summary, reference = (
        ["He was running.", "She jumps."],
        ["Runs and jumping were seen.", "He ran."],
    )
    expected = rouge_scorer.RougeScorer(list(module.MEASURES), use_stemmer=True).score(
        "\n".join(reference), "\n".join(summary)
    )
    assert rouge_scores(summary, [reference]) == {
        name: pytest.approx(100 * score.fmeasure) for name, score in expected.items()
    }
    assert rouge_scores(["running"], [["runs"]])["rouge1"] == pytest.approx(100)


def test_line_breaks_inside_a_sentence_do_not_end_it():
    assert rouge_scores(["a b\nc d", "e"], [["c d a b", "e"]]) == rouge_scores(
        ["a b c d", "e"], [["c d a b", "e"]]
    )


def test_nothing_scores_nothing():
    for summary, reference in (([], ["a"]), ([""], ["a"]), (["a"], []), (["東京"], ["東京"])):
        assert set(rouge_scores(summary, [reference]).values()) == {0.0}


def test_means_over_documents():
    means = mean_rouge([["a b"], ["c"]], [[["a b"]], [["x"], ["y"]]])
    assert means == {"rouge1": 50, "rouge2": 50, "rougeL": 50, "rougeLsum": 50}


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: rouge_scores("a text", [["a"]]), r"summary is one string \('a text'\)"),
        (lambda: rouge_scores(["a"], ["a text"]), r"references\[0\] is one string"),
        (
            lambda: rouge_scores(["a"], "a text"),
            "references is 'a text'; expected a list of at least one reference",
        ),
        (lambda: rouge_scores(["a"], []), r"references is \[\]"),
        (lambda: mean_rouge([["a"]], []), "1 summaries and references for 0"),
        (lambda: mean_rouge([], []), "0 summaries and references for 0"),
        (lambda: bootstrap_band([]), r"values must be a list of numbers.*\[0\]"),
        (
            lambda: bootstrap_band([1.0], resamples=-1),
            "resamples must be a whole number of at least",
        ),
        (lambda: bootstrap_band([[1.0]]), r"of shape \[1, 1\]"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    module._scorer.cache_clear()
    with pytest.raises(
        ValueError, match="package rouge-score, which is not installed: pip install rouge-score"
    ):
        rouge_scores(["a"], [["a"]])


def test_the_band_of_a_mean():
    values = np.random.default_rng(1).normal(30, 10, size=400)
    low, high = bootstrap_band(values)
    half = 1.96 * values.std() / 20  # what the central limit theorem says
    assert (low, high) == (
        pytest.approx(values.mean() - half, abs=0.15),
        pytest.approx(values.mean() + half, abs=0.15),
    )
    assert bootstrap_band(values) == (low, high) != bootstrap_band(values, seed=1)
    assert bootstrap_band([3.0]) == bootstrap_band([3.0, 3.0]) == (3.0, 3.0)


def test_two_thousand_samples_unless_told_otherwise():
    """With which the bands in the logs and the chapter were drawn: another number of them, other
    bands in the last digit."""
    values = np.random.default_rng(0).normal(size=30)
    assert (
        bootstrap_band(values)
        == bootstrap_band(values, seed=0, resamples=2000)
        != bootstrap_band(values, seed=0, resamples=1999)
    )
