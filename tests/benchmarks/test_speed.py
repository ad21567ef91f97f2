"""The benchmarks of speed: the contestants are what they are said to be, and the committed logs reach what is promised."""

import json
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import contestants
import equal_time
import log
import speed

from minibert import WordPieceTokenizer
from minibert.data import TokenFile, write_tokens
from minibert.pretraining.validation import ValidationSet
from minibert.tokenization import SPECIAL_TOKENS

SHAPE = contestants.config(2, 64, 100)


def rows_of(name: str) -> dict:
    return {
        row["variant"]: row
        for row in json.loads((ROOT / "benchmarks" / "logs" / f"{name}.json").read_text())["rows"]
    }


# Contestants


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_the_careful_peer_learns_what_minibert_learns(attention, optimizer):
    """The same model, trained the same way: from the same weights, the same losses to bfloat16's rounding."""
    torch.manual_seed(0)
    mine = contestants.ours(SHAPE, optimizer)
    its = contestants.careful(SHAPE, optimizer, attention)
    equal_time.Run._copy(mine.model, its.model)
    batches = [contestants.random_batch(100, 8, 16, None, seed) for seed in range(4)]
    for batch in batches * 2:
        assert mine.step(batch) == pytest.approx(its.step(batch), abs=0.01)
    assert (
        mine.loss(batches[0]).item() < 0.95 * contestants.ours(SHAPE).loss(batches[0]).item()
    )  # it has learned


@pytest.mark.parametrize("make", [contestants.default, contestants.plain, contestants.ours])
def test_every_contestant_learns_padded_rows(make):
    torch.manual_seed(0)
    contestant = make(contestants.config(2, 64, 100, dropout=0.0))
    batch = contestants.random_batch(100, 8, 16, [16, 9, 5], seed=0)
    before = contestant.loss(batch).item()
    for _ in range(5):
        contestant.step(batch)
    assert contestant.loss(batch).item() < before - 0.1


def test_as_it_comes_means_the_peers_own_values():
    import transformers

    shape, own = (
        contestants.peer(contestants.config(2, 64, 100, dropout=0.1)).config,
        transformers.BertConfig(),
    )
    for name in (
        "hidden_dropout_prob",
        "attention_probs_dropout_prob",
        "hidden_act",
        "initializer_range",
    ):
        assert getattr(shape, name) == getattr(own, name)


def test_rows_are_filled_as_announced():
    lengths = contestants.even_lengths(128, 0.6)
    assert (
        len(lengths) == 32
        and sum(lengths) / 32 / 128 == pytest.approx(0.6, abs=0.005)
        and min(lengths) > 0
        and max(lengths) <= 128
    )
    batch = contestants.random_batch(100, 32, 128, lengths, seed=0)
    assert batch["attention_mask"].sum(1).tolist() == lengths
    assert (
        not batch["input_ids"][~batch["attention_mask"]].any()
        and (batch["labels"][~batch["attention_mask"]] == -100).all()
    )
    assert contestants.random_batch(100, 32, 128, None, seed=0)["attention_mask"] is None


