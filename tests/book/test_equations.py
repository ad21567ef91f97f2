"""Every numbered equation has its symbol and its test, the build says when one is gone, and the test really calls the symbol."""

import inspect
import json
import os
import re
import subprocess
import sys
import textwrap
from pkgutil import resolve_name
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from nbformat.v4 import new_markdown_cell, new_notebook
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import docutils_namespace

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_book
import minibert_equations
from minibert_equations import definition

EQUATIONS, COMPLAINTS = minibert_equations.read(ROOT)


def test_every_equation_of_the_book_has_its_line_and_its_test():
    assert COMPLAINTS == []
    chapters = {path.stem for path in (ROOT / "notebooks").glob("[01]?_*.ipynb")}
    assert (
        len(EQUATIONS) >= 32 and len(chapters - {equation.chapter for equation in EQUATIONS}) <= 2
    )  # not all chapters have formulas


def test_lines_are_those_of_python():
    for name in sorted({name for equation in EQUATIONS for name in equation.symbols}):
        file, line, code = definition(ROOT, name)
        symbol = resolve_name(name)
        if inspect.isfunction(symbol) or inspect.isclass(symbol):
            lines, first = inspect.getsourcelines(symbol)
            assert (ROOT / file, line) == (
                ROOT / inspect.getsourcefile(symbol)[len(str(ROOT)) + 1 :],
                first,
            )
            assert code == textwrap.dedent("".join(lines)).rstrip("\n")
        else:
            assert (
                (ROOT / file)
                .read_text(encoding="utf-8")
                .splitlines()[line - 1]
                .startswith(name.split(".")[-1])
            )


@pytest.mark.slow
def test_each_test_calls_what_it_is_said_to_prove(tmp_path):
    """A proof that never runs the line would prove nothing. A constant is used, not called: the test has to name it."""
    tests = sorted({test for equation in EQUATIONS for test in equation.tests})
    environment = os.environ | {
        "MINIBERT_REACHED": str(tmp_path / "reached.json"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "support"), str(ROOT)]),
    }
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "reached",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            *tests,
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-2000:]
    reached = json.loads((tmp_path / "reached.json").read_text(encoding="utf-8"))
    for equation in EQUATIONS:
        used = {
            (name, test)
            for name in equation.symbols
            for test in equation.tests
            if uses(name, test, reached[test])
        }
        for name in equation.symbols:
            assert any(name == symbol for symbol, _ in used), (
                f"equation {equation.number}: none of {equation.tests} uses {name}"
            )
        for test in equation.tests:
            assert any(test == prover for _, prover in used), (
                f"equation {equation.number}: {test} uses none of {equation.symbols}"
            )


def uses(name, test, reached):
    """Whether a test calls a function or a method of a class, or names a constant."""
    file, _, code = definition(ROOT, name)
    module = file.removesuffix(".py").replace("/", ".")
    inside = name.removeprefix(f"{module}.").removeprefix(f"{module.rpartition('.')[0]}.")
    if code.startswith(("def ", "class ", "@")):
        return any(f"{found}.".startswith(f"{file}::{inside}.") for found in reached)
    return inside in definition(ROOT, test)[2]


# ---------------------------------------------------------------- a book of one chapter, and everything that can be missing

