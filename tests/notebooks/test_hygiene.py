"""The stored notebooks and quizzes hold to every rule, and every rule can fail."""

import base64
import copy
import io
import re
import subprocess
import sys
import tomllib

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_rules import (
    FORBIDDEN_WORDS,
    RULES,
    VIEW,
    WIDGETS,
    code_cells,
    complaints,
    copy_settings,
    missing_references,
    other_addresses,
    sanitize,
)
from PIL import Image

from tools import stamp as stamping
from tools.environment import NOTEBOOKS, ROOT
from tools.execute import CellFailed, run
from tools.stamp import book_config, prose, stamp
from tools.stills import store_pictures

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
QUIZZES = sorted((NOTEBOOKS / "quizzes").glob("*.toml"))
PAGES = sorted([*ROOT.glob("book/**/*.md"), *ROOT.glob("*.md")])
SPECIMEN = "05_encoder"  # a chapter with everything: figures, a moving figure, exercises, a quiz


def read(stem):
    return nbformat.read(NOTEBOOKS / f"{stem}.ipynb", 4)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_holds_to_every_rule(path):
    assert not complaints(nbformat.read(path, 4), path.stem)


def test_every_chapter_is_there():
    chapters = {
        "00_first_look",
        "01_tokens",
        "02_embeddings",
        "03_positions",
        "04_attention",
        "05_encoder",
        "06_bert",
    }
    assert chapters | {"solutions"} <= {path.stem for path in PATHS}


@pytest.mark.parametrize("reads_corpus", [False, True])
def test_set_up_is_the_same_everywhere(reads_corpus):
    paths = [path for path in PATHS if (path.stem in stamping.READS_CORPUS) == reads_corpus]
    setups = {
        cell.source
        for path in paths
        for cell in nbformat.read(path, 4).cells
        if cell.metadata.get("minibert", {}).get("generated") == "setup"
    }
    assert len(setups) == (1 if paths else 0)
    assert all(("gensim==4.4.0" in setup) == reads_corpus for setup in setups)


def test_chapters_that_read_the_default_corpus_install_it():
    """Its name as an argument is how it is asked for: documents("default"), --corpus default, or a command without --corpus."""
    reading = re.compile(
        r"""documents\(\s*["']default|wikipedia_texts|minibert (tokenizer|pretrain)(?!.*--corpus)"""
    )
    found = {
        path.stem
        for path in PATHS
        if any(reading.search(cell.source) for cell in code_cells(nbformat.read(path, 4)))
    }
    assert found <= stamping.READS_CORPUS


# ---------------------------------------------------------------- every rule can fail


def first(notebook, wanted):
    return next(cell for cell in code_cells(notebook) if wanted(cell))


def with_image(cell):
    return any("image/png" in output.get("data", {}) for output in cell.outputs) and not with_view(
        cell
    )


def with_view(cell):
    return any(VIEW in output.get("data", {}) for output in cell.outputs)


def with_text(cell):
    return bool(cell.outputs) and cell.outputs[0].output_type == "stream"


def replace_images(notebook, content):
    for cell in filter(with_image, code_cells(notebook)):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = content


def blank_png():
    buffer = io.BytesIO()
    Image.new("RGB", (60, 40), "white").save(buffer, "png")
    return base64.b64encode(buffer.getvalue()).decode()


def add_code(notebook, source, **fields):
    notebook.cells.append(
        new_code_cell(source, execution_count=len(code_cells(notebook)) + 1, **fields)
    )


def add_text(notebook, text):
    notebook.cells.append(new_markdown_cell(text))


def tag_many(notebook, tag):
    for cell in code_cells(notebook)[3:15]:
        cell.metadata["tags"] = [tag]


def drop_models(notebook, kind):
    widgets = notebook.metadata.widgets[WIDGETS]
    widgets["state"] = {
        name: model for name, model in widgets["state"].items() if model["model_name"] != kind
    }


def change_figures(notebook, **state):
    for model in notebook.metadata.widgets[WIDGETS]["state"].values():
        model["state"].update(state)


def change_predictions(notebook, pattern, text):
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(pattern, text, cell.source)


def strip_all(notebook):
    for cell in code_cells(notebook):
        cell.outputs = []


