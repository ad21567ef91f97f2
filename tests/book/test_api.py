"""The API reference: it has every public name, says of each what its docstring says, and leads to the chapters as they lead to it."""

import importlib
import inspect
import pkgutil
import re
import sys

import nbformat
import pytest
from built_pages import page
from nbformat.v4 import new_code_cell, new_notebook

import minibert
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import api_source
from minibert_api import MARKER, named, names_of_cells
from minibert_equations import read

PAGES = sorted((ROOT / "book" / "api").glob("*.md"))
NAMES = api_source.index(ROOT)


def squashed(text):
    """Letters and digits alone: what is left of a text under any layout."""
    return re.sub(r"[\W_]", "", text)


def test_every_module_stands_on_one_page():
    listed = [
        name
        for path in PAGES
        for marker in MARKER.findall(path.read_text(encoding="utf-8"))
        for name in named(ROOT, marker)
    ]
    assert sorted(listed) == sorted(api_source.modules(ROOT))
    packages = {module.name for module in pkgutil.walk_packages(minibert.__path__, "minibert.")}
    assert {
        name for name in packages if not name.startswith((*api_source.HIDDEN, "minibert.__main__"))
    } | {"minibert"} == set(listed)


@pytest.mark.parametrize("name", sorted(api_source.modules(ROOT)))
def test_names_and_arguments_are_those_of_the_imported_module(name):
    module = importlib.import_module(name)
    for found, thing in vars(module).items():
        if (
            found.startswith("_")
            or getattr(thing, "__module__", None) != name
            or not (inspect.isclass(thing) or inspect.isfunction(thing))
        ):
            continue
        entry = NAMES[f"{name}.{found}"]
        assert squashed(inspect.getdoc(thing) or "") == squashed(entry.text) or (
            not entry.text and inspect.isclass(thing)
        ), entry.name
        if inspect.isfunction(thing) and not hasattr(thing, "__wrapped__"):
            wanted = list(inspect.signature(thing).parameters)
            assert (
                re.findall(r"\w+", ", ".join(entry.signature[1:].split(")")[0].split(", ")))[:1]
                == wanted[:1]
            ), entry.name
            assert all(re.search(rf"\b{parameter}\b", entry.signature) for parameter in wanted), (
                entry.name
            )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_page_says_what_the_docstrings_say(site, path):
    built = page(site, f"book/api/{path.stem}")
    text, modules = (
        squashed(built.text),
        [
            name
            for marker in MARKER.findall(path.read_text(encoding="utf-8"))
            for name in named(ROOT, marker)
        ],
    )
    for name in modules:
        assert built.ids[f"module-{name}"] == 1
        for entry in api_source.modules(ROOT)[name].entries:
            for part in [entry, *entry.members]:
                assert built.ids[part.name] == 1, part.name
                for paragraph in re.split(r"\n\s*\n", part.text):
                    assert squashed(paragraph) in text, f"{part.name}: {paragraph}"


def test_chapters_lead_to_entries_and_entries_to_chapters(site):
    chapter, model = page(site, "notebooks/04_attention"), page(site, "book/api/model")
    assert "../book/api/model.html#minibert.attention.attend" in chapter.links
    assert any(link.startswith("../../notebooks/04_attention.html#") for link in model.links)
    used = {
        link.split("#")[1]
        for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")
        for link in page(site, f"notebooks/{path.stem}").links
        if "book/api/" in link and "#" in link
    }
    assert len(used) >= 30 and {name.removeprefix("module-") for name in used} <= set(NAMES) | set(
        api_source.modules(ROOT)
    )


def test_an_entry_names_its_equations_and_their_tests(site):
    for equation in read(ROOT)[0]:
        for symbol in equation.symbols:
            if symbol in NAMES:
                docname = next(
                    path.stem for path in PAGES if page(site, f"book/api/{path.stem}").ids[symbol]
                )
                source = page(site, f"book/api/{docname}").source
                entry = source[source.index(f'id="{symbol}"') :]
                place = entry.index(f"notebooks/{equation.chapter}.html#{equation.anchor}")
                assert all(
                    test in re.sub(r"<[^>]*>", "", entry[place : place + 4000])
                    for test in equation.tests
                ), symbol


def test_a_variable_and_a_plain_word_are_no_names_of_the_package(tmp_path):
    """`weights` in a chapter is what its cell has computed, and `update` a word, unless the cell imports it."""
    cells = [
        "from minibert.training.optim import update",
        "weights = attend(query, mask=None)",
        "%matplotlib inline",
        "def forward(hidden): ...",
    ]
    nbformat.write(new_notebook(cells=list(map(new_code_cell, cells))), tmp_path / "a.ipynb")
    own, imported = names_of_cells(tmp_path / "a.ipynb")
    assert (own, imported) == ({"weights", "forward", "hidden"}, {"update"})
    (tmp_path / "a.md").write_text("```python\nweights = 1\n```\n")
    assert names_of_cells(tmp_path / "a.md") == (set(), set())


def test_no_link_from_a_plain_word_that_the_chapter_does_not_import(site):
    for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"):
        source = page(site, f"notebooks/{path.stem}").source
        for name in re.findall(
            r'class="api-link[^>]*><code[^>]*><span class="pre">([a-z]+)</span></code>', source
        ):
            assert name in names_of_cells(path)[1], f"{path.stem}: {name}"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "bias  [B, S]: zero\nempty [B, 1]: or not\n      at all",
            "- **bias** · [B, S]: zero\n- **empty** · [B, 1]: or not\n  at all",
        ),
        (
            "Costs $HOME, the <main> part, `<br>`, *so* and 2 * B.",
            r"Costs \$HOME, the \<main> part, `<br>`, *so* and 2 * B.",
        ),
        (
            "See:\n\n    A_l = 0.5·W_l        R_1 = A_1",
            "See:\n\n    A_l = 0.5·W_l        R_1 = A_1",
        ),
        ("50%\n% of it", "50%\n\\% of it"),
        ("[S] -> [S, H], `a -> b`", "[S] → [S, H], `a -> b`"),
    ],
)
def test_docstrings_become_markdown(text, wanted):
    assert api_source.markdown(text) == wanted


def test_signatures_have_numbers_as_written_and_types_without_quotes():
    source = "def go(a: list['Box'], kind: Literal['big'] = 'big', rate: float = 1e-6, *, at=(2.50, 'é', 20_000)) -> 'Box': ...\nPEAKS = {'A': 312e12}\n"
    go, peaks = api_source.read_module("m", "m.py", source).entries
    assert (
        go.signature
        == "(a: list[Box], kind: Literal['big']='big', rate: float=1e-6, *, at=(2.50, 'é', 20_000)) -> Box"
    )
    assert peaks.options == (""":value: "{'A': 312e12}\"""",)


def test_no_option_of_a_command_becomes_a_dash(site):
    for path in PAGES:
        text = re.sub(
            r"(?s)<(pre|title|nav)\b.*?</\1>", "", page(site, f"book/api/{path.stem}").source
        )
        assert not re.findall(r"[^\w\s]?[–—]\w+", text), path.stem


def test_how_names_are_written():
    aliases = api_source.aliases(ROOT)
    assert aliases["BertModel"] == aliases["minibert.BertModel"] == "minibert.model.BertModel"
    assert (
        aliases["BertModel.forward"] == "minibert.model.BertModel.forward"
        and "forward" not in aliases
    )
    assert aliases["minibert.data.mask_tokens"] == "minibert.data.masking.mask_tokens"
    assert "train" not in aliases, "two modules have one"