TEXT = """We count.

$$1 + 1 = 2$$

That has no number. This has one, equation 4.1:

$$y = W x
\\tag{4.1}$$

**Equation 4.1** · [Somebody 2017](https://paper.example/one), equation 7 · computed by `minibert.maps.Linear.forward` and
`minibert.maps.double` · checked by `tests/test_maps.py::test_doubles`

$$\\begin{aligned} z &= y^2 \\\\ u &= z \\end{aligned} \\tag{4.2}$$

**Equation 4.2** · derived here · computed by `minibert.maps.SQUARE` · checked by `tests/test_maps.py::test_square`
"""
FAULTS = {
    "a symbol is gone": (
        "maps.double`",
        "maps.triple`",
        "equation 4.1: there is no symbol minibert.maps.triple",
    ),
    "a method is gone": (
        "Linear.forward",
        "Linear.backward",
        "equation 4.1: there is no symbol minibert.maps.Linear.backward",
    ),
    "its file is gone": (
        "minibert.maps.double",
        "minibert.tables.double",
        "equation 4.1: there is no symbol minibert.tables.double",
    ),
    "a module is no symbol": (
        "minibert.maps.double",
        "minibert.maps",
        "equation 4.1: there is no symbol minibert.maps",
    ),
    "a test is no symbol": (
        "minibert.maps.double",
        "tests/test_maps.py::test_square",
        "equation 4.1: there is no symbol tests/test_maps.py::test_square",
    ),
    "a test is gone": (
        "::test_square",
        "::test_cube",
        "equation 4.2: there is no test tests/test_maps.py::test_cube",
    ),
    "a helper is no test": (
        "::test_square",
        "::helper",
        "equation 4.2: there is no test tests/test_maps.py::helper",
    ),
    "a file of tests is gone": (
        "test_maps.py::test_square",
        "test_cards.py::test_square",
        "equation 4.2: there is no test tests/test_cards.py::test_square",
    ),
    "the line is gone": (
        "**Equation 4.2** · derived",
        "It was derived",
        "no line '**Equation 4.2** · source · computed by `…` · checked by `…`' follows the formula 4.2",
    ),
    "the line stands elsewhere": (
        "\n**Equation 4.2**",
        "\nSee:\n\n**Equation 4.2**",
        "the line of equation 4.2 stands under no formula with that number",
    ),
    "the line names no test": (
        " · checked by `tests/test_maps.py::test_square`",
        "",
        "the line is not '**Equation 4.2** · source",
    ),
    "the line names no source": (
        " · derived here",
        "",
        "the line is not '**Equation 4.2** · source",
    ),
    "a line without its formula": (
        "$$\\begin{aligned} z &= y^2 \\\\ u &= z \\end{aligned} \\tag{4.2}$$",
        "",
        "the line of equation 4.2 stands under no formula with that number",
    ),
    "a number twice": ("4.2", "4.1", "a formula has the number 4.1, but its turn is 4.2"),
    "a number left out": ("4.2", "4.3", "a formula has the number 4.3, but its turn is 4.2"),
    "a number of another chapter": (
        "4.1",
        "5.1",
        "a formula has the number 5.1, but its turn is 4.1",
    ),
    "a number of the paper": (
        "\\tag{4.1}",
        "\\tag{7}",
        "a formula has the number 7, but its turn is 4.1",
    ),
    "two numbers for one formula": (
        "\\tag{4.1}",
        "\\tag{4.1} \\\\ u = v \\tag{4.2}",
        "a formula has the number 4.1 and 4.2, but its turn is 4.1",
    ),
    "an equation that is not there": (
        "This has one, equation 4.1",
        "Compare equation 3.9",
        "the text speaks of equation 3.9, and no formula has that number",
    ),
}


