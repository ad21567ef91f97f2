"""The scoreboard: its page is made from the log, and says what was not measured and where the model is weak."""

import json
import re
import sys

import pytest
from bs4 import BeautifulSoup

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))

import minibert_scoreboard as scoreboard

PAGE = (ROOT / "book" / "scoreboard.md").read_text(encoding="utf-8")


def row(variant, score, seed=None, low=None, high=None, **more):
    runs = 1 if low is None else 3
    found = {"variant": variant, "seed": seed, "score": score, "runs": runs}
    return found | {"low": low or score, "high": high or score} | more


PUBLISHED = {"published": True, "words": "2 billion", "parameters": "", "source": "https://a.b/c"}
ROWS = [
    row(
        "BLiMP, minibert-small",
        0.66,
        phenomena={"island_effects": 0.41, "binding": 0.6, "quantifiers": 0.52, "ellipsis": 0.9},
        paradigms={"one": 0.41, "two": 0.5, "three": 0.49, "four": 0.9},
    ),
    row("BLiMP, untrained", 0.5, low=0.48, high=0.52, phenomena={"island_effects": 0.5}),
    row("BLiMP, untrained", 0.123, seed=0),
    row("BLiMP, LSTM", 0.698, note="a corpus", **PUBLISHED),
    row("CoLA, minibert-small", 0.2, low=0.15, high=0.25),
    row("CoLA, bag of words", 0.185),
    row("STS-B, minibert-small", 0.6, low=0.59, high=0.61),
    row("STS-B, untrained", 0.67),
    row("STS-B, bag of words", 0.5),
    row("TREC, minibert-small", 0.93),
    row("TREC, untrained", 0.83),
]


@pytest.fixture
def book(tmp_path):
    """Writes a log; returns its cells."""

    def book(rows):
        folder = tmp_path / "benchmarks" / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "scoreboard.json").write_text(json.dumps({"rows": rows}))
        return scoreboard.read(tmp_path)

    return book


def test_the_page_has_every_part_once():
    assert sorted(scoreboard.MARKER.findall(PAGE)) == sorted(scoreboard.PARTS)
    assert "<!-- scoreboard" not in scoreboard.fill(PAGE, ROOT)


def test_the_table_has_the_means_and_ranges(book):
    lines = scoreboard.table(book(ROWS)).split("\n")
    assert lines[0].count("|") == lines[1].count("|") == len(scoreboard.COLUMNS) + 2
    [ours] = [line for line in lines if line.startswith("| **minibert-small**")]
    cells = [cell.strip() for cell in ours.split("|")[2:-1]]
    assert cells[:5] == [
        "0.660",
        "0.200<br><small>0.150 to 0.250</small>",
        "",
        "0.600<br><small>0.590 to 0.610</small>",
        "0.930",
    ]
    assert "0.123" not in "".join(lines)  # a single seed is no cell
    assert "not measured" not in "".join(lines)


def test_what_was_not_measured_is_said_with_its_command(book):
    cells = book(ROWS[3:4])
    for part in (scoreboard.table(cells), scoreboard.picture(cells)):
        assert "BLiMP was not measured yet: `python benchmarks/scoreboard.py --only blimp`" in part
    assert "--only cola" in scoreboard.table(cells) and scoreboard.weak(cells) == ""
    assert scoreboard.read(ROOT / "nowhere") == {name: {} for name in scoreboard.COLUMNS}


def test_the_picture_has_a_bar_for_each_system_in_proportion(book):
    source = scoreboard.picture(book(ROWS))
    drawing = BeautifulSoup(source, "html.parser").svg
    widths = [float(bar["width"]) for bar in drawing("rect")]
    assert widths == pytest.approx(
        [scoreboard.BAR * score for score in (0.5, 0.66, 0.698)], abs=0.1
    )
    texts = drawing.get_text(" ")
    assert "0.660" in texts and "2 billion words" in texts and "a random choice: 0.5" in texts
    spoken = drawing["aria-label"]
    assert "untrained 0.500; minibert-small 0.660; LSTM 0.698" in spoken
    line = drawing.line
    assert float(line["x1"]) == scoreboard.LEFT + scoreboard.BAR / 2
    colours = [bar["fill"] for bar in drawing("rect")]
    assert colours == ["var(--mb-mask)", "var(--mb-token)", "var(--mb-edge)"]


def test_published_neighbours_have_budget_and_source(book):
    lines = scoreboard.budgets(book(ROWS)).split("\n")
    assert lines[2:] == ["| LSTM | 0.698 | 2 billion | not stated | [a corpus](https://a.b/c) |"]


def test_phenomena_beside_each_other(book):
    rows = [*ROWS, row("BLiMP, 5-gram", 0.61, phenomena=dict.fromkeys(ROWS[0]["phenomena"], 0.25))]
    rows[1] = row("BLiMP, untrained", 0.5, phenomena=dict.fromkeys(ROWS[0]["phenomena"], 0.5))
    lines = scoreboard.phenomena(book(rows)).split("\n")
    assert lines[0] == "| phenomenon | untrained | 5-gram | minibert-small |"
    assert "| island effects | 0.500 | 0.250 | 0.410 |" in lines and len(lines) == 6


def test_weaknesses_are_read_off_the_log(book):
    grammar, *others = scoreboard.weak(book(ROWS)).split("\n")
    assert "island effects (0.410), quantifiers (0.520), binding (0.600)." in grammar
    assert "In 2 of the 4 paradigms" in grammar and "ellipsis" not in grammar
    assert others == [
        "- **CoLA.** It is no better than the bag of words: 0.200 (seeds 0.150 to 0.250) against 0.185.",
        "- **STS-B.** It is worse than the untrained control: 0.600 (seeds 0.590 to 0.610) against 0.670.",
    ]


def test_the_built_page_shows_the_committed_log(site):
    page = BeautifulSoup((site / "book" / "scoreboard.html").read_text("utf-8"), "html.parser")
    cells = scoreboard.read(ROOT)
    text = re.sub(r"\s+", " ", page.article.get_text(" "))
    for column, systems in cells.items():
        for system, one in systems.items():
            if column == "BLiMP" or system in scoreboard.SYSTEMS:
                assert f"{one['score']:.3f}" in text, (column, system)
    assert page.find("svg", attrs={"aria-label": re.compile("Bars of the accuracy on BLiMP")})
