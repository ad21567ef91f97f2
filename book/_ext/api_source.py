"""The public names of the package as its source says them, for the API reference. See minibert_api.

Read with `ast`, nothing is imported: the book needs no second to load torch, and comments are seen as well. Public is what a
module of the package defines under a name without a leading underscore; tasks for the reader and the sick code of the clinic are no
part of it.
"""

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

HIDDEN = (
    "minibert.course.exercises.ch",
    "minibert.course.exercises.mistakes",
    "minibert.course.clinic.patients",
)
ROW = re.compile(r"(?P<names>\S+(?:, \S+)*)(?: {2,}| (?=\[))(?P<text>\S.*)")
CERTAIN_ROW = re.compile(r"\S+(?:, \S+)* {2,}\S")
LONGEST_VALUE = 90  # characters of a constant that is shown


@dataclass(frozen=True)
class Entry:
    """One public name."""

    name: str  # "minibert.attention.BertSelfAttention.forward"
    kind: (
        str  # a directive of Sphinx: function, class, exception, method, property, attribute, data
    )
    text: str  # its docstring, or the comment beside it
    file: str  # "minibert/attention.py"
    line: int
    code: str  # its source
    signature: str = ""  # "(x: Tensor) -> Tensor"
    options: tuple[str, ...] = ()  # of the directive: ":classmethod:", ":type: \"int\""
    bases: tuple[str, ...] = ()  # of a class, as written
    members: list["Entry"] = field(default_factory=list)


@dataclass(frozen=True)
class Module:
    """One module with its public names."""

    name: str
    file: str
    text: str
    entries: list[Entry]
    imported: list[
        str
    ]  # full names of what its `from minibert… import …` brings, for an __init__.py