def small_book(folder, text=TEXT):
    """A package of one module, its tests, and a chapter that holds `text`."""
    for name in ("minibert", "tests", "notebooks", "book"):
        (folder / name).mkdir(parents=True)
    (folder / "minibert" / "maps.py").write_text(
        "SQUARE = 2\n\n\nclass Linear:\n    def forward(self, x):\n        return 2 * x\n\n\ndef double(x):\n    return 2 * x\n"
    )
    (folder / "tests" / "test_maps.py").write_text(
        "def helper():\n    pass\n\n\ndef test_doubles():\n    assert 2 * 2 == 4\n\n\ndef test_square():\n    assert 2 ** 2 == 4\n"
    )
    notebook = new_notebook(
        cells=[new_markdown_cell("# Maps"), new_markdown_cell(text)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, folder / "notebooks" / "04_maps.ipynb")
    (folder / "book" / "equations.md").write_text("# Equations\n\nAll of them.\n")
    return folder


def test_a_right_line_is_read(tmp_path):
    equations, complaints = minibert_equations.read(small_book(tmp_path))
    assert complaints == []
    first, second = equations
    assert (first.number, first.chapter, first.formula, first.anchor) == (
        "4.1",
        "04_maps",
        "y = W x",
        "equation-4-1",
    )
    assert first.symbols == [
        "minibert.maps.Linear.forward",
        "minibert.maps.double",
    ] and first.tests == ["tests/test_maps.py::test_doubles"]
    assert (second.source, second.symbols) == ("derived here", ["minibert.maps.SQUARE"])
    assert definition(tmp_path, "minibert.maps.Linear.forward")[:2] == ("minibert/maps.py", 5)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_missing_is_said_with_its_place(tmp_path, fault):
    old, new, complaint = FAULTS[fault]
    assert old in TEXT
    found = minibert_equations.read(small_book(tmp_path, TEXT.replace(old, new)))[1]
    assert any(line.startswith(f"04_maps.ipynb, cell 1: {complaint}") for line in found), found


# ---------------------------------------------------------------- built


def build(folder, repository="https://book.invalid/course", text=TEXT):
    """The HTML of the chapter and of the index."""
    source = small_book(folder / "source", text)
    (source / "conf.py").write_text(
        'extensions = ["myst_nb", "minibert_book", "minibert_equations", "sphinxcontrib.bibtex"]\nmyst_enable_extensions = ["dollarmath"]\n'
        'bibtex_bibfiles = []\nnb_execution_mode = "off"\nhtml_theme = "sphinx_book_theme"\nsuppress_warnings = ["bibtex.missing_field"]\n'
    )
    (source / "index.md").write_text(
        "# Index\n\nRemember equation 4.2.\n\n```{toctree}\nnotebooks/04_maps\nbook/equations\n```\n"
    )
    overrides = {"html_theme_options": {"repository_url": repository, "repository_branch": "main"}}
    with docutils_namespace():
        app = Sphinx(
            source,
            source,
            folder / "out",
            folder / "trees",
            "html",
            overrides,
            status=None,
            warningiserror=True,
        )
        app.build()
    return [
        (folder / "out" / f"{name}.html").read_text()
        for name in ("notebooks/04_maps", "book/equations", "index")
    ]


def test_links_lead_both_ways(tmp_path):
    chapter, index, other = build(tmp_path)
    assert (
        '<p class="equation-line" id="equation-4-1"><a class="reference internal" href="../book/equations.html#equation-4-1"><strong>Equation 4.1</strong>'
        in chapter
    )
    assert (
        'id="equation-4-1"' in index
        and 'href="../notebooks/04_maps.html#equation-4-1">equation 4.1</a>' in index
    )
    assert 'href="notebooks/04_maps.html#equation-4-2">equation 4.2</a>' in other
    line = re.search(r'<p class="equation-line" id="equation-4-1">(.*?)</p>', chapter, re.DOTALL)[1]
    assert re.sub(r"<.*?>", "", line) == "Equation 4.1 · Somebody 2017, equation 7 · code and test"
    assert 'href="../book/equations.html#equation-4-1">code and test</a>' in line
    seen = re.sub(r"<.*?>", "", index)
    assert (
        "minibert/maps.py, line 5" in seen
        and "minibert/maps.py, line 9" in seen
        and "tests/test_maps.py::test_doubles · line 5" in seen
    )
    assert "assert 2 * 2 == 4" in seen and "def forward(self, x):" in seen


def test_a_number_stands_beside_several_rows(tmp_path):
    """MathJax refuses a number inside `split`, which is what Sphinx makes of rows."""
    for page in build(tmp_path)[:2]:
        assert (
            r"\begin{equation}\begin{aligned} z" in page
            and r"\tag{4.2}\end{equation}" in page
            and r"\begin{split}" not in page
        )


def test_an_answer_of_a_quiz_may_name_an_equation():
    """An answer is HTML, in which no link is made; marking it as right or wrong once broke this."""
    page = nodes.document(None, None)
    box = nodes.container(classes=["generated-quiz"])
    page += box
    answer = "<details><summary>equation 4.1</summary>"
    box += nodes.raw("", answer, format="html")
    box += nodes.paragraph("", "", nodes.Text("Right. So it is."))
    minibert_book.mark_answers(None, page)
    app = SimpleNamespace(minibert_equations=EQUATIONS)
    minibert_equations.link_equations(app, page, "page")
    assert box[0].astext() == answer.replace("<details>", '<details class="right">')


def test_code_leads_to_its_line_once_the_repository_has_an_address(tmp_path):
    _, index, _ = build(tmp_path, "https://github.com/someone/course")
    found = re.findall(r'href="https://github\.com/someone/course/blob/main/(.*?)"', index)
    assert {
        "minibert/maps.py#L5",
        "minibert/maps.py#L9",
        "minibert/maps.py#L1",
        "tests/test_maps.py#L5",
        "tests/test_maps.py#L9",
    } <= set(found)


@pytest.mark.parametrize("fault", ["a symbol is gone", "a test is gone", "the line is gone"])
def test_the_build_stops(tmp_path, fault):
    old, new, complaint = FAULTS[fault]
    with pytest.raises(ExtensionError, match=re.escape(f"04_maps.ipynb, cell 1: {complaint}")):
        build(tmp_path, text=TEXT.replace(old, new))
