"""Numbers with a source: every number in the prose is one that a cell shows, a committed log holds or a cited work gives.

A number is looked for, at the precision that the prose gives it, in this order:

- in the outputs and the code of the cells of its section and of the one before; a number of three digits that count (few others look like
  it), and any number in the header, the summary and the table of differences, in those of the whole chapter;
- in the code of a test that its section names; in the published configuration (`minibert/config.py`, `minibert/data/masking.py`);
- in the logs of benchmarks/ that its section or the one before names or loads, if it has three digits that count;
- in a work: its sentence links to one;
- in a mark, a line of a comment in the same cell (in a page: the same section) that no reader sees and that is checked:

    <!--
    590,592 = 768 * 768 + 768                           computed
    0.79 = logs/stsb.json: rows[variant=MiniLM].test    a place in a log; [i], [key] and [key=value] choose; mean(…), min, max, count; a - b, a / b
    287,000: https://arxiv.org/abs/1903.10318           a work in references.bib
    1e-10: tests/unit/test_heads.py::test_it                 a test that holds it: its code has the number
    all: tests/book/test_more_than_one_machine.py::test_it   a test that compares all numbers of this cell or section with their log
    18,000: benchmarks/nsmc.py                          a file of ours that has it
    0.33: ## Five words                                 another section of the chapter shows it
    7,000: an example                                   said and not derived; few may be (SAID_AT_MOST)
    -->

Exercises and quizzes (tasks, hints, right answers and every explanation: a wrong answer may say anything) may have any number of their chapter: of its cells,
its prose, the logs that it names; those that the question itself gives; and those of an equation in the sentence, such as 360/6 = 60, that holds.

Free are: the choices of a prediction, whole numbers below 13, years, questions, numbers that name a thing (chapter 4, figure 2, BERT-base, F1), formulas, code, headings and the minutes of an exercise.
"""

import json
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from number_sources import (
    CHECKED,
    Figure,
    compute,
    configuration,
    log_figures,
    make_figure,
    mark_error,
    shown_figures,
    test_figures,
)
from sphinx.util import logging

SAID_AT_MOST = 15
HIDDEN = re.compile(
    r"```.*?```|~~~.*?~~~|\$\$.*?\$\$|<!--.*?-->|`[^`\n]*`|\$[^$\n]*\$|(?<=\])\([^)\s]*\)|<[^>]*>|https?://\S+|^#+ [^\n]*"
    r"|^> [-*] [^\n]*|(?<=\[)\d+ · |^\*\*(?:Time|Equation)\*?\*?[^\n]*|^[ \t]*\d+\.(?=\s)"
    r"|^\*(?:warm-up|build|think) · about \d+ min\*",
    re.DOTALL | re.MULTILINE,
)
NAMED = re.compile(
    r"\b(?:chapter|section|equation|figure|table|appendix|algorithm|exercise|issue|layer|head|patient|finding|discovery|question"
    r"|version|seed|sentence|position|place|row|column|token|step|epoch|Python|PyTorch|SQuAD)s? \(?[A-Z]?\.?\d[\d.]*(?:(?:,| and| or| to|–) \d[\d.]*)*",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"(?<![\w.,/^])(?<!\w-)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:e(-?\d+))?(?!\w)(?![.,]\d)( ?%| per ?cent\b)?(?: (thousand|million|billion|trillion)\b)?"
)
HEDGED = re.compile(
    r"\b(?:about|some|nearly|almost|around|roughly|hardly|over|more than|less than|fewer than|up to|at most|at least|below|above|under)\s+$"
)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
WHOLE = ("## Summary", "## In five lines", "## What the original does differently")
GENERATED = {
    "equations.md",
    "deviations.md",
}  # made from the tests and from lines that have checks of their own
COMMENT = re.compile(r"<!--\s*((?:\d|all:).*?)\s*-->", re.DOTALL)
MARK = re.compile(
    r"(all|(?P<whole>\d[\d,]*)(?P<fraction>\.\d+)?(?:e(?P<power>-?\d+))?)(?P<percent> ?%)?(?: (?P<scale>thousand|million|billion|trillion))? *(?P<kind>[=:]) *(?P<source>.+)"
)
LOG = re.compile(r"\blogs/([\w-]+)\.json|\b(?:benchmark_log|read_log)\(\"([\w-]+)\"")
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*\[(])|\n\s*\n|\n(?=[|>-] |\|)")
EQUATION = re.compile(
    r"(?P<left>(?:\bln )?\d[\d,.]*(?: ?[-+*/×] ?\d[\d,.]*)*) = (?P<right>\d[\d,]*(?:\.\d+)?)"
)
CITES = re.compile(r"\]\(https?://[^)]+\)")
logger = logging.getLogger(__name__)