MUTATIONS = {
    "valid_format": [
        lambda nb: nb.cells.append(
            {"cell_type": "poem", "id": "poem", "source": "", "metadata": {}}
        )
    ],
    "run_in_order": [
        lambda nb: first(nb, with_text).update(execution_count=None),
        lambda nb: first(nb, with_text).update(execution_count=99),
        lambda nb: nb.cells.append(new_code_cell("1")),
    ],
    "no_trailing_semicolon": [lambda nb: add_code(nb, "plt.plot([1]);")],
    "errors_are_announced": [
        lambda nb: add_code(
            nb, "1/0", outputs=[new_output("error", ename="E", evalue="", traceback=[])]
        ),
        lambda nb: add_code(nb, "1", metadata={"tags": ["raises-exception"]}),
        lambda nb: add_code(
            nb, "1/0", metadata={"tags": ["raises-exception", "nbval-ignore-output"]}
        ),
    ],
    "widgets_have_state": [
        lambda nb: nb.metadata.pop("widgets"),
        lambda nb: drop_models(nb, "AnyModel"),
        lambda nb: drop_models(nb, "LayoutModel"),
        lambda nb: [
            model["state"].pop("_esm", None)
            for model in nb.metadata.widgets[WIDGETS]["state"].values()
        ],
        lambda nb: [output.data.pop(VIEW) for output in first(nb, with_view).outputs],
    ],
    "moving_figures_have_pictures": [
        lambda nb: [output.data.pop("image/png") for output in first(nb, with_view).outputs],
        lambda nb: first(nb, with_view).outputs[0].metadata.update(still="0"),
        lambda nb: change_figures(nb, alt="A figure."),
        lambda nb: change_figures(nb, try_this=""),
    ],
    "images_are_drawn_and_described": [
        lambda nb: first(nb, with_image).metadata.pop("mystnb"),
        lambda nb: first(nb, with_image).metadata.mystnb.image.update(alt="figure"),
        lambda nb: replace_images(nb, "cnViYmlzaA=="),
        lambda nb: replace_images(nb, blank_png()),
        lambda nb: first(nb, with_image).update(outputs=[]),
        lambda nb: add_text(nb, "![a photograph](https://example.org/a.png)"),
        lambda nb: add_text(nb, "![](a.png)"),
    ],
    "sizes": [
        lambda nb: add_code(nb, "text", outputs=[new_output("stream", text="x" * 500_000)]),
        lambda nb: add_text(nb, "x" * 4_000_000),
    ],
    "few_cells_are_ignored": [
        lambda nb: tag_many(nb, "nbval-ignore-output"),
        lambda nb: tag_many(nb, "nbval-skip"),
    ],
    "half_of_the_cells_show_what_is_compared": [
        strip_all,
        lambda nb: (
            tag_many(nb, "nbval-ignore-output") or [add_code(nb, f"x = {i}") for i in range(60)]
        ),
    ],
    "nothing_hides_output": [
        lambda nb: add_code(nb, "%%capture\nprint(1)"),
        lambda nb: add_code(nb, "import warnings\nwarnings.filterwarnings('ignore')"),
        lambda nb: add_code(nb, "with contextlib.redirect_stdout(None):\n    print(1)"),
        lambda nb: add_code(nb, "# NBVAL_IGNORE_OUTPUT\nprint(1)"),
        lambda nb: add_code(nb, "print(1)", metadata={"tags": ["nbval-ignore-ouput"]}),
    ],
    "generated_cells_are_current": [
        lambda nb: nb.cells[1].update(source=nb.cells[1].source + "\n# mine"),
        lambda nb: add_text(nb, "{{quiz}}"),
        lambda nb: nb.cells.remove(
            next(
                cell
                for cell in nb.cells
                if cell.metadata.get("minibert", {}).get("part") == "solution"
            )
        ),
        lambda nb: next(
            cell
            for cell in nb.cells
            if cell.metadata.get("minibert", {}).get("generated") == "quiz"
        ).update(source="none"),
        lambda nb: nb.cells[0].update(id="x"),
        lambda nb: nb.cells[0].update(
            source=re.sub(r"reading \d+", "reading 90", nb.cells[0].source)
        ),
    ],
    "set_up_comes_first": [
        lambda nb: nb.cells.pop(1),
        lambda nb: nb.cells.insert(0, new_markdown_cell("# Hello")),
    ],
    "opener_is_short": [
        lambda nb: nb.cells[0].update(source=nb.cells[0].source.replace("?\n", ".\n", 1)),
        lambda nb: nb.cells[0].update(source=nb.cells[0].source.replace("<details>", "")),
        lambda nb: nb.cells.pop(2),
        lambda nb: nb.cells.append(new_markdown_cell("One more thing")),
        lambda nb: nb.cells[3].metadata.pop("tags"),
    ],
    "header_is_complete": [
        lambda nb: nb.cells[0].update(source=nb.cells[0].source.lstrip("# ")),
        lambda nb: nb.cells[0].update(
            source=re.sub(r"^[-*] .*$", "", nb.cells[0].source, flags=re.MULTILINE)
        ),
        lambda nb: nb.cells[0].update(source=nb.cells[0].source.replace("**Time**", "Time")),
        lambda nb: nb.cells[0].update(
            source=re.sub(r"about \d+ s", "about 1 s", nb.cells[0].source)
        ),
    ],
    "predictions_are_right": [
        lambda nb: change_predictions(nb, r"answer: 2;", "answer: 4;"),
        lambda nb: change_predictions(nb, r"answer: 2; printed", "answer: two; printed"),
        lambda nb: change_predictions(nb, r"; printed: ", "; printed: not "),
        lambda nb: change_predictions(nb, r"0\.99 from 0 to 1", "0.99 from 0 to 0.5"),
        lambda nb: change_predictions(nb, r"0\.99 from 0 to 1", "0.90 from 0 to 1"),
        lambda nb: change_predictions(nb, r"0\.99 from 0 to 1", "1"),
    ],
    "chapter_is_complete": [
        lambda nb: nb.update(
            cells=[
                cell
                for cell in nb.cells
                if cell.metadata.get("minibert", {}).get("generated") != "exercise"
            ]
        ),
        lambda nb: nb.update(
            cells=[
                cell
                for cell in nb.cells
                if cell.metadata.get("minibert", {}).get("generated") != "quiz"
            ]
        ),
        lambda nb: nb.update(
            cells=[cell for cell in nb.cells if cell.cell_type != "code" or not with_view(cell)]
        ),
    ],
    "one_address": [
        lambda nb: add_text(nb, "[the course](https://elsewhere.example/minibert-course)")
    ],
    "no_folders_of_a_machine": [
        lambda nb: add_code(nb, "open('/home/me/x')"),
        lambda nb: first(nb, with_text).outputs[0].update(text="/tmp" + "/x/y.py:3: UserWarning"),
    ],
    "references_exist": [
        lambda nb: add_text(nb, "See `minibert/nowhere.py`."),
        lambda nb: add_text(nb, "See `tests/notebooks/test_hygiene.py::test_of_nothing`."),
    ],
    "words": [
        lambda nb: add_text(nb, "This is simply a sum."),
        lambda nb: add_text(nb, "An Easy one."),
    ],
}


