"""Numbered equations: each stands with the symbol that computes it and the test that proves it. The index of all, links both ways.

In a chapter, plain Markdown that GitHub and Colab show as well: a displayed formula with a number, and one paragraph under it.

    $$y = Wx \\tag{4.1}$$

    **Equation 4.1** · [Somebody 2017](https://…), equation 1 · computed by `minibert.attention.attend` · checked by `tests/unit/test_attention.py::test_it`

`read` finds all of them and everything that is wrong; the build stops at the first complaint, and tests/book/test_equations.py asks
without a build. The page book/equations.md gets its list while the book is built, so that it cannot be out of date.
"""

import ast
import json
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.errors import ExtensionError

INDEX = "book/equations"
DISPLAYED = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
TAG = re.compile(r"\s*\\tag\{(.*?)\}")
LINE = re.compile(r"\*\*Equation (\S+)\*\*")
PARTS = re.compile(
    r"\*\*Equation \S+\*\* · (?P<source>.+?) · computed by (?P<symbols>`.+?`) · checked by (?P<tests>`.+?`)\.?"
)
IN_BACKTICKS = re.compile(r"`([^`]+)`")
MENTION = re.compile(r"(?i:\bequations?) (\d+\.\d+)\b")
CODE = re.compile(r"(?:minibert|benchmarks|tools)(?:\.\w+)+|tests/[\w/]+\.py::[\w:]+")


@dataclass(frozen=True)
class Equation:
    """One numbered equation of a chapter."""

    number: str  # "4.1"
    chapter: str  # "04_attention"
    title: str  # "Attention"
    formula: str  # TeX, without its number
    source: str  # Markdown: where the equation is from
    symbols: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        return f"equation-{self.number.replace('.', '-')}"


def definition(root: Path, name: str) -> tuple[str, int, str] | None:
    """(file, line, source) of `package.module.Class.method` or of `tests/file.py::test`; None if there is none."""
    if "::" in name:
        file, names = name.split("::", 1)
        candidates = [(root / file, names.split("::"))]
    else:
        parts = name.split(".")
        candidates = [
            (file, parts[cut:])
            for cut in range(len(parts) - 1, 0, -1)
            for folder in [root.joinpath(*parts[:cut])]
            for file in (folder.with_suffix(".py"), folder / "__init__.py")
        ]
    path, names = next(((path, names) for path, names in candidates if path.is_file()), (None, []))
    if not names:
        return None
    text = path.read_text(encoding="utf-8")
    node = ast.parse(text)
    for wanted in names:
        node = next((child for child in getattr(node, "body", []) if wanted in _names(child)), None)
        if node is None:
            moved = _imported_from(ast.parse(text), wanted)
            return (
                definition(root, ".".join([moved, *names[names.index(wanted) :]]))
                if moved
                else None
            )
    first = min(
        [node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]
    )
    code = "\n".join(text.split("\n")[first - 1 : node.end_lineno])
    return path.relative_to(root).as_posix(), first, textwrap.dedent(code)


def _imported_from(module: ast.Module, name: str) -> str | None:
    """The module from which a module imports a name that it passes on, as a package's __init__ does."""
    imports = (node for node in module.body if isinstance(node, ast.ImportFrom))
    return next(
        (node.module for node in imports if name in [alias.name for alias in node.names]), None
    )