@dataclass
class Block:
    """A Markdown cell, a code cell, or a section of a page."""

    place: str
    section: int
    text: str = ""  # prose; empty for code
    shown: list[Figure] = field(default_factory=list)  # numbers that are shown: in code and outputs
    logs: set[str] = field(default_factory=set)
    whole: bool = False  # it speaks of the whole chapter
    heading: str = ""


def figures(text: str) -> list[tuple[Figure, str]]:
    """The numbers of a text in Markdown that need a source, each with its sentence."""
    found = []
    for sentence in SENTENCE.split(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)):
        bare = (
            NAMED.sub(" ", HIDDEN.sub(" ", sentence)) if not sentence.rstrip().endswith("?") else ""
        )  # a question claims nothing
        for match in NUMBER.finditer(bare):
            figure = make_figure(
                match[1],
                match[2],
                match[3],
                bool(match[4]),
                match[5],
                bool(HEDGED.search(bare[: match.start()])),
            )
            if not figure.is_free():
                found.append((figure, sentence))
    return found


def notebook_blocks(path: Path) -> list[Block]:
    blocks, section, heading = [], 0, ""
    for i, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source, place = "".join(cell["source"]), f"{path.name}, cell {i}"
        logs = {first or second for first, second in LOG.findall(source)}
        if cell["cell_type"] == "markdown":
            for part in re.split(r"^(?=## )", source, flags=re.MULTILINE):
                if part.startswith("## "):
                    section, heading = section + 1, part.split("\n")[0]
                written = "generated" not in cell["metadata"].get("minibert", {})
                blocks.append(
                    Block(
                        place,
                        section,
                        part if written else "",
                        [],
                        logs,
                        i == 0 or heading in WHOLE,
                        heading,
                    )
                )
        elif cell["metadata"].get("minibert", {}).get("generated") != "setup":
            outputs = "\n".join(_output_text(output) for output in cell["outputs"])
            blocks.append(
                Block(
                    place,
                    section,
                    "",
                    shown_figures(source) + shown_figures(outputs),
                    logs,
                    heading=heading,
                )
            )
    return blocks


def _output_text(output: dict) -> str:
    data = output.get("data", {})
    texts = [
        output.get("text", ""),
        output.get("evalue", ""),
        *(data.get(kind, "") for kind in ("text/plain", "text/html", "text/markdown")),
    ]
    return re.sub(r"<[^>]*>", " ", "\n".join("".join(text) for text in texts))


def page_blocks(path: Path) -> list[Block]:
    """The sections of a page; the code in it counts as shown."""
    text = path.read_text(encoding="utf-8")
    parts = re.split(
        r"^(?=#+ )",
        re.sub(
            r"^```.*?^```",
            lambda code: code[0].replace("\n#", "\n #"),
            text,
            flags=re.DOTALL | re.MULTILINE,
        ),
        flags=re.MULTILINE,
    )
    return [
        Block(
            f"{path.name}, {part.split(chr(10))[0]!r}",
            i,
            part,
            [
                figure
                for code in re.findall(r"```.*?```|`[^`\n]+`", part, re.DOTALL)
                for figure in shown_figures(code)
            ],
            {first or second for first, second in LOG.findall(part)},
        )
        for i, part in enumerate(parts)
        if part.strip()
    ]


def marks_of(text: str) -> tuple[list[tuple[Figure, str, str]], list[str]]:
    """(number, '=' or ':', source) of every mark in a text, and the lines that are none."""
    lines = [line.strip() for comment in COMMENT.findall(text) for line in comment.splitlines()]
    found = [(line, MARK.fullmatch(line)) for line in lines]
    return (
        [
            (
                make_figure(
                    mark["whole"],
                    mark["fraction"],
                    mark["power"],
                    bool(mark["percent"]),
                    mark["scale"],
                    True,
                ),
                mark["kind"],
                mark["source"],
            )
            for _, mark in found
            if mark
        ],
        [line for line, mark in found if not mark],
    )


