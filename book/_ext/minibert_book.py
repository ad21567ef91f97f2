"""What the book adds to Jupyter Book: links made from ordinary-looking text, so that a notebook reads as well on GitHub and Colab.

- A link whose address is the `url` of an entry in references.bib leads to that entry in the bibliography.
- An *emphasised* term of the glossary leads to its definition, once on a page.
- A file of the repository in backticks (`minibert/attention.py`, `tests/unit/test_attention.py::test_name`) leads to its source,
  once the repository has an address.
- Markdown and formulas in the `<summary>` of a hint or an answer are drawn; HTML alone would show the signs.
- A quotation that begins with **Predict** gets a look of its own, and so does each cell that was generated from an exercise
  or a quiz (cell metadata `minibert`).
- An option such as --resume is kept on one line, for a line that ends in two hyphens reads as a dash.
- Figures of chapter 0 are numbered as those of the other chapters are, from 0.1 on.
- Repository and launch buttons appear when the address is on github.com; the theme stops at any other.
"""

import json
import re
from html import escape
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

GLOSSARY = "book/glossary"
FIRST = "notebooks/00_first_look"  # Sphinx counts chapters from 1 and gives this one no number
CODE_PATH = re.compile(
    r"(?P<file>(?:minibert|tests|tools|benchmarks)/[\w/]+\.\w+)(?:::(?P<name>\w+))?"
)
CALLOUTS = ("Predict", "Try it")
SUMMARY = re.compile(r"(?<=<summary>).*?(?=</summary>)", re.DOTALL)
CELL_LINES = 10_000  # MyST-NB numbers the lines of cell i from (i + 1) · 10,000


def repository_buttons(app, config):
    """Drop the buttons that need a repository on github.com when it is elsewhere, or nowhere yet."""
    options = config.html_theme_options
    config.minibert_repository = options.get("repository_url", "")
    config.minibert_branch = options.get("repository_branch") or "main"
    if urlsplit(config.minibert_repository).hostname != "github.com":
        for key in (
            "repository_url",
            "launch_buttons",
            "use_repository_button",
            "use_issues_button",
        ):
            options.pop(key, None)


def term_key(text):
    """The form under which a term is looked up: lower case, one space, singular."""
    key = " ".join(text.lower().split())
    return key.removesuffix("s")


def collect_terms(app, doctree):
    """Give each term of the glossary an anchor and remember it."""
    if app.env.docname != GLOSSARY:
        return
    app.env.minibert_terms = terms = {}
    domain = app.env.get_domain("std")
    for term in doctree.findall(nodes.term):
        text = term.astext()
        anchor = "term-" + nodes.make_id(text)
        term["ids"].append(anchor)
        doctree.note_explicit_target(term)
        domain.note_object("term", text, anchor, location=term)
        for alias in re.split(r"\s*,\s*", re.sub(r"\s*\(.*?\)", "", text)):
            terms[term_key(alias)] = anchor


def linkable(node):
    """Whether a link may stand here: not inside another link, a heading or a table of contents."""
    while node := node.parent:
        if isinstance(node, (nodes.reference, nodes.title, nodes.term)):
            return False
    return True


def wrap(node, **attributes):
    """Put one inline node inside a link."""
    link = nodes.reference("", "", **attributes)
    node.replace_self(link)
    link += node


def link_terms(app, doctree, docname):
    """Link the first emphasised use of each glossary term on a page."""
    terms = getattr(app.env, "minibert_terms", {})
    used = set()
    if docname == GLOSSARY or not terms:
        return
    page = app.builder.get_relative_uri(docname, GLOSSARY)
    for node in list(doctree.findall(nodes.emphasis)):
        anchor = terms.get(term_key(node.astext()))
        if anchor and anchor not in used and linkable(node):
            used.add(anchor)
            wrap(node, internal=True, refuri=f"{page}#{anchor}", classes=["glossary-term"])


def link_citations(app, doctree, docname):
    """Turn a link to a paper that stands in the bibliography into a link to its entry there."""
    entries = {
        citation.entry.fields["url"].rstrip("/"): citation
        for citation in app.env.get_domain("cite").citations
        if "url" in citation.entry.fields
    }
    for node in doctree.findall(nodes.reference):
        citation = entries.get(node.get("refuri", "").rstrip("/"))
        if citation is None or citation.bibliography_key.docname == docname:
            continue
        page = app.builder.get_relative_uri(docname, citation.bibliography_key.docname)
        node["refuri"] = f"{page}#{citation.citation_id}"
        node["internal"] = True
        node["reftitle"] = citation.entry.fields["title"].replace("{", "").replace("}", "")
        node["classes"].append("citation-link")


