"""The patients in training: the log has every run, its healthy runs are healthy, and the equations of the chapter hold."""

import json
import math
import random
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from minibert.course.clinic import PATIENTS
from minibert.course.exercises.ch13_bug_clinic.best_probe import best_probe
from minibert.course.exercises.ch13_bug_clinic.first_and_best import first_and_best
from minibert.course.figures import benchmark_log
from minibert.heads import BertForPreTraining

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import clinic
import failures


@pytest.fixture(scope="module")
def rows():
    return benchmark_log("clinic")["rows"]


def test_the_log_has_every_run_with_its_curves(rows):
    assert [(row["variant"], row["seed"]) for row in rows] == clinic.ROWS
    for row in rows:
        assert {len(values) for values in row["curves"].values()} == {clinic.POINTS}
        assert row["curves"]["step"][-1] == clinic.STEPS


def test_every_patient_of_the_log_is_in_the_clinic_and_has_a_healthy_run():
    assert set(clinic.BESIDE) <= set(PATIENTS) and set(clinic.BESIDE.values()) <= set(clinic.LAYERS)
    assert set(clinic.BANDS) == {*clinic.BESIDE, *clinic.LAYERS}


def test_held_out_words_are_counted_as_the_package_counts_them():
    torch.manual_seed(0)
    model = BertForPreTraining(failures.config(2))
    wanted = failures.scores(model)
    assert clinic.accuracies(model) == {
        name: wanted[name] for name in ("mlm_accuracy", "nsp_accuracy")
    }


def test_a_sick_run_differs_from_the_healthy_one_by_the_patient_alone(monkeypatch):
    """One step of each: the same model and rows, another loss where the patient's mistake is in the loss."""
    monkeypatch.setattr(clinic, "STEPS", 1)
    monkeypatch.setattr(clinic, "POINTS", 1)
    healthy, sick = clinic.measure("healthy", 0), clinic.measure("R6", 0)
    rows = clinic.masked(failures.world(0).batch(clinic.BATCH, clinic.BATCH), 1)
    share = (rows["labels"] != -100).float().mean().item()
    assert sick["printed_word_loss"] == pytest.approx(
        share * healthy["printed_word_loss"], rel=1e-2
    )
    assert sick["printed_pair_loss"] == healthy["printed_pair_loss"]
    assert healthy == clinic.measure("healthy", 0), "whoever was ill has left no trace"


def test_no_patient_is_chosen_for_a_lucky_seed(rows):
    """All seeds of a patient lie within its band, which is what the chapter's sentences say."""
    for row in rows:
        for name, (low, high) in clinic.BANDS[row["variant"]].items():
            assert low <= row[name] <= high, (row["variant"], row["seed"], name)
    assert json.dumps(clinic.BANDS, sort_keys=True) == json.dumps(
        benchmark_log("clinic")["bands"], sort_keys=True
    )


# -- the equations of the chapter --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 5, 131])
def test_no_probabilities_cost_less_than_equation_13_1(size):
    """Scores are moved downhill as far as they go; whatever probabilities they make, cross-entropy on these costs more."""
    lowest = first_and_best(size)["softmax twice"][1]
    assert lowest == pytest.approx(math.log(1 + (size - 1) / math.e))
    scores = torch.zeros(size, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([scores], lr=1.0)
    for _ in range(60):
        loss = F.cross_entropy(scores.softmax(dim=-1), torch.tensor(0))
        assert loss > lowest - 1e-12
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() == pytest.approx(lowest, abs=1e-3)


def test_equation_13_2_is_the_mean_of_all_admissions():
    """Everybody is admitted once, every probe is tried on them, and who is left is counted."""
    draw = random.Random(0)
    for _ in range(20):
        findings = [[draw.randrange(kinds) for kinds in (2, 3, 5, 9)] for _ in range(30)]
        left = [
            sum(sum(other[probe] == hidden[probe] for other in findings) for hidden in findings)
            for probe in range(4)
        ]
        assert best_probe(findings) == left.index(min(left))
