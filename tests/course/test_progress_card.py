"""The reader's progress card: what `check` finds right is kept, wherever that is possible, and nothing ever stops a lesson."""

import json
import os
import re
import subprocess
import sys
import warnings

import pytest

from minibert.course.exercises import Mistake, check, progress
from minibert.course.exercises.base import BLANK, exercises, number
from minibert.course.exercises.card import card_file, read_card, record
from minibert.hub import new_folder
from minibert.hub.new_folder import LOCK
from tools.environment import FIXED, ROOT

AT_START = os.environ["MINIBERT_PROGRESS"]
EXERCISE = exercises()["previous_token"]
OTHER = next(iter(exercises().values()))


@pytest.fixture(autouse=True)
def card(tmp_path, monkeypatch):
    """A card of its own for every test; a warning is an error."""
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("MINIBERT_PROGRESS", str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield path


def test_tests_and_notebooks_leave_the_card_of_the_reader_alone():
    """The environment of all tests and notebooks, and of every process that they start, names another file, inside the checkout."""
    assert FIXED["MINIBERT_PROGRESS"] == AT_START and AT_START.startswith(str(ROOT / ".cache"))


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("MINIBERT_PROGRESS", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert card_file() == tmp_path / ".local" / "share" / "minibert" / "progress.json"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert card_file() == tmp_path / "data" / "minibert" / "progress.json"
    monkeypatch.setenv("XDG_DATA_HOME", "data")  # not absolute: to be ignored
    assert card_file() == tmp_path / ".local" / "share" / "minibert" / "progress.json"
    monkeypatch.setenv("MINIBERT_PROGRESS", "~/card.json")
    assert card_file() == tmp_path / "card.json"


def test_a_right_answer_is_kept(card, capsys):
    check(EXERCISE.solution)
    assert capsys.readouterr().out.count("\n") == 1, "nothing is said about it"
    day = json.loads(card.read_text(encoding="utf-8"))["right"][EXERCISE.name]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)
    assert [path.name for path in card.parent.iterdir()] == [card.name]


def test_neither_a_blank_nor_a_mistake_is_kept(card, monkeypatch):
    def unfilled(*arguments):
        raise NameError(name=BLANK)

    def wrong(*arguments):
        return None

    unfilled.__name__ = wrong.__name__ = EXERCISE.name
    check(unfilled)
    with pytest.raises(Mistake):
        check(wrong)
    assert not card.exists()


def test_the_first_day_stays_and_so_does_what_a_later_edition_knows(card):
    card.parent.mkdir()
    before = {
        "right": {EXERCISE.name: "2020-02-20", "an_exercise_of_another_edition": "2021-01-01"}
    }
    card.write_text(json.dumps(before), encoding="utf-8")
    record(EXERCISE.name)
    assert json.loads(card.read_text(encoding="utf-8")) == before
    record(OTHER.name)
    assert read_card(card).keys() == {*before["right"], OTHER.name}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        '{"right": 3}',
        '{"right": {"previous_token": 1}}',
        '{"wrong": {}}',
        "\x00\x00",
        "[" * 100_000,
    ],
)
def test_a_broken_card_is_set_aside(card, text):
    card.parent.mkdir()
    for broken in ("1", "2"):
        card.write_text(text, encoding="utf-8")
        with pytest.warns(
            UserWarning,
            match=rf"progress\.json is no progress card; it was set aside as progress\.json\.broken-{broken}",
        ):
            record(EXERCISE.name)
        assert (
            card.with_name(f"progress.json.broken-{broken}").read_text(encoding="utf-8") == text
        ), "nothing is lost"
        assert read_card(card).keys() == {EXERCISE.name}


def test_bytes_that_are_no_text(card):
    card.parent.mkdir()
    card.write_bytes(b"\xff\xfe\x00")
    with pytest.warns(UserWarning, match="no progress card"):
        progress()


def test_a_place_that_cannot_be_written_is_said_and_stops_nothing(card, capsys):
    card.parent.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.warns(UserWarning, match="your progress card was not written: "):
        assert check(EXERCISE.solution) is EXERCISE.solution
    assert capsys.readouterr().out.startswith("right: ")
    card.parent.unlink()
    card.mkdir(parents=True)  # a folder where the card should be
    with pytest.warns(UserWarning, match="was not written"):
        record(EXERCISE.name)
    with pytest.warns(UserWarning, match="was not read"):
        progress()


