"""The README: its example prints what it says, and its links and paths exist."""

import doctest
import re

from tools.environment import ROOT

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_example_prints_what_it_says():
    found = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert found.attempted >= 8 and found.failed == 0


def test_links_and_paths_exist():
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    paths = re.findall(r"`(minibert/[\w./]+)`", TEXT)
    assert len(links) > 18 and len(paths) > 10
    assert [path for path in links + paths if not (ROOT / path).exists()] == []
