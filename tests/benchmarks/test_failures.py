"""The gallery of failures: each planted mistake is the one that it is called, and the chapters find the logs."""

import dataclasses
import json
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from minibert import BertForPreTraining
from minibert.course.exercises.ch12_when_training_fails.unseen import (
    DIAGNOSES,
    FAULTS,
    NUMBERED,
    POOL,
    TELLS,
    diagnosed_runs,
    drawn,
    evidence,
    measurements,
    numbered_runs,
    recorded_faults,
    second_half,
    unseen_runs,
)
from minibert.course.figures import benchmark_log
from minibert.course.figures import logs as figure_logs
from minibert.heads import class_loss

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import failures
import faults

HEALTHY = failures.Recipe()


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return BertForPreTraining(failures.config(2))


@pytest.fixture(scope="module")
def batch():
    return failures.corrupted(failures.world(0).batch(0, 16), 0)


def test_healthy_losses_are_those_of_the_package(model, batch):
    words, pairs = failures.sick_losses(model, batch, HEALTHY)
    out = model(
        batch["input_ids"],
        token_type_ids=batch["token_type_ids"],
        attention_mask=batch["attention_mask"],
    )
    torch.testing.assert_close(words, class_loss(out.prediction_logits, batch["labels"]))
    torch.testing.assert_close(
        pairs, class_loss(out.seq_relationship_logits, batch["next_sentence_label"])
    )


def test_an_ignored_class_costs_nothing(model, batch):
    sick = dataclasses.replace(HEALTHY, ignored_pair_label=0)
    following = batch | {"next_sentence_label": torch.zeros(16, dtype=torch.long)}
    assert failures.sick_losses(model, following, sick)[
        1
    ].isnan()  # nothing is counted: a mean of nothing
    assert (
        failures.sick_losses(model, batch, sick)[0]
        == failures.sick_losses(model, batch, HEALTHY)[0]
    )


def test_padding_in_the_loss_is_a_mean_over_padding_too(model, batch):
    words, _ = failures.sick_losses(model, batch, dataclasses.replace(HEALTHY, padding_counts=True))
    logits = model(
        batch["input_ids"],
        token_type_ids=batch["token_type_ids"],
        attention_mask=batch["attention_mask"],
    ).prediction_logits
    counted = (batch["labels"] != -100) | ~batch["attention_mask"]
    wanted = F.cross_entropy(logits[counted], batch["labels"].clamp(min=0)[counted])
    torch.testing.assert_close(words, wanted)


def test_repeated_rows_are_the_same_rows_with_other_masks(batch):
    size = HEALTHY.batch_size
    recipe = dataclasses.replace(HEALTHY, different_rows=2 * size, steps=3)
    first, second, third = failures.batches(recipe, 0)

    def truth(rows):
        return rows["input_ids"].where(rows["labels"] == -100, rows["labels"])

    assert torch.equal(truth(first), truth(third)) and not torch.equal(truth(first), truth(second))
    assert not torch.equal(first["labels"], third["labels"])


def test_labels_and_inputs_that_do_not_belong_together(batch):
    (moved,) = failures.batches(failures.Recipe(steps=1, batch_size=16, labels_moved=1), 0)
    assert torch.equal(moved["labels"][1:], batch["labels"][:-1])
    (visible,) = failures.batches(failures.Recipe(steps=1, batch_size=16, answers_visible=True), 0)
    scored = visible["labels"] != -100
    assert torch.equal(visible["input_ids"][scored], visible["labels"][scored])


def test_an_inverted_mask_hides_all_words(batch):
    torch.manual_seed(0)
    broken = failures.plant(
        BertForPreTraining(failures.config(2)), failures.Recipe(mask_inverted=True)
    ).eval()
    inputs = {name: batch[name] for name in ("input_ids", "token_type_ids", "attention_mask")}
    other = batch["input_ids"].clone()
    other[:, 1] = 20
    before = broken(**inputs).prediction_logits[:, 3]
    assert torch.equal(before, broken(**inputs | {"input_ids": other}).prediction_logits[:, 3])


def row_of(variant, seed):
    rows = benchmark_log("failures")["rows"]
    return next(row for row in rows if (row["variant"], row.get("seed")) == (variant, seed))


def test_the_exercise_knows_the_faults_of_the_runs_that_it_draws():
    recipes = failures.VARIANTS | failures.UNSEEN
    assert recipes["live"] == dataclasses.replace(HEALTHY, steps=608, warmup=60)
    assert recipes["unseen A"] == recipes["padding in the loss"]
    assert recipes["unseen B"] == HEALTHY
    assert recipes["unseen C"] == dataclasses.replace(HEALTHY, different_rows=512)
    others = {
        "live": "healthy",
        "unseen A": "padding in the loss",
        "unseen B": "healthy",
        "unseen C": "repeated lines",
    }
    assert {key: others.get(key[0], key[0]) for key in POOL} == POOL