def test_every_rule_has_its_mutations():
    assert set(MUTATIONS) == {rule.__name__ for rule in RULES}


@pytest.mark.parametrize(
    ("rule", "mutate"),
    [(rule, mutate) for rule in RULES for mutate in MUTATIONS[rule.__name__]],
    ids=[f"{rule.__name__}-{i}" for rule in RULES for i, _ in enumerate(MUTATIONS[rule.__name__])],
)
def test_a_rule_can_fail(rule, mutate):
    notebook = read(SPECIMEN)
    assert not list(rule(notebook, SPECIMEN))
    mutate(notebook)
    assert list(rule(notebook, SPECIMEN))


def test_words_in_code_and_formulas_are_free():
    assert not FORBIDDEN_WORDS.search(
        prose(
            "`just(x)` and $easy$\n```python\nsimply = 1\n```\n[it](https://simply.example/just) adjusts."
        )
    )


# ---------------------------------------------------------------- pages, quizzes, sanitizers


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_page_names_no_other_address_and_nothing_that_is_absent(path):
    text = path.read_text(encoding="utf-8")
    assert not list(other_addresses(text, book_config()["repository"]["url"]))
    assert not list(missing_references(text))
    assert not FORBIDDEN_WORDS.findall(prose(text))


def test_every_chapter_has_a_quiz():
    assert [path.stem for path in QUIZZES] == [
        path.stem for path in PATHS if path.stem != "solutions"
    ]


