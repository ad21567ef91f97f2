"""Every number in the prose has a source; and the check finds those that have none."""

import json
import re
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.application import Sphinx
from sphinx.errors import SphinxWarning
from sphinx.util.docutils import docutils_namespace

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_numbers
from minibert_numbers import SAID_AT_MOST, figures
from number_sources import Figure, compute, log_value, shown_figures


def test_every_number_of_the_book_has_a_source():
    found, said = minibert_numbers.check(ROOT)
    assert found == []
    assert said <= SAID_AT_MOST


def test_the_check_sees_the_book():
    """A mistake in the patterns could make it pass by looking at nothing."""
    per_chapter = {
        path.stem: sum(len(figures(block.text)) for block in minibert_numbers.notebook_blocks(path))
        for path in (ROOT / "notebooks").glob("[01]?_*.ipynb")
    }
    assert (
        len(per_chapter) >= 12
        and min(per_chapter.values()) >= 5
        and sum(per_chapter.values()) >= 450
    ), per_chapter


def test_the_check_sees_exercises_and_quizzes():
    found = [
        figure
        for path in (ROOT / "notebooks").glob("[01]?_*.ipynb")
        for _, text, _ in minibert_numbers.asked(path)
        for figure, _ in figures(text)
    ]
    assert len(found) >= 60


# ---------------------------------------------------------------- what is a number


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("BERT-base has 109,482,240 parameters in 12 layers.", ["109,482,240"]),
        ("The loss falls from 9.01 to 1e-5.", ["9.01", "1e-5"]),
        ("It gets 5% of 110 million right, -0.29 below.", ["5", "110", "0.29"]),
        ("Written `x = 0.123`, $x = 0.123$, or [0.123](https://a.example/0.123).", ["0.123"]),
        (
            "See chapter 14, section 3.2.2, figures 20 and 21, equation 4.1, sentence 13 (2018, May 2019).",
            [],
        ),
        ("[13 · The bug clinic](notebooks/13.ipynb) tells 54 apart.", ["54"]),
        ("F1, BERT-256, bfloat16, GPT-2, UTF-8 and C100 are names; three is a word.", []),
        ("Is it 85%? Or 0.5?", []),
        ("# 99 problems\n\nNone <!-- 98 = 97 + 1 -->here.", []),
        ("| a | 77 |\n|---|---|\n| b | 78 |", ["77", "78"]),
        ("1. The first of 20.\n2. The second.", ["20"]),
        ("**Equation 4.1** · [A 2017](https://a.example), equation 55\n\nAnd 56.", ["56"]),
    ],
)
def test_numbers_that_need_a_source(text, wanted):
    assert [figure.text for figure, _ in figures(text)] == wanted


@pytest.mark.parametrize(
    "written, shown, same",
    [
        ("0.84", "0.8412", True),
        ("0.84", "0.8472", False),
        ("0.840", "0.8412", False),
        ("84%", "0.8412", True),
        ("84%", "84.1%", True),
        ("85", "85", True),
        ("85", "86", False),
        ("85", "84.6", True),
        ("590,592", "590592", True),
        ("590,592", "590_593", False),
        ("about 400", "402", True),
        ("about 400", "470", False),
        ("400", "402", False),
        ("7.1 million", "7087872", True),
        ("7.2 million", "7087872", False),
        ("1e-5", "0.00001", True),
        ("1e-5", "0.0001", False),
        ("36.7", "-36.71", True),
        ("20 per cent", "0.2", True),
    ],
)
def test_the_same_number_at_the_precision_of_the_prose(written, shown, same):
    [(figure, _)] = figures(f"It is {written}.")
    assert any(map(figure.equals, shown_figures(shown))) == same


# ---------------------------------------------------------------- a book of one chapter

LOG = {
    "benchmark": "Of 86 articles",
    "rows": [
        {"variant": "a", "seed": 0, "score": 0.5},
        {"variant": "a", "seed": 1, "score": 0.7},
        {"variant": "b", "seed": 0, "score": 41.25},
    ],
}


