"""The benchmark of frozen features: its sentences, its two readers on toys, and what its committed log says."""

import json
import sys
from statistics import mean

import pytest
import torch

from minibert.finetuning import TextExample
from minibert.hub.find_pretrained import SMALL
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import finetuning_data as data
import log
import transfer
import transfer_models as models

LABELS = data.SENTIMENTS


def test_the_sentences_of_the_adaptation_are_none_that_is_tested_on(needs_shared_data):
    found = models.sentences()
    assert len(found) == len(set(found)) == 25_098
    held_out = {
        text.lower()
        for name in models.ADAPTED_ON
        for split in ("dev", "test")
        for text in models.texts_of(getattr(data.dataset(name), split))
    }
    assert not held_out & {text.lower() for text in found}


def test_texts_of_pairs_come_one_after_the_other():
    pairs = [TextExample("a b", "c", 1.0), TextExample("d ", "e", 2.0)]
    assert models.texts_of(pairs) == ["a b", "c", "d", "e"]


@pytest.fixture
def toy(monkeypatch):
    """Labels that one feature of four decides; and the features of each split."""
    generator, examples, features = torch.Generator().manual_seed(0), {}, {}
    for split, count in (("train", 400), ("dev", 100), ("test", 100)):
        rows = torch.randn(count, 4, generator=generator)
        rows[:, 3] += 50  # a mean that says nothing
        examples[split] = [TextExample("", label=LABELS[int(row[1] > 0)]) for row in rows]
        features[split] = {"word layer": rows, "last layer": torch.zeros(count, 2)}
    found = data.Dataset(**examples, labels=LABELS)
    monkeypatch.setattr(transfer, "dataset", lambda name: found)
    return features


def test_a_logistic_regression_reads_what_is_there_and_nothing_else(toy):
    assert min(transfer.classified("SST-2", toy, "word layer").values()) > 0.95
    assert max(transfer.classified("SST-2", toy, "last layer").values()) < 0.65
    assert min(transfer.classified("SST-2", toy, "word and last layer").values()) > 0.95


@pytest.fixture
def alike(monkeypatch):
    """Pairs whose likeness is in two quiet dimensions of six; two more are loud, two are noise."""
    generator, examples, features = torch.Generator().manual_seed(0), {}, {}
    loudness = torch.tensor([0.1, 0.1, 5.0, 5.0, 0.1, 0.1])
    for split, count in (("train", 600), ("dev", 200), ("test", 200)):
        rows = torch.randn(2 * count, 6, generator=generator)
        labels = torch.cosine_similarity(rows[::2, :2], rows[1::2, :2])
        rows[1::2, 2:4] = rows[::2, 2:4] + torch.randn(count, 2, generator=generator)
        features[split] = {"word layer": rows * loudness + 3, "last layer": rows[:, 4:]}
        examples[split] = [TextExample("", "", 2.5 + 2.5 * label) for label in labels.tolist()]
    found = data.Dataset(**examples)
    monkeypatch.setattr(transfer, "dataset", lambda name: found)
    return features


def test_whitening_makes_quiet_dimensions_heard_and_a_map_finds_the_right_ones(alike, monkeypatch):
    monkeypatch.setattr(transfer, "MAP_RATE", 0.03)  # for a toy of 600 pairs
    torch.manual_seed(0)
    plain, white, mapped = (
        transfer.compared(alike, "word layer", how) for how in ("plain", "whitened", "mapped")
    )
    assert plain["test"] + 0.1 < white["test"] < mapped["test"] - 0.1
    assert mapped["epoch"] in range(1, transfer.MAP_EPOCHS + 1)


def test_the_last_layer_counts_half_beside_the_word_layer(alike, monkeypatch):
    both = transfer.compared(alike, "word and last layer", "whitened")
    monkeypatch.setattr(transfer, "LAST_COUNTS", 0.0)
    alone = transfer.compared(alike, "word and last layer", "whitened")
    assert alone == transfer.compared(alike, "word layer", "whitened") != both


def test_a_row_is_kept(toy, monkeypatch, tmp_path):
    monkeypatch.setattr(transfer, "CACHE", tmp_path)
    monkeypatch.setattr(transfer, "vectors", lambda *_: toy)
    row = transfer.measure(f"SST-2, {SMALL}, word layer", None)
    (kept,) = tmp_path.glob("*.json")
    assert json.loads(kept.read_text()) == row
    kept.write_text('{"test": 0}')
    assert transfer.measure(f"SST-2, {SMALL}, word layer", None) == {"test": 0}


# -- the committed log -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    found = {}
    for row in json.loads((log.LOGS / "transfer.json").read_text(encoding="utf-8"))["rows"]:
        found.setdefault(row["variant"], []).append(row)
    return found


def average(rows, variant, split="test"):
    return mean(row[split] for row in rows[variant])


def test_every_row_is_there(rows):
    assert sorted(
        (row["variant"], str(row["seed"])) for some in rows.values() for row in some
    ) == sorted((variant, str(seed)) for variant, seed in transfer.ROWS)


def test_a_frozen_layer_knows_more_than_an_untrained_one_but_sentiment_not_where_it_reads(rows):
    """Pretraining puts sentiment into the word layer, and its other layers add nothing to that."""
    for name in transfer.CLASSES:
        for reading in ("word layer", "last layer"):
            trained = average(rows, f"{name}, {SMALL}, {reading}")
            assert trained > average(rows, f"{name}, untrained, {reading}") + 0.04, name
    sentiment = {
        reading: average(rows, f"SST-2, {SMALL}, {reading}", "dev") for reading in transfer.READINGS
    }
    assert sentiment["word layer"] > sentiment["last layer"] + 0.02
    assert sentiment["last layer"] > sentiment["pooler"]


def test_whitening_mends_similarity_without_labels_and_for_the_untrained_model_too(rows):
    for model in (SMALL, "untrained"):
        plain, white, mapped = (
            average(rows, f"STS-B, {model}, word layer, {how}")
            for how in ("plain", "whitened", "mapped")
        )
        assert plain + 0.1 < white < mapped - 0.03, model
    ahead = average(rows, f"STS-B, {SMALL}, word and last layer, mapped") - max(
        average(rows, f"STS-B, untrained, {layer}, mapped") for layer in transfer.SIMILARITY
    )
    assert 0 < ahead < 0.04  # the mark was 0.04


def test_masked_words_on_the_training_sentences_help_with_masked_words(rows):
    before, after = (rows[f"masked words, {model}"][0] for model in (SMALL, models.ADAPTED))
    assert after["accuracy"] > before["accuracy"] and after["loss"] < before["loss"]


def test_the_vocabulary_splits_the_words_that_tell_more_often_than_others_as_frequent(rows):
    (found,) = rows["vocabulary"]
    assert found["split_telling"] > found["split_as_frequent"] + 0.15
    assert found["split_as_frequent"] > found["split"] + 0.15  # rarer words have more pieces