# The log


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A benchmark of two values, of which one depends on the machine; returns a function that runs it."""
    monkeypatch.setattr(log, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(log, "ROOT", tmp_path)
    (tmp_path / "toy.py").write_text("# a benchmark")
    values = {"loss": 1.0, "speed": 100.0}
    asked = []

    def run(*argv, checked=None):
        asked.clear()
        return log.run(
            str(tmp_path / "toy.py"),
            "a toy",
            lambda variant, seed: asked.append((variant, seed)) or dict(values),
            [("a", 0), ("a", 1), ("b", 0)],
            {},
            tolerance={"loss": 0.1},
            argv=list(argv),
            checked=checked,
        )

    run.values, run.asked = values, asked
    return run


def test_only_values_with_a_tolerance_are_compared(toy):
    assert toy() == 0
    toy.values["speed"] = 7.0
    assert toy("--check") == 0
    toy.values["loss"] = 1.2
    assert toy("--check") == 1


def test_a_check_can_be_a_part(toy):
    assert toy() == 0 and toy("--check") == 0 and toy.asked == [("a", 0), ("b", 0)]
    assert toy("--check", checked=[("a", 1)]) == 0 and toy.asked == [("a", 1)]


# Equal time


@pytest.fixture
def small_corpus(tmp_path, monkeypatch):
    """equal_time with random text and a small model; its rows are kept in a folder of their own."""
    tokenizer = WordPieceTokenizer(
        {token: i for i, token in enumerate([*SPECIAL_TOKENS, *(f"w{i}" for i in range(95))])}
    )
    draw = torch.Generator().manual_seed(0)
    write_tokens(
        tmp_path / "train.tokens",
        [torch.randint(5, 100, (20, 9), generator=draw).tolist() for _ in range(12)],
        100,
    )
    train = TokenFile(tmp_path / "train.tokens")
    monkeypatch.setattr(
        equal_time,
        "corpus",
        lambda: (tokenizer, train, ValidationSet(train, train, tokenizer, 128, 4)),
    )
    monkeypatch.setattr(equal_time, "SHAPE", (1, 64, 100))
    monkeypatch.setattr(equal_time, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(equal_time, "BUDGET", 0.5)


def test_the_rows_of_equal_time_fit_together():
    names = [row for row in equal_time.ROWS if row[1] is not None]
    assert (
        len(set(names)) == len(names)
        and {name for name, _ in names} == equal_time.ALL.keys()
        and set(equal_time.CHECKED) <= set(names)
    )
    for recipe in equal_time.ALL.values():
        assert recipe.steps_of is None or equal_time.ALL[recipe.steps_of].peer
    mine, its = equal_time.RECIPES["AdamW, half the time"], equal_time.RECIPES["peer, AdamW"]
    assert equal_time.replace(mine, peer=True, share=1.0) == its  # the same recipe


def test_short_rows_come_first_with_as_many_tokens(small_corpus):
    run = equal_time.Run(equal_time.POST, seed=0, steps=10)
    shapes = [tuple(run._batch(number)["input_ids"].shape) for number in range(10)]
    assert shapes == [(64, 32)] * 6 + [(16, 128)] * 4
    again = equal_time.Run(equal_time.POST, seed=0, steps=10)
    assert torch.equal(run._batch(3)["labels"], again._batch(3)["labels"])


@pytest.mark.parametrize("recipe", [equal_time.PEER, equal_time.PRE])
def test_a_run_is_the_same_again_and_is_not_made_twice(small_corpus, recipe, monkeypatch):
    monkeypatch.setattr(equal_time, "ALL", {"x": recipe, "peer, AdamW": equal_time.PEER})
    monkeypatch.setattr(equal_time, "seconds_per_step", lambda: {"x": 0.1, "peer, AdamW": 0.25})
    first = equal_time.measure("x", 0)
    assert first.pop("below_peer") == pytest.approx(
        equal_time.measure("peer, AdamW", 0)["mlm_loss"] - first["mlm_loss"], abs=2e-4
    )
    assert (
        first["steps"] == 5
        and first["tokens"] == 5 * 16 * 128
        and first["curve"][-1] == [0.5, first["mlm_loss"]]
    )
    assert equal_time.train(recipe, 0, 5, 0.1) == first != equal_time.train(recipe, 1, 5, 0.1)
    monkeypatch.setattr(equal_time, "train", None)
    assert equal_time.measure("x", 0).items() >= first.items()


# What is promised


@pytest.mark.parametrize("size", speed.SIZES)
def test_the_committed_log_of_speed_keeps_what_is_promised(size):
    rows = {
        name.removeprefix(f"{size}: "): row
        for name, row in rows_of("speed").items()
        if name.startswith(size)
    }
    assert rows.keys() == {*speed.VARIANTS, "where the time goes"}
    careful = rows["transformers, careful"]
    assert careful["times"] >= 1.8 and careful["memory_share"] < 0.5
    default = rows["transformers, default, 60% filled"]
    assert default["times"] >= 7 and default["memory_share"] < 0.5
    assert rows["minibert"]["share_of_peak"] >= 0.4
    shares = rows["where the time goes"]
    assert sum(
        value for value in shares.values() if isinstance(value, float) and value < 1
    ) == pytest.approx(1, abs=0.02)


def test_the_committed_log_of_equal_time_keeps_what_is_promised():
    """Three seeds: the peer's loss in half its time with its own recipe, in a quarter with ours; far below what no context gives."""
    rows = json.loads((ROOT / "benchmarks" / "logs" / "equal_time.json").read_text())["rows"]
    assert [(row["variant"], row["seed"]) for row in rows] == equal_time.ROWS
    for name in (
        "AdamW, half the time",
        "best, post-norm, a third of the time",
        "best, post-norm, a quarter of the time",
        "best, pre-norm, a third of the time",
        "best, post-norm",
        "best, pre-norm",
    ):
        runs = [row for row in rows if row["variant"] == name]
        assert [row["seed"] for row in runs] == [0, 1, 2] and all(
            row["below_peer"] > 0 for row in runs
        ), name
    assert all(
        row["mlm_loss"] < row["unigram_loss"] - 0.5
        for row in rows
        if row["variant"].startswith(("peer", "best"))
    )
