"""Where a number in the prose can come from: what cells and tests show, logs, arithmetic, works. See minibert_numbers."""

import ast
import json
import math
import operator
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FREE_BELOW = 13
SHOWN = re.compile(r"(?<![A-Za-z_\d.])(\d{1,3}(?:[,_]\d{3})+|\d+)?(\.\d+)?(?:[eE]([-+]?\d+))?(%)?")
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, None: 1}
CHECKED = (
    "http",
    "## ",
    "tests/",
    "benchmarks/",
    "minibert/",
    "notebooks/",
)  # how a source begins that can be looked up


@dataclass(frozen=True)
class Figure:
    """A number as it is written, in prose or in an output."""

    text: str
    value: float
    digits: int = 0  # behind the point
    percent: bool = False
    scale: float = 1
    hedged: bool = False  # 'about 400': its zeros are no digits

    @property
    def significant(self) -> int:
        return len(re.sub(r"e.*|[^\d.]", "", self.text).replace(".", "").strip("0"))

    def is_free(self) -> bool:
        whole = self.digits == 0 and not self.percent and self.scale == 1
        return whole and (
            self.value < FREE_BELOW or re.fullmatch(r"(19|20)\d\d", self.text) is not None
        )

    def equals(self, shown: "Figure") -> bool:
        """Whether a number that was shown is this one, rounded to what the prose gives."""
        candidates = [shown.value / self.scale]
        if self.percent and not shown.percent:
            candidates.append(100 * shown.value)
        elif shown.percent and not self.percent:
            candidates.append(shown.value / 100)
        zeros = (
            len(self.text.replace(",", "")) - len(self.text.replace(",", "").rstrip("0"))
            if self.hedged and not self.digits
            else 0
        )
        rounds = self.digits or self.percent or self.scale != 1 or self.hedged or shown.digits
        tolerance = 0.5 * 10.0 ** (zeros - self.digits) if rounds else 0
        return any(
            abs(candidate - self.value) <= tolerance * (1 + 1e-9) + 1e-12 * self.value
            for candidate in candidates
        )


def make_figure(
    whole, fraction=None, power=None, percent=False, scale=None, hedged=False
) -> Figure:
    """A figure from its written parts; 'all' stands for no number."""
    text = (
        (whole or ("0" if fraction else "all")) + (fraction or "") + (f"e{power}" if power else "")
    )
    digits = len(fraction or ".") - 1 - int(power or 0)
    return Figure(
        text,
        float(re.sub("[,_]|all", "", text) or 0),
        max(digits, 0),
        percent,
        SCALES[scale],
        hedged,
    )


def shown_figures(text: str) -> list[Figure]:
    """Every number in an output, in code or in a file."""
    return [
        make_figure(match[1], match[2], match[3], bool(match[4]))
        for match in SHOWN.finditer(text)
        if match[1] or match[2]
    ]


@cache
def configuration(root: Path) -> list[Figure]:
    """The numbers of the published models, and of their masked words."""
    return [
        figure
        for file in ("config.py", "data/masking.py")
        if (root / "minibert" / file).is_file()
        for figure in shown_figures((root / "minibert" / file).read_text(encoding="utf-8"))
    ]


@cache
def test_figures(root: Path, file: str, test: str) -> list[Figure]:
    """The numbers in the code of a test."""
    found = (
        re.search(
            rf"^def {test}\b.*?(?=^\S(?!ef {test}))",
            (root / file).read_text(encoding="utf-8") + "\n#",
            re.DOTALL | re.MULTILINE,
        )
        if (root / file).is_file()
        else None
    )
    return shown_figures(found[0] + found[0].replace("_", " ")) if found else []


