"""The README: its example prints what it says, and its links and paths exist."""

import doctest
import re

from tools import readme_picture
from tools.environment import ROOT

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
HOURS = dict(
    enumerate(
        "nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen".split(), 9
    )
)


def test_the_example_prints_what_it_says():
    found = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert found.attempted >= 8 and found.failed == 0


def test_links_and_paths_exist():
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    paths = re.findall(r"`(minibert/[\w./]+)`", TEXT)
    assert len(links) > 18 and len(paths) > 10
    assert [path for path in links + paths if not (ROOT / path).exists()] == []


def test_the_hours_are_those_of_the_chapters():
    minutes = [0, 0]  # of reading and of exercises
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        found = re.search(r"reading (\d+) min · exercises (\d+) min", path.read_text("utf-8"))
        minutes = [total + int(part) for total, part in zip(minutes, found.groups())]
    told = re.search(r"about (\w+) hours of reading\s+and\s+(\w+) of exercises", TEXT).groups()
    assert [HOURS[round(total / 60)] for total in minutes] == list(told)


def test_the_picture_has_the_numbers_of_a_run():
    assert (
        readme_picture.PICTURE.read_text("utf-8")
        == readme_picture.draw(readme_picture.measure()) + "\n"
    )