def test_a_card_that_may_not_be_read_is_not_replaced(card, monkeypatch):
    record(EXERCISE.name)
    before = card.read_bytes()

    with monkeypatch.context() as without_permission:
        without_permission.setattr(type(card), "read_text", refuse)
        with pytest.warns(UserWarning, match="Permission denied"):
            record(OTHER.name)
    assert card.read_bytes() == before


def test_a_write_that_breaks_off_leaves_the_old_card(card, monkeypatch):
    record(EXERCISE.name)
    monkeypatch.setattr(
        os, "replace", lambda *paths: (_ for _ in ()).throw(OSError("no space left"))
    )
    with pytest.warns(UserWarning, match="no space left"):
        record(OTHER.name)
    assert read_card(card).keys() == {EXERCISE.name}
    assert [path.name for path in card.parent.iterdir()] == [card.name]


def test_the_printed_card(card, capsys):
    progress()
    empty = capsys.readouterr().out
    assert (
        empty.startswith(f"0 of {len(exercises())} exercises are right.\n")
        and "[x]" not in empty
        and not card.exists()
    )
    for exercise in exercises().values():
        assert re.search(
            rf"^  \[ \] {re.escape(number(exercise))} +{re.escape(exercise.title)}$",
            empty,
            re.MULTILINE,
        )
    assert re.findall(r"^Chapter (\d+) · 0 of", empty, re.MULTILINE) == sorted(
        {str(int(exercise.chapter[:2])) for exercise in exercises().values()}, key=int
    )
    record(EXERCISE.name)
    progress()
    filled = capsys.readouterr().out
    assert filled.startswith("1 of ") and re.search(r"^Chapter 4 · 1 of ", filled, re.MULTILINE)
    assert re.findall(r"^  \[x\] (\S+) .*\d{4}-\d\d-\d\d$", filled, re.MULTILINE) == [
        number(EXERCISE)
    ]


RECORDING = """
import sys
from minibert.course.exercises.card import record
for number in range(25):
    record(f"{sys.argv[1]}{number}")
"""


def test_processes_that_record_at_once_lose_nothing(card):
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", RECORDING, name],
            cwd=ROOT,
            env={**os.environ, "MINIBERT_PROGRESS": str(card)},
        )
        for name in ("first", "second")
    ]
    assert [process.wait(120) for process in processes] == [0, 0]
    if sys.platform != "win32":  # which has no locks
        assert len(read_card(card)) == 50


@pytest.mark.parametrize("lock", ["foreign", "folder", "none"])
def test_a_folder_in_which_no_lock_can_be_made_is_enough(lock, card, monkeypatch):
    card.parent.mkdir()
    if lock == "foreign":
        (card.parent / LOCK).write_text("mine")
    elif lock == "folder":
        (card.parent / LOCK).mkdir()
    else:
        monkeypatch.setattr(new_folder, "_open_lock", refuse)
    record(EXERCISE.name)
    assert read_card(card).keys() == {EXERCISE.name}


def refuse(*arguments, **options):
    raise PermissionError(13, "Permission denied")


def test_a_lock_that_another_process_keeps_delays_and_stops_nothing(card, monkeypatch):
    card.parent.mkdir()
    monkeypatch.setattr(new_folder, "PATIENCE", 0.05)
    with new_folder.waiting_for_lock(card.parent):
        record(EXERCISE.name)
    assert read_card(card).keys() == {EXERCISE.name}
    assert [path.name for path in card.parent.iterdir()] == [card.name]


def test_a_home_folder_that_is_not_there_is_not_made(card, monkeypatch, tmp_path):
    """As that of users without a home, or in a container."""
    home = tmp_path / "home"
    for name, value in (("MINIBERT_PROGRESS", ""), ("HOME", home), ("USERPROFILE", home)):
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    with pytest.warns(UserWarning, match="card was not written: there is no home folder for"):
        record(EXERCISE.name)
    assert not home.exists()


def test_a_new_process_remembers(card):
    record(EXERCISE.name)
    done = subprocess.run(
        [sys.executable, "-c", "from minibert.course.exercises import progress; progress()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("1 of ") and not done.stderr
