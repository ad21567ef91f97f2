"""The benchmark of sentence vectors: its log has every row, and its runs are those of the published commands."""

import argparse
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import log
import sentences

from minibert.cli.train_sentences import add
from minibert.hub.find_pretrained import SENTENCES


@pytest.fixture(scope="module")
def written():
    return json.loads((log.LOGS / "sentences.json").read_text(encoding="utf-8"))


def test_the_log_has_every_row_within_its_bands(written):
    assert [(row["variant"], row["seed"]) for row in written["rows"]] == sentences.ROWS
    assert written["bands"] == json.loads(json.dumps(sentences.BANDS))
    for row in written["rows"]:
        low, high = sentences.BANDS.get(row["variant"], {}).get("spearman", (-1, 1))
        assert low <= row["spearman"] <= high and row["pairs"] == 1379


def test_the_shipped_encoder_is_that_of_the_first_seed(written):
    scores = {(row["variant"], row["seed"]): row["spearman"] for row in written["rows"]}
    run = (sentences.UNTRAINED_START, 0)
    assert scores[SENTENCES, None] == pytest.approx(scores[run], abs=0.001)
    shipped = json.loads((log.LOGS / "minibert-sentences.json").read_text(encoding="utf-8"))
    found = parsed(shipped["sessions"][0]["command"].split())
    asked = parsed(sentences.command(*run))
    differ = {name for name in found if found[name] != asked[name]}
    assert differ == {"out", "texts_of", "start"}  # paths


def parsed(command: list[str]) -> dict:
    parser = argparse.ArgumentParser()
    add(parser.add_subparsers())
    return vars(parser.parse_args(command[1:]))


def test_every_run_can_be_started():
    """The command's parser takes the options, and no sentence of the benchmark is trained on."""
    for variant in sentences.TRAINED:
        given = parsed(sentences.command(variant, 0))
        names = [Path(name).name for name in (given["valid"], *given["exclude"])]
        assert sorted(names) == [f"stsb-en-{part}.csv.gz" for part in ("dev", "test", "train")]
    assert "--texts-of" in sentences.command("distilled", 0)
    assert "--texts-of" not in sentences.command("distilled, short", 0)
