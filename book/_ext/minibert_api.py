"""The API reference: every public name of the package, from its source; links from the chapters to it, and from it to the chapters.

A page below book/api has a line `{{api minibert.attention minibert.course.figures.*}}`. It becomes the reference of these modules (`.*`: of all
below) while the book is built, so that it cannot be out of date: signature, docstring, the code itself, the chapters that treat the name
(minibert_index says where), and the equations that it computes with the tests that prove them (minibert_equations). The names are
objects of Sphinx's Python domain, so the search finds them.

In every page a name of the package in backticks leads to its entry: `BertModel`, `minibert.attention.attend`, `BertModel.forward()`.
A name leads there only where no cell of the notebook gives it to something of its own, and a plain word such as `update` only where a cell
imports it.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path

import api_source
from docutils import nodes
from minibert_book import linkable, wrap
from minibert_index import PAGE as INDEX
from minibert_index import entries, links, names_of_cells
from sphinx import addnodes
from sphinx.errors import ExtensionError

PAGES = "book/api"
MARKER = re.compile(r"^\{\{api ([\w.*\s]+)\}\}$", re.MULTILINE)
PLAIN = re.compile(r"[a-z]+")  # a word like any other
SIGNATURE = re.compile(r'(?<=<dt class="sig ).*?(?=</dt>)', re.DOTALL)
INDEXED = re.compile(r"<code>(\w+)</code> <span>([\w. ]+)</span>")
NAME = re.compile(r"(?P<path>minibert/[\w/]+\.py)|(?P<name>[A-Za-z]\w*(?:\.\w+)*)(?:\(\))?")


# ---------------------------------------------------------------- the pages


class Reference:
    """The reference of one repository, as Markdown."""

    def __init__(self, root: Path, equations: list):
        self.root = root
        self.places = entries(root)
        self.equations = defaultdict(list)
        for equation in equations:
            for symbol in equation.symbols:
                self.equations[symbol].append(equation)

    def module(self, name: str) -> str:
        """One module: its heading, its docstring, its names."""
        found = api_source.modules(self.root).get(name)
        if found is None:
            raise ExtensionError(f"API reference: there is no module {name}")
        parts = [f"## `{name}`", f"```{{py:module}} {name}\n```", api_source.markdown(found.text)]
        known = api_source.index(self.root)
        if imported := [
            f"- `{name}.{other.rsplit('.', 1)[1]}`"
            for other in found.imported
            if api_source.resolve(self.root, other) in known
        ]:
            parts += ["From here can be imported:", "\n".join(imported)]
        order = sorted(found.entries, key=lambda entry: entry.kind == "data")  # constants last
        return "\n\n".join([*parts, *map(self.entry, order)])

    def entry(self, entry: api_source.Entry, fence: str = "``````", own_code: bool = True) -> str:
        """One name as a directive of the Python domain, with all that belongs to it inside."""
        last = entry.name.rsplit(".", 2 if fence != "``````" else 1)[1:]
        lines = [
            f"{fence}{{py:{entry.kind}}} {'.'.join(last)}{entry.signature}",
            *entry.options,
            "",
        ]
        if entry.bases:
            lines += ["Made from " + ", ".join(f"`{base}`" for base in entry.bases) + ".", ""]
        lines += [api_source.markdown(entry.text), ""]
        lines += [self.entry(member, fence[:-1], own_code=False) + "\n" for member in entry.members]
        lines += self.back(entry)
        if own_code and entry.kind != "data":
            lines += [
                f"- **Source** · `{entry.file}::{entry.name.rsplit('.', 1)[1]}`, line {entry.line}",
                "",
                "<details><summary>its code</summary>",
                "",
                f"```python\n{entry.code}\n```",
                "",
                "</details>",
                "",
            ]
        return "\n".join([*lines, fence])

    def back(self, entry: api_source.Entry) -> list[str]:
        """Where the course treats a name: chapters, equations, tests."""
        lines = []
        modules, chapters = self.places.get(entry.name.rsplit(".", 1)[1], ([], {}))
        if modules == [entry.name.rpartition(".")[0]]:
            places = [
                f'<a href="../../{address}">{label}</a>' for address, label in links(chapters)
            ]
            lines += [f"- **In the course** · {'; '.join(places)}"] if places else []
        computed = self.equations.get(entry.name, [])
        if computed:
            lines.append(
                "- **Computes** · "
                + ", ".join(f"equation {equation.number}" for equation in computed)
            )
            lines.append(
                "- **Checked by** · "
                + ", ".join(
                    f"`{test}`"
                    for test in dict.fromkeys(
                        test for equation in computed for test in equation.tests
                    )
                )
            )
        return lines


def fill_page(app, docname, source):
    if docname.startswith(PAGES):
        reference = cached_reference(app)
        source[0] = MARKER.sub(
            lambda marker: "\n\n".join(map(reference.module, named(Path(app.srcdir), marker[1]))),
            source[0],
        )


def named(root: Path, text: str) -> list[str]:
    """The modules that a marker names, each once; `minibert.data.*` are all below minibert.data."""
    known = api_source.modules(root)
    found = [
        module
        for name in text.split()
        for module in ([*known] if name.endswith(".*") else [name])
        if module.startswith(name.removesuffix("*"))
    ]
    return list(dict.fromkeys(found))


def cached_reference(app) -> Reference:
    if not hasattr(app, "minibert_reference"):
        app.minibert_reference = Reference(Path(app.srcdir), app.minibert_equations)
    return app.minibert_reference


def always_pages(app, env, added, changed, removed):
    """The reference depends on the package and on every chapter, so it is written in every build."""
    return [name for name in env.found_docs if name.startswith(PAGES)]


def short_signatures(app, config):
    config.add_module_names = False  # the heading names the module
    config.python_maximum_signature_line_length = 90


def mend_signatures(app, pagename, templatename, context, doctree):
    """The lines of a long signature stand in a list of definitions that defines nothing; make them lines."""
    if pagename.startswith(PAGES):
        context["body"] = SIGNATURE.sub(
            lambda signature: re.sub(
                r"<(/?)(dl|dd)\b",
                lambda tag: f"<{tag[1]}span" + (f' class="sig-{tag[2]}"' if not tag[1] else ""),
                signature[0],
            ),
            context["body"],
        )


# ---------------------------------------------------------------- links to them


def link_types(app, doctree):
    """Types in a signature: `BertConfig` there means minibert.config.BertConfig."""
    root = Path(app.srcdir)
    names = api_source.aliases(root)
    for reference in doctree.findall(addnodes.pending_xref):
        if reference.get("refdomain") == "py":
            target = reference.get("reftarget")
            imported = imported_names(root, reference.get("py:module") or "")
            reference["reftarget"] = names.get(target) or imported.get(target) or target


def imported_names(root: Path, module: str) -> dict[str, str]:
    """What a module of the package imports from others of it: two modules may define the same name."""
    path = root.joinpath(*module.split(".")).with_suffix(".py")
    if not module.startswith("minibert.") or not path.is_file():
        return {}
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("minibert.")
        for alias in node.names
    }


def link_names(app, doctree, docname):
    """Lead names of the package, and files of it, from backticks to their entries."""
    aliases = api_source.aliases(Path(app.srcdir))
    objects = app.env.get_domain("py").objects
    own, imported = names_of_cells(Path(app.env.doc2path(docname)))
    for literal in list(doctree.findall(nodes.literal)):
        match = NAME.fullmatch(literal.astext())
        if match is None or not linkable(literal) or in_equation_line(literal):
            continue
        if match["path"]:
            name = match["path"].removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        elif match["name"] in own or (
            PLAIN.fullmatch(match["name"]) and match["name"] not in imported
        ):
            continue
        else:
            name = aliases.get(match["name"], match["name"])
        if name in objects and not (match["path"] and docname.startswith(PAGES)):
            page = objects[name].docname
            uri = app.builder.get_relative_uri(docname, page) if page != docname else ""
            wrap(
                literal,
                internal=True,
                refuri=f"{uri}#{objects[name].node_id}",
                classes=["api-link"],
            )


def link_index(app, doctree, docname):
    """In the index of terms, which is HTML already, lead each function and class to its entry."""
    objects = app.env.get_domain("py").objects
    if docname != INDEX:
        return

    def linked(match):
        found = objects.get(f"{match[2].split(' and ')[0]}.{match[1]}")
        return (
            f'<a href="{app.builder.get_relative_uri(docname, found.docname)}#{found.node_id}">{match[0]}</a>'
            if found
            else match[0]
        )

    for node in doctree.findall(nodes.raw):
        node.children = [nodes.Text(INDEXED.sub(linked, node.astext()))]


def in_equation_line(node) -> bool:
    """Whether a node stands in the line under an equation, whose links lead to the list of equations."""
    while node := node.parent:
        if isinstance(node, nodes.paragraph):
            return "equation-line" in node["classes"]
    return False


def setup(app):
    """Sphinx calls this."""
    app.connect("config-inited", short_signatures)
    app.connect("source-read", fill_page)
    app.connect("env-get-outdated", always_pages)
    app.connect("doctree-read", link_types)
    app.connect(
        "doctree-resolved", link_names, priority=390
    )  # before minibert_equations and minibert_book, which lead to the repository
    app.connect("doctree-resolved", link_index)
    app.connect("html-page-context", mend_signatures)
    app.add_css_file("api.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
