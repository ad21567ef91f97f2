"""The benchmark of the model inside the package: its log, what the book quotes of it, and that it can be repeated."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import log
import shipped


@pytest.fixture(scope="module")
def rows():
    found = {}
    for row in json.loads((log.LOGS / "shipped.json").read_text(encoding="utf-8"))["rows"]:
        found.setdefault(row["variant"], []).append(row)
    return found


def values(rows, variant, name):
    return [row[name] for row in rows[variant]]


def test_every_row_is_there_and_beside_its_control(rows):
    assert [(row["variant"], row["seed"]) for some in rows.values() for row in some] == shipped.ROWS
    assert all(
        len(rows[variant]) == 3
        for variant in ("masked words", "unigram guess", "untrained, masked words", "next sentence")
    )
    guess, untrained = (
        max(values(rows, "unigram guess", "top1")),
        max(values(rows, "untrained, masked words", "top1")),
    )
    assert max(guess, untrained) < 0.06 < 0.44 <= min(values(rows, "masked words", "top1"))
    assert (
        abs(
            min(values(rows, "masked words", "top1"))
            - min(values(rows, "masked words, rows of 512", "top1"))
        )
        < 0.03
    ), "long rows are no harder"
    assert max(values(rows, "masked words", "bits_per_word")) < 0.45 * min(
        values(rows, "unigram guess", "bits_per_word")
    )
    assert (
        max(values(rows, "untrained, prompts", "first")) <= 1
        and values(rows, "prompts", "first")[0] >= 18
    )


def test_copying_makes_the_published_masking_easier(rows):
    assert max(values(rows, "masked words", "top1")) < min(
        values(rows, "masked words, 80/10/10", "top1")
    )


def test_next_sentence_is_topic_more_than_order(rows):
    for row in rows["next sentence"]:
        assert row["accuracy"] > row["order_accuracy"] and row["accuracy"] >= 0.85
        assert row["accuracy"] == pytest.approx(
            (row["following"] + row["other_document"]) / 2, abs=1e-4
        )
        assert row["order_accuracy"] == pytest.approx(
            (row["following"] + row["swapped"]) / 2, abs=1e-4
        )
    assert all(0.4 < row["accuracy"] < 0.6 for row in rows["untrained, next sentence"])


def test_without_the_held_out_text_a_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(shipped, "HELD_OUT", tmp_path / "valid.jsonl.xz")
    shipped.held_out.cache_clear()
    with pytest.raises(
        ValueError, match="there is no valid.jsonl.xz in .*on the developers' machines only"
    ):
        shipped.measure("masked words", 0)


@pytest.mark.slow
def test_the_benchmark_can_be_repeated(needs_shared_corpus, capsys):
    assert shipped.main(["--check"]) == 0, capsys.readouterr().out