@pytest.mark.parametrize("path", QUIZZES, ids=lambda path: path.stem)
def test_quiz(path):
    questions = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    assert len(questions) == 5
    for question in questions:
        options = question["option"]
        assert question.keys() == {"ask", "option"} and question["ask"].strip()
        assert 3 <= len(options) <= 4
        assert all(
            option.keys() <= {"text", "why", "right"}
            and option["text"].strip()
            and len(option["why"]) >= 20
            for option in options
        ), question["ask"]
        assert (
            len({option["text"] for option in options})
            == len({option["why"] for option in options})
            == len(options)
        )
        assert (
            sum("right" in option for option in options)
            == sum(option.get("right") is True for option in options)
            == 1
        ), f"one right option: {question['ask']}"


@pytest.mark.parametrize(
    "text",
    [
        "0.123 -1.5e-05 12 s 2026-11-21 00:12:01",
        "torch.Size([2, 3])",
        "0x1f",
        "max difference below 1e-5: True",
        "minibert/attention.py",
        "--- a/minibert/attention.py",
        "similarity of 'bank' at 3",
        "<table><td>0.31</td></table>",
        "ValueError: hidden_size 7",
    ],
)
def test_sanitizers_leave_what_counts(text):
    assert sanitize(text) == text


def test_sanitizers_leave_every_stored_output():
    for path in PATHS:
        for cell in code_cells(nbformat.read(path, 4)):
            for output in cell.outputs:
                text = output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
                assert sanitize(text) == text or "at 0x" in text or "CELL.py" in text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<X at 0x7f12ab34>", "<X at 0x7fff0000>"),
        ("/a/ipykernel_12/345.py:3: W", "CELL.py:3: W"),
        ("/home/a/minibert/model.py:7: W", "minibert/model.py:7: W"),
        (r"C:\a\minibert/model.py:7: W", "minibert/model.py:7: W"),
    ],
)
def test_sanitizers_make_equal_what_a_machine_decides(one, other):
    assert sanitize(one) == sanitize(other)


# ---------------------------------------------------------------- stamping and executing


def test_cells_with_the_same_source_keep_their_own_outputs():
    notebook = new_notebook(
        cells=[
            new_code_cell("x", execution_count=i, outputs=[new_output("stream", text=str(i))])
            for i in (1, 2)
        ]
    )
    cells = stamp(copy.deepcopy(notebook), "small").cells
    assert [(cell.execution_count, cell.outputs) for cell in cells] == [
        (cell.execution_count, cell.outputs) for cell in notebook.cells
    ]


def small_notebook(*sources):
    return new_notebook(
        cells=[
            new_markdown_cell("# Small"),
            new_markdown_cell("{{setup}}"),
            *map(new_code_cell, sources),
            new_markdown_cell("{{launch}}"),
        ]
    )


def test_stamping_twice_changes_nothing_and_keeps_outputs():
    once = stamp(read(SPECIMEN), SPECIMEN)
    assert stamp(copy.deepcopy(once), SPECIMEN) == once == read(SPECIMEN)


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("{{exercise nothing}}", "no exercise is called 'nothing'"),
        ("{{poem}}", "unknown marker {{poem}}"),
        ("## Quiz\n\n{{quiz}}", "must stand alone"),
    ],
)
def test_a_wrong_marker_is_explained(marker, message):
    notebook = new_notebook(cells=[new_markdown_cell(marker)])
    with pytest.raises(ValueError, match=re.escape(message)):
        stamp(notebook, SPECIMEN)


