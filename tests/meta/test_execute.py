"""What tools/execute.py must not do to a notebook: replace a reader's answers unasked, or leave half of it."""

import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from minibert.course.exercises.base import exercises
from tools import execute
from tools.answers import answers, refusal
from tools.environment import NOTEBOOKS, ROOT
from tools.stamp import checked

CHAPTER = "01_tokens"
OF_CHAPTER = [name for name, one in exercises().items() if one.chapter == CHAPTER]


def stub(name):
    return checked(exercises()[name].stub(), name)


def solved(name):
    return checked(exercises()[name].solution_source(), name)


@pytest.fixture
def chapter(tmp_path):
    return shutil.copy(NOTEBOOKS / f"{CHAPTER}.ipynb", tmp_path / f"{CHAPTER}.ipynb")


def edit(path, texts):
    """Put texts into the cells of exercises. -> what the file holds then."""
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        origin = cell.metadata.get("minibert", {})
        if origin.get("part") == "stub" and origin["name"] in texts:
            cell.source = texts[origin["name"]]
    nbformat.write(notebook, path)
    return path.read_bytes()


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["execute.py", "--stamp-only", *map(str, arguments)])
    return execute.main()


def test_answers_stop_everything_before_anything_is_changed(chapter, tmp_path, monkeypatch, capsys):
    other = tmp_path / "other.ipynb"
    shutil.copy(chapter, other)
    first, before = other.read_bytes(), edit(chapter, {name: solved(name) for name in OF_CHAPTER})
    assert run(monkeypatch, other, chapter) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "--replace-answers" in said.err
    assert f"{CHAPTER} holds {len(OF_CHAPTER)} answers" in said.err and "other" not in said.err
    assert (other.read_bytes(), chapter.read_bytes()) == (first, before)
    assert run(monkeypatch, chapter, "--replace-answers") == 0
    assert solved(OF_CHAPTER[0]) not in [cell.source for cell in nbformat.read(chapter, 4).cells]


@pytest.mark.parametrize("when", ["before its turn", "while it runs"])
def test_an_answer_that_is_written_during_the_command_is_kept(
    when, chapter, tmp_path, monkeypatch, capsys
):
    """The first look for answers is long past when a notebook has its turn."""
    first = shutil.copy(NOTEBOOKS / "00_first_look.ipynb", tmp_path)
    original, saved = execute.stamp, []

    def stamp_and_save(notebook, name, **more):
        if name == ("00_first_look" if when == "before its turn" else CHAPTER) and not saved:
            saved.append(edit(chapter, {OF_CHAPTER[0]: solved(OF_CHAPTER[0])}))
        return original(notebook, name, **more)

    monkeypatch.setattr(execute, "is_stale", lambda path: False)
    monkeypatch.setattr(execute, "stamp", stamp_and_save)
    assert run(monkeypatch, first, chapter) == 1
    said = capsys.readouterr()
    assert (
        "00_first_look: stamped" in said.out and f"{CHAPTER}.ipynb was left as it was" in said.err
    )
    assert chapter.read_bytes() == saved[0]


def test_dev_says_no_more_than_that(tmp_path):
    python = tmp_path / "python"  # in the place of that of the environment
    python.write_text('#!/bin/sh\necho "$@" >&2\nexit 2\n', encoding="utf-8")
    python.chmod(0o755)
    code = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
import dev
dev.set_up = lambda: None
dev.PYTHON = {str(python)!r}
sys.exit(dev.do(["notebooks", "{CHAPTER}", "--replace-answers"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    program = ROOT / "tools" / "execute.py"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{program} {CHAPTER} --replace-answers\n"


def test_the_reader_is_told_where_answers_have_to_be_kept():
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py", "notebooks", "--help"], capture_output=True, text=True
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    own_copy = re.search(r"\*\*Your own copy\.\*\*.*?\n\n", readme, re.DOTALL)[0]
    for text in (" ".join(done.stdout.split()), own_copy):
        assert "Keep your answers to exercises in another folder" in text


def test_an_empty_cell_becomes_the_open_stub_again(chapter, monkeypatch):
    edit(chapter, {OF_CHAPTER[0]: ""})
    assert run(monkeypatch, chapter) == 0
    assert stub(OF_CHAPTER[0]) in [cell.source for cell in nbformat.read(chapter, 4).cells]


def test_what_is_committed_holds_no_answer():
    assert refusal(sorted(NOTEBOOKS.glob("*.ipynb"))) == ""


@pytest.mark.parametrize("name", OF_CHAPTER)
def test_whatever_is_not_the_stub_is_an_answer(name, chapter):
    given = stub(name)
    blank = re.search(r"^[^#\n]*(____)", given, re.MULTILINE)
    for text in (
        solved(name),
        f"{given[: blank.start(1)]}(1 +\n        2){given[blank.end(1) :]}",
        f"def helper():\n    return 1\n\n\n{given}",
        f"{given}\n# my notes",
        "____",
    ):
        edit(chapter, {name: text})
        assert answers(nbformat.read(chapter, 4)) == [name], text
    edit(chapter, {name: f"{given}\n"})
    assert answers(nbformat.read(chapter, 4)) == []


def limited(code, size):
    """Run Python where no file can be larger than `size` bytes."""
    resource = pytest.importorskip("resource")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )


def test_a_notebook_that_cannot_be_written_is_left_as_it_was(chapter):
    before = edit(chapter, {OF_CHAPTER[0]: ""})
    code = f"""
from tools import execute
sys.argv = ["execute.py", "--stamp-only", {str(chapter)!r}]
sys.exit(execute.main())"""
    done = limited(code, 100_000)
    assert done.returncode == 1 and "left as it was" in done.stderr
    assert chapter.read_bytes() == before and os.listdir(chapter.parent) == [chapter.name]


def test_a_log_that_cannot_be_written_is_left_as_it_was(tmp_path):
    log = tmp_path / "notebooks.json"
    log.write_text(json.dumps({"notebooks": {}, "long": "x" * 4000}), encoding="utf-8")
    code = f"""
from pathlib import Path
from tools import execute
execute.LOG = Path({str(log)!r})
execute.machine = execute.versions = dict
try:
    execute.log_time("01_tokens", {{"processor_seconds": 3.0}})
except OSError:
    sys.exit(9)"""
    before = log.read_bytes()
    done = limited(code, 2000)
    assert done.returncode == 9, done.stderr
    assert log.read_bytes() == before and os.listdir(tmp_path) == [log.name]