def _names(node: ast.stmt) -> list[str]:
    """What one statement defines: a function, a class, or the targets of an assignment."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def read(root: Path) -> tuple[list[Equation], list[str]]:
    """All numbered equations of the chapters, in order, and what is wrong with them, each complaint with its place."""
    equations, complaints, mentions = [], [], []
    for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = [
            (f"{path.name}, cell {i}", "".join(cell["source"]))
            for i, cell in enumerate(cells)
            if cell["cell_type"] == "markdown"
        ]
        title = texts[0][1].split("\n")[0].lstrip("# ") if texts else path.stem
        count = 0
        for place, text in texts:
            mentions += [(place, number) for number in MENTION.findall(text)]
            lines = {
                match.start(): match
                for match in LINE.finditer(text)
                if text[: match.start()].endswith("\n") or match.start() == 0
            }
            for shown in DISPLAYED.finditer(text):
                tags = TAG.findall(shown[1])
                if not tags:
                    continue
                count += 1
                wanted = f"{int(path.stem[:2])}.{count}"
                if tags != [wanted]:
                    complaints.append(
                        f"{place}: a formula has the number {' and '.join(tags)}, but its turn is {wanted}"
                    )
                line = lines.pop(
                    shown.end() + len(text[shown.end() :]) - len(text[shown.end() :].lstrip()), None
                )
                if line is None or line[1] != tags[0]:
                    complaints.append(
                        f"{place}: no line '**Equation {tags[0]}** · source · computed by `…` · checked by `…`' follows the formula {tags[0]}"
                    )
                    continue
                paragraph = " ".join(
                    re.split(r"\n\s*\n", text[line.start() :], maxsplit=1)[0].split()
                )
                parts = PARTS.fullmatch(paragraph)
                if parts is None:
                    complaints.append(
                        f"{place}: the line is not '**Equation {tags[0]}** · source · computed by `…` · checked by `…`' but: {paragraph}"
                    )
                    continue
                equations.append(
                    Equation(
                        tags[0],
                        path.stem,
                        title,
                        TAG.sub("", shown[1]).strip(),
                        parts["source"],
                        IN_BACKTICKS.findall(parts["symbols"]),
                        IN_BACKTICKS.findall(parts["tests"]),
                    )
                )
                complaints += [
                    f"{place}: equation {tags[0]}: there is no {what} {name}"
                    for what, names in (
                        ("symbol", equations[-1].symbols),
                        ("test", equations[-1].tests),
                    )
                    for name in names
                    if (what == "test") != ("::test_" in name) or definition(root, name) is None
                ]
            complaints += [
                f"{place}: the line of equation {line[1]} stands under no formula with that number"
                for line in lines.values()
            ]
    known = {equation.number for equation in equations}
    complaints += [
        f"{place}: the text speaks of equation {number}, and no formula has that number"
        for place, number in mentions
        if number not in known
    ]
    return equations, complaints


def index(root: Path, equations: list[Equation]) -> str:
    """The list of all equations as Markdown, with the code of the symbols and tests, one section a chapter."""
    parts, chapter = [], None
    for equation in equations:
        if equation.chapter != chapter:
            chapter = equation.chapter
            parts.append(f"## {equation.title}\n")
        parts.append(
            f"### Equation {equation.number}\n\n$${equation.formula} \\tag{{{equation.number}}}$$\n"
        )
        parts.append(
            f"- **In the course** · [chapter {int(chapter[:2])}](../notebooks/{chapter}.ipynb), equation {equation.number}\n- **From** · {equation.source}"
        )
        for what, names in (("Computed by", equation.symbols), ("Checked by", equation.tests)):
            for name in names:
                file, line, code = definition(root, name)
                place = f" · `{file}`, line {line}" if what == "Computed by" else f" · line {line}"
                parts.append(
                    f"- **{what}** · `{name}`{place}\n  <details><summary>its code</summary>\n\n  ```python\n"
                    + "\n".join(f"  {row}".rstrip() for row in code.splitlines())
                    + "\n  ```\n\n  </details>"
                )
        parts.append("")
    return "\n".join(parts)


# ---------------------------------------------------------------- in the book


def check(app):
    """Stop the build when an equation has lost its line of code, its test or its number."""
    app.minibert_equations, complaints = read(Path(app.srcdir))
    if complaints:
        raise ExtensionError("equations:\n" + "\n".join(complaints))


def fill_index(app, docname, source):
    if docname == INDEX:
        source[0] += "\n" + index(Path(app.srcdir), app.minibert_equations)


def always_index(app, env, added, changed, removed):
    """The index depends on all chapters and on the code, so it is written in every build."""
    return [INDEX] if INDEX in env.found_docs else []


def mark_lines(app, doctree):
    """Give the line under an equation an anchor and a look of its own; in the index the headings are the anchors.

    A formula of several rows with a number: Sphinx would put it into an environment in which no number may stand.
    """
    for block in doctree.findall(nodes.math_block):
        if TAG.search(block.astext()) and "\\\\" in block.astext():
            block.children = [nodes.Text(f"\\begin{{equation}}{block.astext()}\\end{{equation}}")]
            block["nowrap"] = True
    anchors = {
        f"Equation {equation.number}": equation.anchor for equation in app.minibert_equations
    }
    for paragraph in doctree.findall(nodes.paragraph):
        strong = next(paragraph.findall(nodes.strong), None)
        if (
            strong is not None
            and strong.astext() in anchors
            and paragraph.astext().startswith(strong.astext())
        ):
            paragraph["ids"].append(anchors[strong.astext()])
            paragraph["classes"].append("equation-line")


def link_equations(app, doctree, docname):
    """Link `**Equation 4.1**` to the index, 'equation 4.1' in any text to its chapter, code in backticks to its source.

    In a built page the line ends in one link to the index, which holds the names of the code and of the tests.
    """
    by_number = {equation.number: equation for equation in app.minibert_equations}
    for line in doctree.findall(
        lambda node: isinstance(node, nodes.paragraph) and "equation-line" in node["classes"]
    ):
        entry = f"{app.builder.get_relative_uri(docname, INDEX)}#{line['ids'][-1]}"
        _wrap(next(line.findall(nodes.strong)), entry)
        tail = next(text for text in line.children if " · computed by " in text.astext())
        line.children = line.children[: line.index(tail)]
        line += nodes.Text(tail.astext().partition("computed by")[0])
        line += nodes.reference("", "code and test", internal=True, refuri=entry)
    for literal in list(doctree.findall(nodes.literal)):
        if (
            CODE.fullmatch(literal.astext())
            and _is_free(literal)
            and (address := source_address(app, literal.astext()))
        ):
            _wrap(literal, address)
    for text in [text for text in doctree.findall(nodes.Text) if _is_free(text)]:
        pieces, at = [], 0
        for mention in MENTION.finditer(text):
            if equation := by_number.get(mention[1]):
                page = app.builder.get_relative_uri(docname, f"notebooks/{equation.chapter}")
                pieces += [
                    nodes.Text(text[at : mention.start()]),
                    nodes.reference(
                        "", mention[0], internal=True, refuri=f"{page}#{equation.anchor}"
                    ),
                ]
                at = mention.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text[at:])])


def source_address(app, name: str) -> str | None:
    """Where the repository shows a symbol or a test, line included; None as long as the repository has no address."""
    url = app.config.minibert_repository.rstrip("/")
    found = (
        definition(Path(app.srcdir), name)
        if url and not (urlsplit(url).hostname or "").endswith(".invalid")
        else None
    )
    return f"{url}/blob/{app.config.minibert_branch}/{found[0]}#L{found[1]}" if found else None


def _wrap(node, address: str) -> None:
    link = nodes.reference("", "", internal=True, refuri=address)
    node.replace_self(link)
    link += node


def _is_free(node) -> bool:
    """Whether a link may stand here: in running text, not in a link, a heading or code."""
    while node := node.parent:
        if isinstance(
            node,
            nodes.reference
            | nodes.title
            | nodes.term
            | nodes.literal
            | nodes.literal_block
            | nodes.math
            | nodes.math_block
            | nodes.raw,
        ):
            return False
    return True


def setup(app):
    """Sphinx calls this."""
    app.connect("builder-inited", check)
    app.connect("source-read", fill_index)
    app.connect("env-get-outdated", always_index)
    app.connect("doctree-read", mark_lines)
    app.connect(
        "doctree-resolved", link_equations, priority=400
    )  # before the links of minibert_book, which would take the backticks
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