def test_an_address_on_github_makes_links(monkeypatch):
    config = {"repository": {"url": "https://github.com/someone/some-course", "branch": "main"}}
    monkeypatch.setattr(stamping, "book_config", lambda: config)
    cells = stamp(small_notebook(), "04_attention").cells
    text, setup = cells[-1].source, cells[1].source
    assert (
        "https://colab.research.google.com/github/someone/some-course/blob/main/notebooks/04_attention.ipynb"
        in text
    )
    assert (
        "https://mybinder.org/v2/gh/someone/some-course/main?urlpath=lab/tree/notebooks/04_attention.ipynb"
        in text
    )
    assert "git+https://github.com/someone/some-course" in setup
    assert not list(other_addresses(text + setup, config["repository"]["url"]))
    assert list(other_addresses(text, "https://github.com/someone/other-course"))


def test_a_failing_cell_is_named(tmp_path):
    with pytest.raises(
        CellFailed,
        match=r"small: cell 2 failed with ZeroDivisionError: division by zero\n    \| x = 1 / 0",
    ):
        run(stamp(small_notebook("x = 1 / 0"), "small"), "small", tmp_path)


def test_running_twice_makes_the_same_file(tmp_path, needs_chromium):
    source = "from minibert.course.figures import flipbook\nflipbook({'one': '<p>1</p>', 'two': '<p>2</p>'}, 'a number in words')"
    notebooks = [
        stamp(
            small_notebook(
                source,
                "import sys, warnings\nprint(1)\nprint(2, file=sys.stderr)\nwarnings.warn('careful')",
            ),
            "small",
        )
        for _ in range(2)
    ]
    for notebook in notebooks:
        run(notebook, "small", tmp_path)
        store_pictures(notebook, notebook)
        stamp(notebook, "small")
    assert nbformat.writes(notebooks[0]) == nbformat.writes(notebooks[1])
    assert not [complaint for rule in RULES for complaint in rule(notebooks[0], "small")]


@pytest.fixture
def small_repository(tmp_path):
    """A repository with this one's settings of pytest and one small notebook, run."""
    copy_settings(tmp_path)
    (tmp_path / "notebooks").mkdir()
    notebook = new_notebook(
        cells=[
            new_code_cell("print(1)"),
            new_code_cell("object()", metadata={"tags": ["nbval-ignore-output"]}),
            new_code_cell("1 + 1"),
        ]
    )
    run(notebook, "small", tmp_path)
    nbformat.write(notebook, tmp_path / "notebooks" / "small.ipynb")
    return tmp_path


def nbval(repository, *arguments, folder=None):
    command = [sys.executable, "-m", "pytest", "--nbval", *(arguments or ("notebooks/",))]
    done = subprocess.run(
        command, cwd=folder or repository, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def test_plain_nbval_is_strict_from_any_folder(small_repository, tmp_path_factory):
    path = small_repository / "notebooks" / "small.ipynb"
    code, output = nbval(small_repository)
    assert code == 0 and "2 workers" in output and "3 passed" in output
    assert "not compared: small, cell 1\n" in output
    code, output = nbval(
        small_repository, str(path), "-p", "no:xdist", folder=tmp_path_factory.mktemp("elsewhere")
    )
    assert code == 0 and "workers" not in output and "3 passed" in output

    notebook = nbformat.read(path, 4)
    notebook.cells[2].outputs[0].data["text/plain"] = "3"
    nbformat.write(notebook, path)
    for cell in notebook.cells:
        cell.update(outputs=[], execution_count=None)
    nbformat.write(notebook, path.with_name("stripped.ipynb"))
    code, output = nbval(small_repository)
    assert code not in (0, 5) and "1 failed, 2 passed" in output
    assert "stripped.ipynb: cells [0, 1, 2] were never run" in output


def test_a_skip_is_a_failure_where_nothing_may_be_absent(small_repository, monkeypatch):
    (small_repository / "tests" / "test_absent.py").write_text(
        "from conftest import absent\n\n\ndef test_data():\n    absent('the data', 'get it')\n",
        encoding="utf-8",
    )
    for flag, outcome in (("0", "1 skipped"), ("1", "1 failed")):
        monkeypatch.setenv("MINIBERT_NO_SKIPS", flag)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-rsf", "tests"],
            cwd=small_repository,
            capture_output=True,
            text=True,
        )
        assert outcome in done.stdout and "the data is absent: get it" in done.stdout
