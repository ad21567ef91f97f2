"""The index of the book: what counts as a place that treats something, on a small course; and that the real index misses nothing."""

import re
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from notebook_rules import code_cells

from tools.environment import NOTEBOOKS, ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from minibert_index import entries, page, symbols, terms

CELLS = [
    new_markdown_cell(
        "# Attention\n\nA *query*, some *Keys (plural)*; `scores`, `scores()`, `nobody`."
    ),
    new_markdown_cell(
        "## Two masks\n\n**Masks** and `minibert.attention.Mask`.\n\n### The class `Mask`\n\n`minibert/attention.py::scores` and `minibert/encoder.py::scores`, `encoder.scores`"
    ),
    new_code_cell("show_source(Mask)\nshow_source(model.stack)"),
    new_markdown_cell("## Keys\n\nText.", metadata={}),
    new_markdown_cell(
        "### Exercise\n\n*value*, `stack`", metadata={"minibert": {"generated": "exercise"}}
    ),
    new_code_cell("def stack(): ..."),
    new_markdown_cell("## Words and values\n\n`stack` of this chapter"),
    new_markdown_cell("## Summary\n\n*value* and `_hidden` and `stack`"),
]


@pytest.fixture
def course(tmp_path):
    for folder in ("book", "notebooks", "minibert/course/exercises"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "book" / "glossary.md").write_text(
        "# Glossary\n\nkey\n: It answers.\n\nmask (padding), attention mask\n: It hides.\n\nquery\n: It asks.\n\nvalue\n: It says.\n"
    )
    (tmp_path / "minibert" / "attention.py").write_text(
        "class Mask:\n    def inner(self): ...\n\n\ndef scores(): ...\n\n\ndef _hidden(): ...\n"
    )
    (tmp_path / "minibert" / "encoder.py").write_text("def stack(): ...\n")
    (tmp_path / "minibert" / "course" / "exercises" / "ch04_x.py").write_text("def query(): ...\n")
    (tmp_path / "book" / "more_than_one_machine.md").write_text(
        "# Machines\n\n## Shards\n\n*value*\n\n```text\n*query*\n```\n\n<!--\n`stack`\n-->\n"
    )
    nbformat.write(new_notebook(cells=CELLS), tmp_path / "notebooks" / "04_attention.ipynb")
    return tmp_path


def test_what_counts_as_a_place(course):
    assert symbols(course) == {
        "Mask": ["minibert.attention"],
        "scores": ["minibert.attention"],
        "stack": ["minibert.encoder"],
    }
    assert terms(course) == {
        "key": ["key"],
        "mask (padding), attention mask": ["mask", "attention mask"],
        "query": ["query"],
        "value": ["value"],
    }
    found = {entry: (modules, dict(places)) for entry, (modules, places) in entries(course).items()}
    assert found == {
        "key": ([], {"04_attention": ["Keys"]}),
        "mask (padding), attention mask": ([], {"04_attention": ["Two masks"]}),
        "query": ([], {"04_attention": ["Attention"]}),
        "value": ([], {"04_attention": ["Words and values"], "more_than_one_machine": ["Shards"]}),
        "Mask": (["minibert.attention"], {"04_attention": ["Two masks", "The class `Mask`"]}),
        "scores": (["minibert.attention"], {"04_attention": ["Attention", "The class `Mask`"]}),
        "stack": (["minibert.encoder"], {"04_attention": ["The class `Mask`"]}),
    }
    assert not [term for term in terms(ROOT) if not entries(ROOT)[term][1]], (
        "a term that no chapter explains"
    )


def test_how_it_is_written(course):
    text = page(course)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["K", "M", "Q", "S", "V"]
    assert (
        '<li><a href="glossary.html#term-value">value</a> <ul><li><a href="../notebooks/04_attention.html#words-and-values">'
        in text
    )
    assert '<li><a href="../book/more_than_one_machine.html#shards">Shards</a></li>' in text
    assert '<a href="../notebooks/04_attention.html#the-class-mask">4 · The class Mask</a>' in text


def test_the_index_of_the_course_has_every_term_and_every_source_that_is_printed():
    found, known = entries(ROOT), symbols(ROOT)
    assert set(terms(ROOT)) <= set(found)
    shown = 0
    for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"):
        for cell in code_cells(nbformat.read(path, 4)):
            for name in re.findall(r"^show_source\((\w+)\)$", cell.source, re.MULTILINE):
                if name in known:
                    shown += 1
                    assert path.stem in found[name][1], f"{path.stem} prints {name}"
    assert shown >= 6
    assert not [entry for entry, (modules, places) in found.items() if modules and not places]


def test_the_page_has_every_entry_once(site):
    text = (site / "book" / "index_of_terms.html").read_text(encoding="utf-8").replace("<wbr/>", "")
    listed = re.findall(
        r'<li>(?:<a href="api/[\w.#/]+"><code>(\w+)</code>|<a href="glossary\.html#term-[\w-]+">(.*?)</a>)',
        text,
    )
    assert len(listed) == len(set(listed)) == len(entries(ROOT)) > 150
