"""The gallery of failures: each planted mistake is the one that it is called, and the chapters find the logs."""

import dataclasses
import json
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from minibert import BertForPreTraining
from minibert.course.figures import benchmark_log
from minibert.course.figures import logs as figure_logs
from minibert.heads import class_loss

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import failures

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


def test_decay_on_everything_leaves_nothing_out(model):
    for decay_everything in (False, True):
        optimizers = failures.optimizers_of(
            model, dataclasses.replace(HEALTHY, decay_everything=decay_everything)
        )
        groups = [group for optimizer in optimizers for group in optimizer.param_groups]
        assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))
        assert [group["weight_decay"] for group in groups] == [
            0.01,
            0.01 if decay_everything else 0.0,
            0.01,
        ]


@pytest.mark.parametrize("sick, healthy", failures.BESIDE.items())
def test_every_patient_differs_from_its_healthy_run_by_one_thing(sick, healthy):
    one, other = (dataclasses.asdict(failures.VARIANTS[name]) for name in (sick, healthy))
    assert (
        len({name.removeprefix("matrix_") for name in one if one[name] != other[name]}) == 1
    )  # both optimisers' rates are one thing


def test_the_log_has_every_run_with_its_curves():
    rows = benchmark_log("failures")["rows"]
    assert [(row["variant"], row["seed"]) for row in rows] == failures.ROWS
    for row in rows[1:]:
        assert row["recipe"] == dataclasses.asdict(failures.VARIANTS[row["variant"]])
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