def small_book(folder, prose, *, other="", logs="", page=""):
    """A chapter: a section with a cell that prints 0.8412, 17 and 12345, one with `prose`, a third with a cell that prints 33 and 54321."""
    for name in ("notebooks", "book", "benchmarks/logs", "tests", "minibert"):
        (folder / name).mkdir(parents=True)
    (folder / "benchmarks" / "logs" / "speed.json").write_text(json.dumps(LOG))
    (folder / "tests" / "test_maps.py").write_text(
        "def test_close():\n    assert abs(f(2)) < 1e-10\n\n\ndef test_far():\n    assert f(3) > 98_765\n"
    )
    (folder / "book" / "references.bib").write_text(
        "@article{a, title = {A}, url = {https://paper.example/one}}\n"
    )
    printed = [
        new_output("stream", name="stdout", text=text)
        for text in ("0.8412 17\n12345\n", "33 54321\n")
    ]
    cells = [
        new_markdown_cell("# Maps"),
        new_markdown_cell("## First"),
        new_code_cell("show()", outputs=printed[:1]),
        new_markdown_cell("## Second\n\n" + other),
        new_markdown_cell(prose),
        new_markdown_cell("Loads " + logs),
        new_markdown_cell("## Third"),
        new_code_cell("show()", outputs=printed[1:]),
        new_markdown_cell("Exercise: 999", metadata={"minibert": {"generated": "quiz"}}),
    ]
    nbformat.write(
        new_notebook(
            cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        ),
        folder / "notebooks" / "04_maps.ipynb",
    )
    (folder / "book" / "page.md").write_text(f"# Page\n\n{page}\n")
    return folder


@pytest.mark.parametrize(
    "prose",
    [
        "It is 0.84, or 84%, of 17.",  # the section before
        "In all 54,321.",  # far away, but no other number looks like it
        "The work [One](https://paper.example/one) has 77 of them.",
        "`tests/test_maps.py::test_close` holds it to 1e-10.",
        "Half of it is 38.5.\n\n<!--\n38.5 = 77 / 2\n-->",
        "All: 590,592 and 6.28.\n\n<!--\n590,592 = 768 * 768 + 768\n6.28 = 2 * pi\n-->",
        "The mean is 0.60.\n\n<!--\n0.60 = logs/speed.json: mean(rows[variant=a].score)\n-->",
        "The last is 41.3, of 86.\n\n<!--\n41.3 = logs/speed.json: rows[-1].score\n86 = logs/speed.json: benchmark\n-->",
        "The gap is 0.2.\n\n<!--\n0.2 = logs/speed.json: max(rows[variant=a].score) - min(rows[variant=a].score)\n-->",
        "There are 287,000.\n\n<!--\n287,000: https://paper.example/one, table 1\n-->",
        "There are 33.\n\n<!--\n33: ## Third\n-->",
        "There are 98,765.\n\n<!--\n98,765: tests/test_maps.py::test_far\n-->",
        "There are 98,765 and 1e-10.\n\n<!--\nall: tests/test_maps.py::test_far\n-->",
        "There are 5 of 12 since 2018, as chapter 20 says.",
    ],
)
def test_numbers_with_a_source(tmp_path, prose):
    assert minibert_numbers.check(small_book(tmp_path, prose)) == ([], 0)


