"""The book's own Sphinx extension, on a small book of three pages: links made from ordinary text, and what gets a look of its own."""

import re
import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tools.environment import ROOT

CONFIG = """
extensions = ["myst_nb", "sphinxcontrib.bibtex", "minibert_book"]
myst_enable_extensions = ["deflist"]
nb_execution_mode = "off"
bibtex_bibfiles = ["references.bib"]
html_theme = "sphinx_book_theme"
"""
REFERENCES = """
@article{one, author = {Ada One}, title = {The {First} Work}, year = {2001}, journal = {Journal}, url = {https://work.example/one}}
@article{two, author = {Ben Two}, title = {Second Work}, year = {2002}, journal = {Journal}, url = {https://work.example/two/}}
"""
CELLS = [
    new_markdown_cell(
        "# A page\n\nA *query*, the *Queries (plural)*, again a *query*, two *attention  masks*, a *wordless* one.\n\n"
        "See [One 2001](https://work.example/one), [Two 2002](https://work.example/two), [nobody](https://work.example/three)."
    ),
    new_markdown_cell(
        "> **Predict** · What comes out?\n\n> **Note** · not a callout\n\n> A *plain* **Predict** in the middle.\n\n"
        "Code: `minibert/attention.py`, `minibert/attention.py::scores`, `minibert/nothing.py`, `print(1)`."
    ),
    new_markdown_cell(
        "## Exercise\n\nThe task.\n\n<details><summary>Is `a < b` *the* hint for $\\sqrt{d_k}$?</summary>\n\nA hint.\n\n</details>",
        metadata={"minibert": {"generated": "exercise", "name": "scores", "part": "task"}},
    ),
    new_markdown_cell("Written by a person.", metadata={"minibert": {}}),
    new_markdown_cell(
        "**Question 1.** Why?\n\n<details><summary>A</summary>\n\nNo. Not so.\n\n</details>\n\n<details><summary>B</summary>\n\nRight. So.\n\n</details>",
        metadata={"minibert": {"generated": "quiz"}},
    ),
]


