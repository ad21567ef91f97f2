"""The same search for minibert-small and its shape untrained: what its committed log says."""

import json
import sys
from collections import defaultdict

import pytest

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import equal_search
import log


@pytest.fixture(scope="module")
def rows():
    found = defaultdict(list)
    for row in json.loads((log.LOGS / "equal_search.json").read_text(encoding="utf-8"))["rows"]:
        found[row["variant"]].append(row)
    return found


def test_the_log_is_whole(rows):
    assert [(row["variant"], row["seed"]) for some in rows.values() for row in some] == list(
        equal_search.ROWS
    )


@pytest.mark.parametrize("name, model", equal_search.PAIRS)
def test_what_is_chosen_is_the_best_on_dev(rows, name, model):
    rates = {
        rate: rows[f"{name}, {model}, rate {rate:g}"][0]["dev"] for rate in equal_search.RATES[name]
    }
    chosen = rows[f"{name}, {model}, chosen"]
    assert {rates[row["rate"]] for row in chosen} == {max(rates.values())}
    tried = {"best rate": max(rates.values())} | {
        what: rows[f"{name}, {model}, {what}"][0]["dev"] for what in ("dropout", "longer")
    }
    assert {tried[row["with"]] for row in chosen} == {max(tried.values())}
    if name != "XQuAD":  # which is searched with fewer articles
        assert chosen[0]["dev"] == pytest.approx(max(tried.values()), abs=0.002)  # seed 0, again


def test_what_pretraining_is_worth(rows):
    """With every seed it helps with every set, but hurts similarity where the sentences are read apart."""
    for name, better, worse in (
        ("SST-2", "minibert-small", "untrained"),
        ("TREC", "minibert-small", "untrained"),
        ("STS-B together", "minibert-small", "untrained"),
        ("WNUT17", "minibert-small", "untrained"),
        ("XQuAD", "minibert-small", "untrained"),
        ("STS-B", "untrained", "minibert-small"),
    ):
        assert min(row["test"] for row in rows[f"{name}, {better}, chosen"]) > max(
            row["test"] for row in rows[f"{name}, {worse}, chosen"]
        ), name


def test_similarity_needs_both_sentences_together(rows):
    """The best way for the pretrained model is ahead of the best way for the untrained one."""
    together = [row["test"] for row in rows["STS-B together, minibert-small, chosen"]]
    apart = [row["test"] for row in rows["STS-B, untrained, chosen"]]
    assert min(together) > max(apart)