def link_code(app, doctree, docname):
    """Link a file named in backticks to its source, when the repository has an address."""
    url = app.config.minibert_repository.rstrip("/")
    if not url or (urlsplit(url).hostname or "").endswith(".invalid"):
        return
    for node in list(doctree.findall(nodes.literal)):
        match = CODE_PATH.fullmatch(node.astext())
        path = Path(app.srcdir) / match["file"] if match else None
        if path is None or not path.is_file() or not linkable(node):
            continue
        line = ""
        if match["name"]:
            found = re.search(
                rf"^\s*(?:def|class) {match['name']}\b",
                text := path.read_text(encoding="utf-8"),
                re.MULTILINE,
            )
            line = f"#L{text[: found.end()].count(chr(10)) + 1}" if found else ""
        wrap(
            node,
            internal=False,
            refuri=f"{url}/blob/{app.config.minibert_branch}/{match['file']}{line}",
        )


def inline_html(match):
    """One line of Markdown as HTML; formulas as the theme's MathJax finds them."""
    markdown = MarkdownIt("commonmark", {"html": True}).use(
        dollarmath_plugin, renderer=lambda text, options: text
    )
    markdown.add_render_rule(
        "math_inline",
        lambda self, tokens, i, options, env: (
            f'<span class="math notranslate nohighlight">\\({escape(tokens[i].content)}\\)</span>'
        ),
    )
    return markdown.renderInline(match[0])


def draw_summaries(app, doctree):
    """Draw the Markdown in the line that is seen of a closed hint, solution or answer."""
    for node in list(doctree.findall(nodes.raw)):
        text = node.astext()
        if node.get("format") == "html" and (drawn := SUMMARY.sub(inline_html, text)) != text:
            node.children = [nodes.Text(drawn)]


def style_callouts(app, doctree):
    """Class `predict` for a quotation that begins with a bold **Predict**, and so on."""
    for quote in doctree.findall(nodes.block_quote):
        strong = next(quote.findall(nodes.strong), None)
        if strong is None or quote.astext().find(strong.astext()) != 0:
            continue
        for name in CALLOUTS:
            if strong.astext().startswith(name):
                quote["classes"] += ["callout", nodes.make_id(name)]


def style_generated_cells(app, doctree):
    """Put what comes from one generated Markdown cell into a box with the class of its kind."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    kinds = {
        i: classes
        for i, cell in enumerate(cells)
        if cell["cell_type"] == "markdown" and (classes := generated_classes(cell))
    }
    for parent in [doctree, *doctree.findall(nodes.section)]:
        box, inside = None, None
        for node in list(parent.children):
            index = (node.line or 0) // CELL_LINES - 1
            if isinstance(node, (nodes.section, nodes.title)) or index not in kinds:
                inside = None
                continue
            if index != inside:
                inside, box = index, nodes.container(classes=kinds[index])
                parent.insert(parent.index(node), box)
            parent.remove(node)
            box += node


def mark_answers(app, doctree):
    """Class `right` or `wrong` for each answer of a quiz, so that it can be told apart once it is open."""
    for box in doctree.findall(
        lambda node: isinstance(node, nodes.container) and "generated-quiz" in node["classes"]
    ):
        for opening, text in pairwise(box.children):
            if isinstance(opening, nodes.raw) and isinstance(text, nodes.paragraph):
                verdict = "right" if text.astext().startswith("Right.") else "wrong"
                marked = opening.astext().replace("<details>", f'<details class="{verdict}">')
                opening.clear()
                opening += nodes.Text(marked)


def generated_classes(cell):
    """Classes such as generated, generated-exercise, task for a cell that a tool wrote; none for one that a person wrote."""
    origin = cell["metadata"].get("minibert", {})
    if "generated" not in origin:
        return []
    return [
        "generated",
        f"generated-{origin['generated']}",
        *([origin["part"]] if "part" in origin else []),
    ]


def link_everything(app, doctree, docname):
    """Make the links of one resolved page."""
    link_citations(app, doctree, docname)
    link_terms(app, doctree, docname)
    link_code(app, doctree, docname)


def keep_options(app, doctree):
    """A browser may break a line after each hyphen; .unbroken in minibert.css forbids it inside the words of these."""
    for literal in doctree.findall(nodes.literal):
        if literal.astext().startswith("--"):
            literal["classes"].append("unbroken")


def style_everything(app, doctree):
    """Mark what has a look of its own on one page that was read."""
    collect_terms(app, doctree)
    draw_summaries(app, doctree)
    style_callouts(app, doctree)
    style_generated_cells(app, doctree)
    mark_answers(app, doctree)
    keep_options(app, doctree)


def number_first_figures(app, env):
    """Once Sphinx has numbered all figures, give those of the first page the chapter's 0: 'Fig. 1' becomes 'Fig. 0.1'."""
    kinds = env.toc_fignumbers.get(FIRST, {})
    for numbers in kinds.values():
        numbers.update({figure: (0, number[-1]) for figure, number in numbers.items()})
    return [FIRST] if kinds else []


def setup(app):
    """Sphinx calls this."""
    app.add_config_value("minibert_repository", "", "env")
    app.add_config_value("minibert_branch", "main", "env")
    app.connect("config-inited", repository_buttons)
    app.connect("doctree-read", style_everything)
    app.connect("doctree-resolved", link_everything)
    app.connect("env-get-updated", number_first_figures, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