@pytest.mark.parametrize(
    "prose, complaint",
    [
        ("It is 0.83.", "no cell, log or work gives 0.83"),
        ("It is 0.8412 of 18.", "no cell, log or work gives 18"),
        ("It is 33.", "no cell, log or work gives 33"),  # shown, but in another section
        ("It is 999.", "no cell, log or work gives 999"),
        (
            "The work [One](https://paper.example/one) has more. We have 77.",
            "no cell, log or work gives 77",
        ),
        ("`tests/test_maps.py::test_close` holds it to 1e-11.", "no cell, log or work gives 1e-11"),
        ("It is 38.5.\n\n<!--\n38.5 = 78 / 2\n-->", "38.5: 78 / 2 gives 39"),
        ("It is 38.5.\n\n<!--\n38.5 = half(77)\n-->", "is no arithmetic"),
        (
            "It is 0.60.\n\n<!--\n0.60 = logs/speed.json: rows[variant=c].score\n-->",
            "0.60: logs/speed.json: rows[variant=c].score: ValueError",
        ),
        (
            "It is 0.60.\n\n<!--\n0.60 = logs/pace.json: rows[0].score\n-->",
            "0.60: logs/pace.json: rows[0].score: FileNotFoundError",
        ),
        (
            "It is 0.61.\n\n<!--\n0.61 = logs/speed.json: mean(rows[variant=a].score)\n-->",
            "gives 0.6",
        ),
        (
            "There are 287,000.\n\n<!--\n287,000: https://paper.example/two\n-->",
            "https://paper.example/two is no work of references.bib",
        ),
        ("There are 34.\n\n<!--\n34: ## Third\n-->", "34: ## Third does not have it"),
        (
            "There are 98,764.\n\n<!--\n98,764: tests/test_maps.py::test_far\n-->",
            "98,764: tests/test_maps.py::test_far does not have it",
        ),
        (
            "There are 98,764.\n\n<!--\nall: tests/test_maps.py::test_near\n-->",
            "all: tests/test_maps.py::test_near does not have it",
        ),
        (
            "There are 98,764.\n\n<!--\nall: trust me\n-->",
            "all: all numbers can only be held by a test",
        ),
        (
            "There are 17.\n\n<!--\n18 = 9 + 9\n-->",
            "the mark of 18 is left over: the text has no such number",
        ),
        ("There are 77.\n\n<!--\n77 see above\n-->", "this is no mark: 77 see above"),
    ],
)
def test_numbers_without_a_source_are_named_with_their_place(tmp_path, prose, complaint):
    found, _ = minibert_numbers.check(small_book(tmp_path, prose))
    assert any(
        line.startswith("04_maps.ipynb, cell 4: ") and complaint in line for line in found
    ), found


def test_what_is_only_said_is_counted(tmp_path):
    assert minibert_numbers.check(
        small_book(tmp_path, "Say there are 7,000.\n\n<!--\n7,000: an example\n-->")
    ) == ([], 1)


QUIZ = """[[question]]
ask = "A layer has 512 numbers. What is twice as much?"
[[question.option]]
text = "999, or 0.123."
why = "{wrong}"
[[question.option]]
text = "{answer}"
why = "{right}"
right = true
"""


def asking(folder, *, task="", wrong="No.", answer="More.", right="Yes."):
    """The chapter of `small_book`, with an exercise and a quiz."""
    book = small_book(folder, "It prints 0.84 of 17.", logs="`benchmarks/logs/speed.json`")
    path = book / "notebooks" / "04_maps.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells.append(
        new_markdown_cell(
            f"### Exercise 4.1\n\n{task}\n\n<details><summary>Hint 1</summary>\n\nThink.\n\n</details>",
            metadata={"minibert": {"generated": "exercise", "name": "maps", "part": "task"}},
        )
    )
    nbformat.write(notebook, path)
    (book / "notebooks" / "quizzes").mkdir()
    (book / "notebooks" / "quizzes" / "04_maps.toml").write_text(
        QUIZ.format(wrong=wrong, answer=answer, right=right)
    )
    return book


@pytest.mark.parametrize(
    "texts",
    [
        dict(
            task="Make 12,345 of 33.",
            wrong="It is 0.84 of 512.",
            answer="41.25",
            right="Of 17 and 54,321.",
        ),
        dict(task="A full turn takes 360/6 = 60 seconds.", right="A fresh head pays ln 4 = 1.39."),
    ],
)
def test_exercises_and_quizzes_have_the_numbers_of_their_chapter(tmp_path, texts):
    assert minibert_numbers.check(asking(tmp_path, **texts)) == ([], 0)


@pytest.mark.parametrize(
    "texts, complaint",
    [
        (
            dict(task="Make 12,346 of it."),
            "04_maps.ipynb, exercise maps: nothing in its chapter gives 12,346: … Make 12,346 of it.",
        ),
        (
            dict(wrong="No, it is 0.83."),
            "quizzes/04_maps.toml, question 1: nothing in its chapter gives 0.83: … No, it is 0.83.",
        ),
        (
            dict(answer="It is 1,025."),
            "quizzes/04_maps.toml, question 1: nothing in its chapter gives 1,025: … It is 1,025.",
        ),
        (
            dict(right="It pays ln 4 = 1.49."),
            "quizzes/04_maps.toml, question 1: nothing in its chapter gives 1.49: … It pays ln 4 = 1.49.",
        ),
        (
            dict(task="It takes 360/6 = 61 seconds."),
            "04_maps.ipynb, exercise maps: nothing in its chapter gives 360: … It takes 360/6 = 61 seconds.",
        ),
    ],
)
def test_a_number_of_theirs_without_a_source_is_named(tmp_path, texts, complaint):
    assert complaint in minibert_numbers.check(asking(tmp_path, **texts))[0]