@cache
def modules(root: Path) -> dict[str, Module]:
    """Every module of the package that is public, by name."""
    found = {}
    for path in sorted((root / "minibert").rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if not name.startswith(HIDDEN) and not path.name.startswith("__main__"):
            found[name] = read_module(
                name, path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            )
    return found


def read_module(name: str, file: str, source: str) -> Module:
    lines = source.splitlines()
    tree = AsWritten(lines).visit(ast.parse(source))
    entries = {entry.name: entry for entry in members(tree.body, name, file, lines, in_class=False)}
    imported = [
        f"{node.module}.{alias.name}"
        for node in _at_the_top(tree)
        if isinstance(node, ast.ImportFrom)
        and file.endswith("__init__.py")
        and (node.module or "").startswith("minibert")
        for alias in node.names
        if not alias.name.startswith("_")
    ]
    return Module(name, file, ast.get_docstring(tree) or "", list(entries.values()), imported)


def _at_the_top(tree: ast.Module) -> list[ast.stmt]:
    """The statements of a module, and those under `if TYPE_CHECKING:`, where imports are lazy."""
    return [
        inner for node in tree.body for inner in (node.body if isinstance(node, ast.If) else [node])
    ]


class AsWritten(ast.NodeTransformer):
    """Numbers will be shown as the source has them (1e-6, 200_000), and types without the quotes that Python sometimes needs."""

    def __init__(self, lines: list[str]):
        self.lines = lines

    def visit(self, node: ast.AST) -> ast.AST:
        for name in ("annotation", "returns"):
            if getattr(node, name, None):
                setattr(node, name, Unquoted().visit(getattr(node, name)))
        return super().visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if type(node.value) not in (int, float):
            return node
        return ast.copy_location(
            ast.Name(
                self.lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()
            ),
            node,
        )


class Unquoted(ast.NodeTransformer):
    """A type with 'Names' in quotes, without the quotes; words that are allowed as values keep theirs."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return node if getattr(node.value, "id", "") == "Literal" else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.parse(node.value, mode="eval").body if isinstance(node.value, str) else node


def members(body: list[ast.stmt], owner: str, file: str, lines: list[str], in_class: bool):
    """The public names that the statements of a module or class define."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if not node.name.startswith("_"):
                yield definition(node, owner, file, lines, in_class)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            for target in targets:
                if isinstance(target, ast.Name) and not target.id.startswith("_"):
                    yield assignment(node, target.id, owner, file, lines, in_class)


def definition(
    node: ast.FunctionDef | ast.ClassDef, owner: str, file: str, lines: list[str], in_class: bool
) -> Entry:
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    code = "\n".join(lines[start - 1 : node.end_lineno])
    where = {
        "name": f"{owner}.{node.name}",
        "text": ast.get_docstring(node) or "",
        "file": file,
        "line": node.lineno,
        "code": code,
    }
    decorators = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
    if isinstance(node, ast.ClassDef):
        inner = {
            entry.name: entry
            for entry in members(node.body, where["name"], file, lines, in_class=True)
        }
        bases = tuple(map(ast.unparse, node.bases))
        kind = (
            "exception" if any(base.endswith(("Error", "Exception")) for base in bases) else "class"
        )
        return Entry(
            kind=kind,
            signature=construction(node, "dataclass" in decorators),
            bases=bases,
            members=list(inner.values()),
            **where,
        )
    if "property" in decorators:
        return Entry(
            kind="property",
            options=(f':type: "{ast.unparse(node.returns)}"',) if node.returns else (),
            **where,
        )
    options = tuple(f":{name}:" for name in ("classmethod", "staticmethod") if name in decorators)
    signature = arguments(node.args, bound=in_class and "staticmethod" not in decorators) + (
        f" -> {ast.unparse(node.returns)}" if node.returns else ""
    )
    return Entry(
        kind="method" if in_class else "function", signature=signature, options=options, **where
    )


def construction(node: ast.ClassDef, is_dataclass: bool) -> str:
    """How an object of a class is made: the arguments of its __init__, or the fields of a dataclass."""
    made = next(
        (
            child
            for child in node.body
            if isinstance(child, ast.FunctionDef) and child.name == "__init__"
        ),
        None,
    )
    if made is not None:
        return arguments(made.args, bound=True)
    if not is_dataclass:
        return ""
    fields = [
        child
        for child in node.body
        if isinstance(child, ast.AnnAssign) and not child.target.id.startswith("_")
    ]
    return (
        "("
        + ", ".join(
            child.target.id + (f"={default(child.value)}" if child.value else "")
            for child in fields
        )
        + ")"
    )  # the types follow, a line each


def default(value: ast.expr) -> str:
    """A default as the reader meets it: what a dataclass's factory makes, not the factory."""
    text = ast.unparse(value)
    return {"field(default_factory=list)": "[]", "field(default_factory=dict)": "{}"}.get(
        text, text
    )


def arguments(parameters: ast.arguments, bound: bool) -> str:
    """`(x: Tensor, dropout: float = 0.0)`, without the self of a method."""
    text = ast.unparse(parameters)
    return f"({re.sub(r'^(self|cls)(, |$)', '', text) if bound else text})"


def assignment(
    node: ast.Assign | ast.AnnAssign,
    name: str,
    owner: str,
    file: str,
    lines: list[str],
    in_class: bool,
) -> Entry:
    value = default(node.value) if node.value else ""
    options = (
        (f':type: "{ast.unparse(node.annotation)}"',)
        if isinstance(node, ast.AnnAssign) and '"' not in ast.unparse(node.annotation)
        else ()
    )
    if value and len(value) <= LONGEST_VALUE and '"' not in value and "\\" not in value:
        options += (f':value: "{value}"',)
    return Entry(
        f"{owner}.{name}",
        "attribute" if in_class else "data",
        comment(lines, node),
        file,
        node.lineno,
        "\n".join(lines[node.lineno - 1 : node.end_lineno]),
        options=options,
    )


def comment(lines: list[str], node: ast.stmt) -> str:
    """What a comment says of an assignment: behind it, or in the lines above it."""
    if behind := re.search(
        r"(?:^|[^'\"\w])#\s+([^'\"]+|[^#]+)$",
        lines[node.end_lineno - 1][(node.end_col_offset or 0) :],
    ):
        return behind[1].strip()
    above, at = [], node.lineno - 2
    while at >= 0 and lines[at].lstrip().startswith("# ") and not lines[at].startswith("# ---"):
        above.insert(0, lines[at].lstrip()[2:])
        at -= 1
    return " ".join(above)


# ---------------------------------------------------------------- from plain text to Markdown


def markdown(text: str) -> str:
    """A docstring as Markdown. Paragraphs, lists and code are so already; rows 'name  what it is' become a list, and signs that
    Markdown would read as its own are told to be themselves."""
    return "\n\n".join(map(paragraph, re.split(r"\n\s*\n", text)))


def paragraph(text: str) -> str:
    rows = text.split("\n")
    if text.startswith("    "):
        return text  # a formula or code, set apart
    if not any(CERTAIN_ROW.match(row) for row in rows):
        return "\n".join(map(escape, rows))
    parts, opened = [], False
    for row in rows:
        if found := ROW.fullmatch(row):
            parts.append(f"- **{escape(found['names'])}** · {escape(found['text'])}")
            opened = True
        elif opened and row.startswith(" "):
            parts.append(f"  {escape(row.strip())}")
        else:
            parts.append(("\n" if opened else "") + escape(row))
            opened = False
    return "\n".join(parts)


def escape(line: str) -> str:
    """Signs of Markdown that a docstring means as themselves, outside of backticks; and '->', which a browser would break, as one sign."""
    pieces = re.split(r"(`[^`]*`)", line)
    pieces[::2] = [
        re.sub(r"([$<]|(?<![\w*])\*(?=\w+(?![\w*])))", r"\\\1", piece.replace("->", "→"))
        for piece in pieces[::2]
    ]
    return re.sub(r"^(\s*)([%#>])", r"\1\\\2", "".join(pieces))


# ---------------------------------------------------------------- names


def index(root: Path) -> dict[str, Entry]:
    """Full name -> entry, members of classes too."""
    found = {}
    for module in modules(root).values():
        for entry in module.entries:
            found[entry.name] = entry
            found.update({member.name: member for member in entry.members})
    return found


def aliases(root: Path) -> dict[str, str]:
    """Every way to write a name -> its full name, where only one is meant: 'attend', 'BertModel.forward', 'minibert.BertModel'."""
    known, meant = index(root), defaultdict(set)
    for name, entry in known.items():
        parts = name.split(".")
        least = (
            2 if entry.kind in ("method", "property", "attribute") else 1
        )  # a method is called by its class
        for count in range(least, len(parts) + 1):
            if entry.kind != "data" or count > 1:  # HEADING alone says little
                meant[".".join(parts[-count:])].add(name)
    for module in modules(root).values():
        for name in module.imported:
            if (real := resolve(root, name)) in known:
                meant[f"{module.name}.{name.rsplit('.', 1)[1]}"].add(real)
    return {alias: names.copy().pop() for alias, names in meant.items() if len(names) == 1}


def resolve(root: Path, name: str) -> str:
    """Where a name is defined that one module imports from another."""
    module, _, last = name.rpartition(".")
    found = modules(root).get(module)
    if found and not any(entry.name == name for entry in found.entries):
        return next(
            (
                resolve(root, other)
                for other in found.imported
                if other.endswith(f".{last}") and other != name
            ),
            name,
        )
    return name
