"""Exercise `audit_batch`: in batches of the sizes that its task names, the solution finds every bug."""

import math

import nbformat
import pytest

from minibert.course.exercises.ch07_pretraining_data.audit_batch import (
    ADVICE,
    CASES,
    EXERCISE,
    LEAST,
    audit_batch,
)
from minibert.course.exercises.ch07_pretraining_data.broken_programs import (
    FAULTS,
    UNLISTED,
    broken_batch,
    counts,
)
from tools.environment import ROOT

EVERY = range(1, len(FAULTS + UNLISTED) + 1)
# What the solution says of each bug, and what it must not miss.
SAYS = {
    1: "kept",
    2: "replacement",
    3: "has a label",
    4: "depend on each other",
    5: "two documents",
    6: "one document",
    7: "segment",
    8: "length",
    9: "15%",
    10: "replaced",
    11: "replaced",
    12: "labels are 1",
    13: "attention mask",
    14: "attention mask",
}


def shown(fault, rows, seeds):
    """In how many batches the solution names this bug."""
    return sum(
        any(SAYS[fault] in what for what in audit_batch(broken_batch(fault, seed, rows)))
        for seed in seeds
    )


@pytest.mark.parametrize("fault", range(3, 15))
def test_these_bugs_show_in_the_smallest_batch(fault):
    assert shown(fault, LEAST, range(100, 200)) == 100


@pytest.mark.parametrize("fault", [1, 2])
def test_these_bugs_show_in_8000_rows(fault):
    assert shown(fault, 8000, range(100, 110)) == 10


def test_a_small_correct_batch_is_seldom_reported():
    """By more than three standard errors about 3 of 1,000 correct counts are off, and the solution makes seven."""
    assert sum(not audit_batch(broken_batch(0, seed, LEAST)) for seed in range(100, 300)) >= 192


def test_a_large_correct_batch_passes():
    assert all(audit_batch(broken_batch(0, seed)) == [] for seed in range(100, 105))


def test_bug_2_may_not_show_in_the_smallest_batch():
    assert 40 < 200 - shown(2, LEAST, range(100, 300)) < 60
    assert "may not show in a small batch" in EXERCISE.task


def test_the_check_tries_every_bug_in_batches_of_the_named_sizes():
    assert min(rows for *_, rows in CASES) == LEAST == 600
    assert all(rows >= 8000 for fault, _, rows in CASES if fault in (1, 2))
    assert {fault for fault, *_ in CASES} == {0, *EVERY} and set(ADVICE) == set(EVERY)


def test_the_task_names_no_bug():
    assert not any(fault in EXERCISE.task for fault in FAULTS + UNLISTED)


def test_a_bug_outside_the_list_is_one():
    """Each shows in its own count, far from the value of a correct program."""
    right = [share for _, share, _ in counts(broken_batch(0, 3))]
    for fault, count in zip(range(9, 15), (8, 10, 10, 11, 12, 12)):
        shares = [share for _, share, _ in counts(broken_batch(fault, 3))]
        assert abs(shares[count] - right[count]) > 0.03
        assert all(abs(shares[i] - right[i]) < 0.01 for i in (1, 2, 4, 5, 6))
    with pytest.raises(ValueError, match="no program 15"):
        broken_batch(15)


def test_the_chapter_shows_the_bugs_only_to_those_who_ask(capsys):
    """Stored outputs stand below the exercise in JupyterLab, also those of a folded cell."""
    notebook = nbformat.read(ROOT / "notebooks" / "07_pretraining_data.ipynb", 4)
    (cell,) = [cell for cell in notebook.cells if cell.source.startswith("SHOW = False")]
    assert cell.outputs == []
    names = {"broken_batch": broken_batch, "audit_batch": audit_batch, "math": math}
    exec(cell.source, names)
    assert capsys.readouterr().out == ""
    exec(cell.source.replace("SHOW = False", "SHOW = True"), names)
    shown = capsys.readouterr().out
    assert all(f"{i} · {fault}" in shown for i, fault in enumerate(FAULTS, 1))
    assert shown.count("your audit of program") == 9 and shown.count("nothing") == 1
    assert f"your audit finds {len(EVERY)} of {len(EVERY)} bugs" in shown
