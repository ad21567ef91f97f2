"""The log of the course in other environments holds what is promised, and says which of its rows are of an older state."""

import json
import re
import tomllib
import warnings

import everywhere
import pytest

from tools.environment import ROOT

LOG = json.loads(everywhere.LOG.read_text(encoding="utf-8"))
ROWS = LOG["rows"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTALLED = ("wheel", "sdist", "git")
# What fails with the lower bounds, and why: a promise that is not kept whole.
FAILS_WITH_OLDEST = {
    "test_same_ids_as_the_references": "compares with transformers 4.41",
    "test_same_ids_as_transformers_on_any_text": "compares with transformers 4.41",
    "test_batches_as_in_transformers": "compares with transformers 4.41",
    "test_other_precisions_open_as_float32": "compares with transformers 4.41, which opens as float32",
    "test_errors_name_what_was_seen_and_wanted": "half of a surrogate pair, in tokenizers 0.19",
}


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text.partition("+")[0])))


def test_every_python_that_is_promised_was_run():
    """All tests run on 3.11, the version in environment.yml."""
    lowest, highest = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"]).groups()
    promised = {f"3.{minor}" for minor in range(int(lowest), int(highest))}
    run = {name.removeprefix("Python ") for name in ROWS if name.startswith("Python ")}
    assert run == promised - {"3.11"}
    for name in run:
        assert ROWS[f"Python {name}"]["versions"]["python"].startswith(f"{name}.")


def test_the_lower_bounds_were_run():
    """In exactly these versions, which a `.0` at the end does not change."""
    found = ROWS["oldest"]["versions"]
    for line in PROJECT["dependencies"]:
        name, _, bound = line.partition(">=")
        ran, asked = version(found[name]), version(bound)
        assert ran[: len(asked)] == asked and not any(ran[len(asked) :]), line


def test_a_newer_pytorch_than_the_tested_one_was_run():
    pinned = re.search(r"^torch==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)[1]
    assert version(ROWS["newest"]["versions"]["torch"]) > version(pinned)


def test_the_readme_says_which_versions_were_run():
    said = (ROOT / "README.md").read_text(encoding="utf-8")
    pythons = re.search(r"with\s+Python (3\.\d+) and (3\.\d+), and with PyTorch", said).groups()
    torches = re.search(r"with PyTorch (\d+\.\d+) and (\d+\.\d+)", said).groups()
    assert {*pythons, "3.11"} == {
        row["versions"]["python"].rpartition(".")[0] for row in ROWS.values() if "versions" in row
    }
    for name, short in zip(("oldest", "newest"), torches):
        assert ROWS[name]["versions"]["torch"].startswith(f"{short}.")


@pytest.mark.parametrize("name", [name for name in ROWS if name not in INSTALLED])
def test_nothing_else_failed(name):
    """With the lower bounds: nothing but what is listed, and one cell, whose figure is described in fewer letters."""
    row = ROWS[name]
    failed = {test.rpartition("::")[2].partition("[")[0] for test in row["failed"]}
    assert failed == ({*FAILS_WITH_OLDEST} if name == "oldest" else set())
    assert row["unit tests"].get("failed", 0) == len(row["failed"])
    assert row["unit tests"]["passed"] > 500
    assert row["commands"] == len(everywhere.COMMANDS)
    assert row[everywhere.CHAPTER].get("failed", 0) == (name == "oldest")


@pytest.mark.parametrize("name", INSTALLED)
def test_the_first_cell_installed_the_course_and_nothing_else(name):
    """Neither torch nor numpy, nor anything that the environment has in another version."""
    row = ROWS[name]
    assert [line.partition("==")[0].replace("_", "-") for line in row["added"]] == [PROJECT["name"]]
    assert row["taken away"] == [] and row["from its own folder"]
    assert row["commands"] == len(everywhere.COMMANDS)
    assert row[everywhere.CHAPTER].keys() == {"passed"}


def test_rows_of_an_older_state_are_named():
    planted = {"now": {"code": everywhere.digest()}, "before": {"code": "0" * 64}}
    assert everywhere.older(planted) == ["before"]
    if found := everywhere.older(ROWS):
        warnings.warn(
            f"the package has changed since everywhere.json got {', '.join(found)}: "
            f"run {LOG['command']} again",
            stacklevel=1,
        )
