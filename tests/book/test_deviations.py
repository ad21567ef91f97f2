"""The register of deviations: made from the marks in the tests, and up to date."""

import pytest

from tools import deviations
from tools.environment import ROOT

MARKS = [
    mark
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    for mark in deviations.read_marks(path)
]


def test_the_page_says_what_the_tests_say():
    assert deviations.PAGE.read_text(encoding="utf-8") == deviations.page(), (
        "run: python tools/deviations.py"
    )


def test_every_mark_is_on_a_test_and_compares_somebody_with_us():
    assert len(MARKS) >= 30 and len({title for _, title, _ in MARKS}) == len(MARKS)
    for test, title, says in MARKS:
        assert test.split("::")[1].startswith("test_"), test
        assert set(says) <= set(deviations.SAYS) and says["here"] and says["why"], title
        assert any(says.get(key) for key in ("paper", "original", "reference")), title


def test_a_mark_in_a_new_file_has_to_find_its_chapter(tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_something_new.py").write_text(
        '@deviation("A", here="b", why="c")\ndef test_it():\n    pass\n', encoding="utf-8"
    )
    monkeypatch.setattr(deviations, "ROOT", tmp_path)
    with pytest.raises(
        ValueError, match="no chapter of the register takes tests/test_something_new.py::test_it"
    ):
        deviations.page()