def test_a_number_draws_three_runs_and_tells_nothing_but_their_measurements():
    assert list(recorded_faults(6).values()) == [
        "repeated lines",
        "padding in the loss",
        "healthy",
    ]
    for number in range(20):
        runs = unseen_runs(number)
        assert list(runs) == ["A", "B", "C"] and len(set(drawn(number).values())) == 3
        for name, key in drawn(number).items():
            assert runs[name].curve == second_half(row_of(*key))
            assert runs[name].measure("effect of context") == row_of(*key)["context"]
    assert {key for number in range(20) for key in drawn(number).values()} == {*POOL}
    with pytest.raises(ValueError, match="no measurement is called 'context'"):
        unseen_runs(0)["A"].measure("context")


def test_the_check_and_the_evidence_leave_out_the_runs_that_can_be_drawn():
    assert len(diagnosed_runs()) == len(failures.ROWS) - 1 - len(POOL) == 29
    assert {right for right, _ in diagnosed_runs()} == {*FAULTS}
    assert evidence("too slow", "largest update", seed=1) < 0.001
    for name, seed in (("healthy", 2), ("unseen C", 3), ("live", 0)):
        with pytest.raises(ValueError, match="no known run is called"):
            evidence(name, "largest update", seed)


def test_the_weaker_faults_of_the_check_are_faults_of_the_chapter():
    """They keep the name of their fault, and one lies in strength between the known run and the healthy ones."""
    for variant in failures.WEAKER:
        (row,) = (row for row in benchmark_log("failures")["rows"] if row["variant"] == variant)
        fault = DIAGNOSES[variant]
        what = TELLS[fault]
        ends = evidence(fault, what), evidence("healthy", what)
        assert min(ends) < measurements(row)[what] < max(ends)
    assert {name for name in DIAGNOSES if name != "live"} == {*failures.WEAKER}


def test_the_training_losses_of_different_faults_overlap():
    """Chapter 12: a curve does not name a fault. Wrong rates end above and below other labels."""
    (slow,), (fast,) = (
        [
            row["printed_word_loss"]
            for row in benchmark_log("failures")["rows"]
            if row["variant"] == name
        ]
        for name in ("a tenth of the rate", "ten times the rate")
    )
    for seed in failures.SEEDS:
        labels = row_of("labels of other rows", seed)["printed_word_loss"]
        assert row_of("mask inverted", seed)["printed_word_loss"] < slow < labels < fast
    assert "training MLM loss" not in measurements(row_of("healthy", 0))


def test_the_numbered_runs_are_three_seeds_of_one_variant_each():
    for name, rows in numbered_runs().items():
        assert [(row["variant"], row["seed"]) for row in rows] == [
            (NUMBERED[name], seed) for seed in failures.SEEDS
        ]


def test_the_printed_sum_does_not_separate_the_runs_that_can_be_drawn():
    """Healthy runs are further apart than one of them is from a run with another fault."""
    ends = {key: second_half(row_of(*key))["printed_loss"][-1] for key in POOL}
    healthy = [ends[key] for key, right in POOL.items() if right == "healthy"]
    others = [ends[key] for key, right in POOL.items() if right != "healthy"]
    assert min(healthy) - max(others) < max(healthy) - min(healthy)


@pytest.mark.parametrize("sick, healthy", faults.BESIDE.items())
def test_every_patient_differs_from_its_healthy_run_by_one_thing(sick, healthy):
    one, other = (dataclasses.asdict(failures.VARIANTS[name]) for name in (sick, healthy))
    assert (
        len({name.removeprefix("matrix_") for name in one if one[name] != other[name]}) == 1
    )  # both optimisers' rates are one thing


def test_the_log_has_every_run_with_its_curves():
    rows = benchmark_log("failures")["rows"]
    assert [(row["variant"], row["seed"]) for row in rows] == failures.ROWS
    for row in rows[1:]:
        assert row["recipe"] == dataclasses.asdict(failures.RECIPES[row["variant"]])
        assert {len(values) for values in row["curves"].values()} == {failures.POINTS}


# -- where the chapters find logs --------------------------------------------------------------------------------------


def test_a_log_is_found_in_the_clone():
    assert benchmark_log("stsb") == json.loads(
        (ROOT / "benchmarks" / "logs" / "stsb.json").read_text()
    )


def test_without_a_clone_a_log_is_found_in_the_installed_package(tmp_path, monkeypatch):
    (tmp_path / "toy.json").write_text('{"rows": []}')
    monkeypatch.setattr(figure_logs, "FOLDERS", (tmp_path / "nowhere", tmp_path))
    assert benchmark_log("toy") == {"rows": []}
    with pytest.raises(ValueError, match="'other': neither in .*nowhere nor in "):
        benchmark_log("other")


def test_the_printed_sums_that_chapter_12_tells():
    """The range of the healthy runs, and the floor, beside which a reader judges unseen runs."""
    rows = [row for row in benchmark_log("failures")["rows"] if row["variant"] == "healthy"]
    printed = [row["printed_word_loss"] + row["printed_pair_loss"] for row in rows]
    assert (round(min(printed), 2), round(max(printed), 2)) == (0.67, 0.72)
    floor = next(
        row for row in benchmark_log("failures")["rows"] if row["variant"] == "perfect reader"
    )
    assert round(floor["mlm_loss"] + floor["nsp_loss"], 2) == 0.42
