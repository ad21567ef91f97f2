"""The index at the end of the book: terms of the glossary, functions and classes of the package, and the chapters that treat them.

A chapter treats a term where it sets it in italics or in a heading, and a function or class where it prints its source
(`show_source`) or names it in backticks, unless the name is that of something of its own. book/more_than_one_machine.md and book/what_pretraining_costs.md count as
chapter. The page book/index_of_terms.md gets its entries while the book is built, from the
chapters, the glossary and the package as they are, so that it cannot be out of date. Sphinx's own index would want every place
marked by hand, in a form that GitHub and Colab show as text.
"""

import ast
import json
import re
from collections import defaultdict
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path

from docutils import nodes

PAGE = "book/index_of_terms"
CHAPTERS = (
    "notebooks/[0-9][0-9]_*.ipynb",
    "book/more_than_one_machine.md",
    "book/what_pretraining_costs.md",
)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
ITALICS = re.compile(r"(?<![*\w\\])\*{1,3}(?!\s)([^*\n]+?)(?<!\s)\*{1,3}(?![*\w])")
IN_BACKTICKS = re.compile(r"`(?:([\w./]+)::|((?:minibert\.)?(?:\w+\.)*))(\w+)(?:\(\))?`")
CLOSING = re.compile(r"Quiz|Summary|What the \w+ do(es)? differently|Further reading")
BLOCK = re.compile(r"^```.*?^```$|^<!--.*?-->$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"\bshow_source\((?:\w+\.)*(\w+)\)")


def terms(root: Path) -> dict[str, list[str]]:
    """Term of the glossary, as it stands there -> the names by which texts call it, in small letters, in the singular."""
    lines = (root / "book" / "glossary.md").read_text(encoding="utf-8").splitlines()
    found = [before for before, line in zip(lines, lines[1:]) if line.startswith(": ")]
    return {
        term: [singular(name) for name in re.sub(r"\s*\(.*?\)", "", term).split(",")]
        for term in found
    }


def symbols(root: Path) -> dict[str, list[str]]:
    """Public function or class -> the modules that define it."""
    found = defaultdict(list)
    for path in sorted((root / "minibert").rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if module.startswith(
            (
                "minibert.course.exercises.ch",
                "minibert.course.exercises.mistakes",
                "minibert.course.clinic.patients",
            )
        ):
            continue  # tasks for the reader, and sick code
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                found[node.name].append(module)
    return dict(found)


def singular(text: str) -> str:
    return " ".join(text.lower().split()).removesuffix("s")


def cells(path: Path, generated: bool = False) -> list[tuple[str, str]]:
    """(kind, source) of the cells that an author wrote, or of all; a page is one cell of text, here without its blocks of code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [("markdown", BLOCK.sub("", text))]
    return [
        (cell["cell_type"], "".join(cell["source"]))
        for cell in json.loads(text)["cells"]
        if generated or "generated" not in cell["metadata"].get("minibert", {})
    ]


def passages(path: Path) -> list[tuple[str, str, str]]:
    """(heading, kind of cell, source) of what an author wrote in a chapter; a cell with headings is cut at them."""
    found, heading = [], ""
    for kind, source in cells(path):
        if kind == "code":
            found.append((heading, "code", source))
            continue
        before, *parts = HEADING.split(source)
        found.append((heading, "text", before))
        for heading, text in zip(parts[::2], parts[1::2]):
            found.append((heading, "text", text))
    return [passage for passage in found if not CLOSING.match(passage[0])]


@cache
def names_of_cells(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The names that the cells of a notebook define, which in its text mean these and not the package's; and those that they import."""
    defined, imported = set(), set()
    for kind, source in cells(path, generated=True):
        if kind == "code":
            try:
                tree = ast.parse(source)
            except SyntaxError:  # a line for IPython
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    defined.add(node.name)
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    defined.add(node.id)
                elif isinstance(node, ast.arg):
                    defined.add(node.arg)
                elif isinstance(node, ast.alias):
                    imported.add(node.asname or node.name)
    return frozenset(defined), frozenset(imported)


def parts(heading: str) -> list[str]:
    """A heading, and what it speaks of: 'Pretraining data: masked words and sentence pairs' speaks of masked words."""
    return [heading, *re.split(r": |, | and ", heading)]


def plain(heading: str) -> str:
    return re.sub(r"[$`*]", "", heading)


def anchor(heading: str) -> str:
    """The end of an address: the place that the book gives a heading; none for one with a formula, which has a name of its own."""
    return "" if "$" in heading else f"#{nodes.make_id(plain(heading))}"


def entries(root: Path) -> dict[str, tuple[list[str], dict[str, list[str]]]]:
    """Entry -> (the modules that define it, none for a term; chapter -> the headings under which it is treated, three at most)."""
    of_terms, of_symbols = terms(root), symbols(root)
    by_name = {name: term for term, names in of_terms.items() for name in names}
    places = defaultdict(lambda: defaultdict(list))
    for path in (path for pattern in CHAPTERS for path in sorted(root.glob(pattern))):
        own, _ = names_of_cells(path)
        for heading, kind, text in passages(path):
            if kind == "code":
                treated = [name for name in SHOWN.findall(text) if name in of_symbols]
            else:
                treated = [
                    by_name[name]
                    for name in map(singular, [*ITALICS.findall(text), *parts(heading)])
                    if name in by_name
                ]
                treated += [
                    name
                    for file, dotted, name in IN_BACKTICKS.findall(text)
                    if is_meant(file, dotted, of_symbols.get(name, []))
                    and (file or dotted or name not in own)
                ]
            for entry in treated:
                if heading not in places[entry][path.stem] and len(places[entry][path.stem]) < 3:
                    places[entry][path.stem].append(heading)
    names = [name for name in of_symbols if name in places and name not in of_terms]
    return {
        entry: (of_symbols[entry] if entry in names else [], places[entry])
        for entry in [*of_terms, *names]
    }


def is_meant(file: str, dotted: str, modules: list[str]) -> bool:
    """Whether a name in backticks is a function or class of one of these modules: by its file, by its path, or alone."""
    if file:
        return ".".join(Path(file).with_suffix("").parts) in modules
    return bool(modules) and (
        dotted in ("", "minibert.") or any(f"{module}.".endswith(dotted) for module in modules)
    )


def page(root: Path) -> str:
    """All entries, letter by letter: Markdown headings, and lists in HTML, for MyST would not know the anchors of a notebook."""

    def letter(entry):
        return entry.lstrip("[")[0].upper()

    found = entries(root)
    return "\n".join(
        f'## {initial}\n\n```{{raw}} html\n<ul class="book-index">\n'
        + "\n".join(item(entry, *found[entry]) for entry in group)
        + "\n</ul>\n```\n"
        for initial, group in groupby(
            sorted(found, key=lambda entry: (letter(entry), entry.lower())), key=letter
        )
    )


def item(entry: str, modules: list[str], chapters: dict[str, list[str]]) -> str:
    """One entry: its name, which leads to the glossary if it is a term, and the places that treat it."""
    if modules:
        name = f"<code>{escape(entry)}</code> <span>{' and '.join(modules)}</span>"
    else:
        name = f'<a href="glossary.html#term-{nodes.make_id(entry)}">{escape(entry)}</a>'
    places = "".join(
        f'<li><a href="../{address}">{escape(label)}</a></li>' for address, label in links(chapters)
    )
    return f"<li>{name}" + (f" <ul>{places}</ul>" if places else "") + "</li>"


def links(chapters: dict[str, list[str]]) -> list[tuple[str, str]]:
    """(address in the book, label) of each place: '4 · Two masks'; the page without a number goes by its heading alone."""
    return [
        (f"notebooks/{stem}.html{anchor(heading)}", f"{int(stem[:2])} · {plain(heading)}")
        if stem[0].isdigit()
        else (f"book/{stem}.html{anchor(heading)}", plain(heading))
        for stem, headings in chapters.items()
        for heading in headings
    ]


def fill_page(app, docname, source):
    if docname == PAGE:
        source[0] += "\n" + page(Path(app.srcdir))


def always_page(app, env, added, changed, removed):
    """The index depends on every chapter, on the glossary and on the package, so it is written in every build."""
    return [PAGE] if PAGE in env.found_docs else []


def setup(app):
    """Sphinx calls this."""
    app.connect("source-read", fill_page)
    app.connect("env-get-outdated", always_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