def complaints(blocks: list[Block], root: Path) -> tuple[list[str], int]:
    """Numbers without a source, and marks that are wrong or left over, each with its place; and how many are only said."""
    found, said = [], 0
    chapter, sections = [figure for block in blocks for figure in block.shown], defaultdict(list)
    for block in blocks:
        sections[block.heading] += block.shown
    for block in blocks:
        wanted = figures(block.text)
        marks, odd = marks_of(block.text)
        found += [f"{block.place}: this is no mark: {line}" for line in odd]
        tests = TEST.findall(block.text)
        near = [other for other in blocks if block.section - 1 <= other.section <= block.section]
        shown = chapter if block.whole else [figure for other in near for figure in other.shown]
        shown = (
            shown
            + configuration(root)
            + [figure for file, test in tests for figure in test_figures(root, file, test)]
        )
        logs = {log for other in near for log in other.logs}
        for mark, kind, source in marks:
            if mark.text != "all" and mark.text not in {figure.text for figure, _ in wanted}:
                found.append(
                    f"{block.place}: the mark of {mark.text} is left over: the text has no such number"
                )
            elif error := mark_error(mark, kind, source, root, sections):
                found.append(f"{block.place}: {mark.text}: {error}")
            said += kind == ":" and not source.startswith(CHECKED)
        sure = {mark.text for mark, _, _ in marks}
        for figure, sentence in wanted:
            pool = chapter + shown if figure.significant >= 3 else shown
            logged = figure.significant >= 3 and any(
                figure.equals(value) for log in logs for value in log_figures(root, log)
            )
            if not (
                {"all", figure.text} & sure
                or logged
                or CITES.search(sentence)
                or any(map(figure.equals, pool))
            ):
                found.append(
                    f"{block.place}: no cell, log or work gives {figure.text}: … {' '.join(sentence.split())[:160]}"
                )
    return found, said


# ---------------------------------------------------------------- exercises and quizzes


def asked(path: Path) -> list[tuple[str, str, list[Figure]]]:
    """(place, text, the numbers that are given) of everything in a chapter's exercises and quiz that is said to be true."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    about = [
        (cell["metadata"].get("minibert", {}), "".join(cell["source"]))
        for cell in cells
        if cell["cell_type"] == "markdown"
    ]
    found = [
        (
            f"{path.name}, exercise {of['name']}",
            re.sub(r"</?(?:details|summary)>", "\n\n", text),
            [],
        )
        for of, text in about
        if of.get("generated") == "exercise" and of.get("part") == "task"
    ]
    quiz = path.parent / "quizzes" / f"{path.stem}.toml"
    for number, question in enumerate(
        tomllib.loads(quiz.read_text(encoding="utf-8"))["question"] if quiz.is_file() else [],
        start=1,
    ):
        for option in question["option"]:
            text = f"{option['text']}\n\n{option['why']}" if option.get("right") else option["why"]
            found.append(
                (f"quizzes/{quiz.name}, question {number}", text, shown_figures(question["ask"]))
            )
    return found


def complaints_of_asked(path: Path, root: Path) -> list[str]:
    blocks = notebook_blocks(path)
    pool = configuration(root) + [
        figure
        for block in blocks
        for figure in block.shown
        + shown_figures(re.sub(r"<!--.*?-->", "", block.text, flags=re.DOTALL))
    ]
    pool += [
        figure
        for log in sorted({log for block in blocks for log in block.logs})
        if (root / "benchmarks" / "logs" / f"{log}.json").is_file()
        for figure in log_figures(root, log)
    ]
    return [
        f"{place}: nothing in its chapter gives {figure.text}: … {' '.join(sentence.split())[:160]}"
        for place, text, given in asked(path)
        for figure, sentence in figures(text)
        if not any(map(figure.equals, [*pool, *given, *_equation_figures(sentence)]))
    ]


def _equation_figures(sentence: str) -> list[Figure]:
    """The numbers of the equations in a sentence that hold."""
    found = []
    for match in EQUATION.finditer(sentence):
        [right], left = (
            shown_figures(match["right"]),
            re.sub(r"ln (\S+)", r"ln(\1)", match["left"].replace("×", "*")),
        )
        if right.equals(Figure("", compute(left), 1)):
            found += shown_figures(match["left"]) + [right]
    return found


# ---------------------------------------------------------------- the whole book


def check(root: Path) -> tuple[list[str], int]:
    """All complaints about chapters, pages and README, and the number of marks that only say something."""
    found, said = [], 0
    for path in [
        *sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")),
        *sorted((root / "book").glob("*.md")),
        root / "README.md",
    ]:
        if path.is_file() and path.name not in GENERATED:
            more, count = complaints(
                notebook_blocks(path) if path.suffix == ".ipynb" else page_blocks(path), root
            )
            found, said = (
                found + more + (complaints_of_asked(path, root) if path.suffix == ".ipynb" else []),
                said + count,
            )
    return found, said


def warn(app):
    """A warning for each number without a source; the book is built with -W, so one is enough to stop it."""
    for complaint in check(Path(app.srcdir))[0]:
        logger.warning(complaint, type="numbers", subtype="source")


def setup(app):
    """Sphinx calls this."""
    app.connect("builder-inited", warn)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