def build(folder, repository):
    """The HTML of the page, the glossary and the bibliography; no warning is allowed."""
    source = folder / "source"
    (source / "book").mkdir(parents=True)
    (source / "minibert").mkdir()
    (source / "minibert" / "attention.py").write_text(
        '"""Module."""\n\n\ndef scores():\n    pass\n'
    )
    (source / "conf.py").write_text(CONFIG)
    (source / "references.bib").write_text(REFERENCES)
    (source / "index.md").write_text(
        "# Index\n\n```{toctree}\npage\nbook/glossary\nbook/bibliography\n```\n"
    )
    (source / "book" / "glossary.md").write_text(
        "# Glossary\n\nquery\n: It asks. A *query* here is no link.\n\nattention mask (padding)\n: Who may be seen.\n"
    )
    (source / "book" / "bibliography.md").write_text(
        "# Bibliography\n\n[One](https://work.example/one)\n\n```{bibliography}\n:all:\n```\n"
    )
    nbformat.write(
        new_notebook(
            cells=CELLS, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        ),
        source / "page.ipynb",
    )
    overrides = {
        "html_theme_options": {
            "repository_url": repository,
            "repository_branch": "main",
            "use_repository_button": True,
            "launch_buttons": {"colab_url": "https://colab.example"},
        }
    }
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    try:
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
    finally:
        sys.path.remove(str(ROOT / "book" / "_ext"))
    return [
        (folder / "out" / f"{name}.html").read_text()
        for name in ("page", "book/glossary", "book/bibliography")
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return build(tmp_path_factory.mktemp("plain"), "https://book.invalid/course")


def test_a_term_of_the_glossary_is_linked_at_its_first_use(pages):
    page, glossary, _ = pages
    assert re.findall(r'href="book/glossary\.html#([\w-]+)"><em>(.*?)</em>', page) == [
        ("term-query", "query"),
        ("term-attention-mask-padding", "attention  masks"),
    ]
    assert 'id="term-query"' in glossary and 'id="term-attention-mask-padding"' in glossary
    assert "glossary-term" not in glossary


def test_a_citation_leads_to_the_bibliography(pages):
    page, _, bibliography = pages
    anchors = re.findall(r'href="book/bibliography\.html#([\w-]+)" title="([\w ]+)">', page)
    assert [title for _, title in anchors] == ["The First Work", "Second Work"]
    assert all(f'id="{anchor}"' in bibliography for anchor, _ in anchors)
    assert 'href="https://work.example/three"' in page
    assert 'href="https://work.example/one"' in bibliography  # the entry itself leads outside


def test_only_a_quotation_that_begins_with_the_word_is_a_callout(pages):
    assert len(re.findall(r"<blockquote", pages[0])) == 3
    assert re.findall(r'<blockquote class="(.*?)">', pages[0]) == ["callout predict"]


def test_generated_cells_are_boxed_and_others_are_not(pages):
    boxes = re.findall(r'<div class="(generated[^"]*)">\s*(.*?)</div>', pages[0], re.DOTALL)
    assert [classes for classes, _ in boxes] == [
        "generated generated-exercise task docutils container",
        "generated generated-quiz docutils container",
    ]
    assert "The task." in boxes[0][1] and "</summary>" in boxes[0][1] and "<h" not in boxes[0][1]
    assert "Why?" in boxes[1][1] and "person" not in boxes[0][1] + boxes[1][1]


def test_markdown_in_a_summary_is_drawn(pages):
    assert (
        '<summary>Is <code>a &lt; b</code> <em>the</em> hint for <span class="math notranslate nohighlight">\\(\\sqrt{d_k}\\)</span>?</summary>'
        in pages[0]
    )


def test_answers_of_a_quiz_are_told_apart(pages):
    assert re.findall(r'<details class="(\w+)"><summary>(\w)<', pages[0]) == [
        ("wrong", "A"),
        ("right", "B"),
    ]


def test_links_to_the_repository_wait_for_its_address(pages, tmp_path):
    assert not re.search(r"blob|colab|book\.invalid", pages[0])
    page = build(tmp_path, "https://github.com/someone/course")[0]
    home = "https://github.com/someone/course"
    assert re.findall(r'<a class="reference external" href="(https://github\.com/.*?)"', page) == [
        f"{home}/blob/main/minibert/attention.py",
        f"{home}/blob/main/minibert/attention.py#L4",
    ]
    assert f'href="{home}"' in page
    assert 'href="https://colab.example/github/someone/course/blob/main/page.ipynb"' in page


@pytest.mark.parametrize(
    "name",
    [
        "tests/test_|attention.py|::test_|one_|row",
        "minibert/attention.py|::attend",
        "embeddings.|LayerNorm.|weight",
        "minibert.|model.|BertModel.|initialize_|weights",
        "position_|embedding_|type=|&quot;sinusoidal&quot;",
        "Path(__file__).|resolve().|parents[2]",
        "norm_first",
        "00_|a_|long_|notebook_|name.ipynb",
        "DistributedDataParallel",
    ],
)
def test_a_long_name_breaks_between_its_words(monkeypatch, name):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    from minibert_access import accessible

    for before in ("<code>", '<code class="literal"><span class="pre">'):
        assert (
            accessible(f"{before}{name.replace('|', '')}</")
            == f"{before}{name.replace('|', '<wbr/>')}</"
        )


def test_a_formula_keeps_its_brackets_and_commas_on_its_line(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    from minibert_access import accessible

    formula = r'<span class="math notranslate nohighlight">\(a &lt; b\)</span>'
    for kept in (f"{formula},", f"({formula}", f"({formula}),", f"{formula}:"):
        assert (
            accessible(f"<p>Where {kept} and</p>")
            == f'<p>Where <span class="whole">{kept}</span> and</p>'
        )
    assert (
        accessible(f"<p>{formula} and <em>{formula}</em></p>")
        == f"<p>{formula} and <em>{formula}</em></p>"
    )


def test_figures_of_chapter_0_have_its_number(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    from minibert_book import FIRST, number_first_figures

    env = SimpleNamespace(
        toc_fignumbers={
            FIRST: {"figure": {"a": (1,), "b": (2,)}},
            "notebooks/01_tokens": {"figure": {"c": (1, 1)}},
        }
    )
    assert number_first_figures(None, env) == number_first_figures(None, env) == [FIRST]
    assert env.toc_fignumbers == {
        FIRST: {"figure": {"a": (0, 1), "b": (0, 2)}},
        "notebooks/01_tokens": {"figure": {"c": (1, 1)}},
    }
    assert (ROOT / f"{FIRST}.ipynb").is_file()
    assert number_first_figures(None, SimpleNamespace(toc_fignumbers={})) == []