def mark_error(
    mark: Figure, kind: str, source: str, root: Path, sections: dict[str, list[Figure]]
) -> str:
    """What is wrong with the source that a mark names; empty if it gives this number."""
    try:
        if kind == "=":
            value = (
                log_value(root, *source.removeprefix("logs/").split(".json: ", 1))
                if source.startswith("logs/")
                else compute(source)
            )
            return (
                ""
                if mark.equals(Figure(repr(value), abs(value), 1))
                else f"{source} gives {value:,.6g}"
            )
        if source.startswith("http"):
            return (
                ""
                if source.split(",")[0].rstrip("/") in works(root)
                else f"{source} is no work of references.bib"
            )
        if source.startswith("## "):
            held = sections.get(source, [])
        elif source.startswith(CHECKED):
            file, _, test = source.partition("::")
            held = (
                test_figures(root, file, test)
                if test
                else shown_figures((root / file).read_text(encoding="utf-8"))
            )
        else:
            return "" if mark.text != "all" else "all numbers can only be held by a test"
    except (LookupError, ValueError, SyntaxError, OSError, TypeError) as error:
        return f"{source}: {type(error).__name__} {error}"
    good = bool(held) if mark.text == "all" else any(map(mark.equals, held))
    return "" if good else f"{source} does not have it"


OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def compute(text: str) -> float:
    """The value of an expression of numbers, + - * / **, brackets, ln, exp, sqrt, erf and pi."""

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.Name) and node.id == "pi":
            return math.pi
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATIONS:
            return OPERATIONS[type(node.op)](value(node.operand))
        if isinstance(node, ast.Call) and node.func.id in ("ln", "exp", "sqrt", "erf"):
            return getattr(math, {"ln": "log"}.get(node.func.id, node.func.id))(
                *map(value, node.args)
            )
        raise ValueError("is no arithmetic")

    return value(ast.parse(re.sub(r"(?<=\d),(?=\d{3})", "", text), mode="eval").body)


@cache
def read_log(root: Path, name: str) -> object:
    return json.loads((root / "benchmarks" / "logs" / f"{name}.json").read_text(encoding="utf-8"))


@cache
def log_figures(root: Path, name: str) -> list[Figure]:
    """Every number in a log."""

    def leaves(node):
        for child in (
            node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        ):
            yield from leaves(child)
        if isinstance(node, int | float) and not isinstance(node, bool):
            yield Figure(repr(node), abs(node))

    return list(leaves(read_log(root, name)))


def log_value(root: Path, name: str, path: str) -> float:
    """The number at a place in a log: `a.b[2].c`, `rows[seed=1].loss`; `mean(rows[*].loss)` and `max`, `min`, `count` over a list."""
    if two := re.fullmatch(r"(.+) ([-/]) (.+)", path):
        first, second = (
            float(term) if re.fullmatch(r"[\d.]+", term) else log_value(root, name, term)
            for term in (two[1], two[3])
        )
        return first - second if two[2] == "-" else first / second
    if over := re.fullmatch(r"(mean|max|min|count)\((.+)\)", path):
        values = _select([read_log(root, name)], over[2])
        return {
            "mean": lambda: sum(values) / len(values),
            "max": lambda: max(values),
            "min": lambda: min(values),
            "count": lambda: len(values),
        }[over[1]]()
    [value] = _select([read_log(root, name)], path)
    return shown_figures(value)[0].value if isinstance(value, str) else float(value)


def _select(nodes: list, path: str) -> list:
    for key, choice in re.findall(r"([^.\[\]]+)|\[([^\]]*)\]", path):
        if key:
            nodes = [node[key] for node in nodes]
        elif choice == "*":
            nodes = [
                child
                for node in nodes
                for child in (node.values() if isinstance(node, dict) else node)
            ]
        elif "=" in choice:
            name, wanted = choice.split("=", 1)
            nodes = [child for node in nodes for child in node if str(child[name]) == wanted]
        else:
            nodes = [
                node[int(choice)] if isinstance(node, list) else node[choice] for node in nodes
            ]
    return nodes


@cache
def works(root: Path) -> set[str]:
    return {
        url.rstrip("/")
        for url in re.findall(
            r"\burl\s*=\s*\{(.*?)\}", (root / "book" / "references.bib").read_text(encoding="utf-8")
        )
    }