def test_a_log_that_a_section_loads_gives_its_longer_numbers(tmp_path):
    book = small_book(tmp_path, "It is 41.25, not 0.5.", logs="`benchmarks/logs/speed.json`")
    assert [line.split("gives ")[1][:3] for line in minibert_numbers.check(book)[0]] == ["0.5"]


def test_pages_are_checked_by_section(tmp_path):
    found, _ = minibert_numbers.check(
        small_book(
            tmp_path,
            "",
            page="## One\n\nIt prints 77:\n\n```\n77\n```\n\n## Two\n\nIt is 78.\n\n### Three\n\nIt is 79.",
        )
    )
    assert found == [
        "page.md, '## Two': no cell, log or work gives 78: … It is 78.",
        "page.md, '### Three': no cell, log or work gives 79: … It is 79.",
    ]


def test_the_build_warns_and_so_stops(tmp_path):
    source = small_book(tmp_path / "source", "It is 0.83.")
    (source / "conf.py").write_text(
        'extensions = ["myst_nb", "minibert_numbers"]\nnb_execution_mode = "off"\n'
    )
    (source / "index.md").write_text("# Index\n\n```{toctree}\nnotebooks/04_maps\nbook/page\n```\n")
    with (
        docutils_namespace(),
        pytest.raises(
            SphinxWarning, match=r"04_maps\.ipynb, cell 4.*no cell, log or work gives 0\.83"
        ),
    ):
        Sphinx(
            source,
            source,
            tmp_path / "out",
            tmp_path / "trees",
            "html",
            status=None,
            warningiserror=True,
        )


def test_arithmetic_and_places_in_a_log(tmp_path):
    book = small_book(tmp_path, "")
    assert (
        compute("7,087,872 - 7,000,000") == 87_872 and compute("-(2 ** 3) + sqrt(16) * ln(1)") == -8
    )
    assert (
        log_value(book, "speed", "count(rows[*].score)") == 3
        and log_value(book, "speed", "rows[variant=b].score / rows[0].score") == 82.5
    )
    assert (
        log_value(book, "speed", "rows[0].score / 2") == 0.25
        and Figure("0.60", 0.6, 2).significant == 1
    )


# ---------------------------------------------------------------- several seeds, and how far they lie apart

SPREAD = re.compile(
    r"\b(?:min|max|sorted|std|quantile|fill_between|errorbar|seed|\w+_(?:low|high)|lowest|highest|spread|apart)\b"
)


def bands_missing(notebook):
    """Logs with several seeds of which no cell, from the one that opens them to the next that opens another, shows how far these lie apart."""
    opened = None
    for cell in [*notebook.cells, new_code_cell('benchmark_log("")')]:
        if cell.cell_type != "code":
            continue
        if names := re.findall(r'benchmark_log\("([\w-]*)"\)', cell.source):
            if opened:
                yield opened
            opened = names[-1] if names[-1] and has_seeds(names[-1]) else None
        if cell.outputs and SPREAD.search(cell.source):
            opened = None


def has_seeds(name):
    rows = json.loads(
        (ROOT / "benchmarks" / "logs" / f"{name}.json").read_text(encoding="utf-8")
    ).get("rows", [])
    return len({row["variant"] for row in rows}) < len(rows)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "notebooks").glob("[01]?_*.ipynb")), ids=lambda path: path.stem
)
def test_what_was_measured_with_several_seeds_is_shown_with_their_spread(path):
    assert list(bands_missing(nbformat.read(path, 4))) == []


def test_a_mean_alone_is_noticed():
    output = [new_output("stream", name="stdout", text="0.5")]
    opened = new_code_cell('log = benchmark_log("small_world")\nprint(mean(log))', outputs=output)
    assert list(
        bands_missing(
            new_notebook(cells=[opened, new_code_cell("plot(mean(log))", outputs=output)])
        )
    ) == ["small_world"]
    assert (
        list(
            bands_missing(
                new_notebook(
                    cells=[opened, new_code_cell("print(max(log) - min(log))", outputs=output)]
                )
            )
        )
        == []
    )
    assert has_seeds("failures") and not has_seeds("scaling")
