"""Shape comments and docstrings, held against the tensors of a real run. How they are written: tools/shape_comments.py.

    python tools/shapes.py tests/test_attention.py …        runs these tests and says which comments of minibert/ are wrong

A letter means one number within one call of one function, or within one cell of a notebook. What a model's config says
(H, A, D, I, V, L) holds in the function that has it and in all that it calls.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from re import findall, split

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))     # run as a script, from anywhere
from tools.shape_comments import NAME, Shape, Shapes, Source, read_source

ROOT = Path(__file__).resolve().parent.parent
LETTERS = {"H": "hidden_size", "A": "num_attention_heads", "I": "intermediate_size", "V": "vocab_size", "L": "num_hidden_layers"}
OF_A_HEAD = {"A": "num_heads", "I": "feedforward_size", "L": "num_layers"}      # BertSum's: what its `sizes` hold
ENOUGH = 300        # calls of one function, and visits of one line in a call
ITEMS = 40          # of a list are looked at

Sizes = dict[str, int]          # what the letters mean in a call
Measured = tuple                # ("tensor", sizes) | ("list", length, what is in it) | ("other", name of the type) | ("nothing",), which fits everything


# ---------------------------------------------------------------- a run that is watched

@dataclass
class Call:
    """What happened in one call of a function, in its order: ("value", check, Measured), ("loop", first line, last line), ("new", line, Measured)."""

    sizes: Sizes
    events: list[tuple] = field(default_factory=list)


def measure(value) -> Measured:
    """The shape of a tensor or an array; for lists and dicts how many there are, and the same of what is in them."""
    if hasattr(value, "shape") and hasattr(value, "ndim"):
        return "tensor", tuple(value.shape)
    if value is None:
        return ("nothing",)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, range)):
        plain = len(value) and isinstance(value[0], (int, float, str))
        return "list", len(value), () if plain else tuple(map(measure, value[:ITEMS]))
    return "other", type(value).__name__


class Watch:
    """A trace function (`sys.settrace`) over some files: {file name: Source}; `calls` is what it has seen.

    In the `strict` files it also looks at the lines that make a tensor and say nothing about it. `sizes` are letters that
    mean the same number in every call.
    """

    def __init__(self, sources: dict[str, Source], strict: frozenset[str] = frozenset(), sizes: Sizes | None = None):
        self.sources: dict[str, Source | None] = dict(sources)          # None: not watched
        self.strict, self.sizes = strict, sizes or {}
        self.calls: dict[str, dict[str, Call]] = defaultdict(dict)      # each kind of call once
        self.cells: dict[str, Call] = {}
        self.times = Counter()

    def find(self, file: str) -> Source | None:
        return None

    def __call__(self, frame, event, argument):
        code = frame.f_code
        file = code.co_filename
        if file not in self.sources:
            self.sources[file] = self.find(file)
        source = self.sources[file]
        if source is None or code.co_name.startswith("<") and not is_cell(code) or not (source.checks or file in self.strict):
            return None
        function = (file, code.co_firstlineno, code.co_name)
        self.times[function] += not is_cell(code)
        return _Frame(self, frame, source).local if self.times[function] <= ENOUGH else None

    def pytest_runtest_setup(self) -> None:
        sys.settrace(self)                      # before every test, as some end all tracing

    def ended(self, file: str, call: Call) -> None:
        self.calls[file].setdefault(repr(call), call)

    def recorded(self) -> dict[str, list[Call]]:
        return {file: [*self.calls[file].values(), *([self.cells[file]] if file in self.cells else [])] for file in {**self.calls, **self.cells}}


def is_cell(code) -> bool:
    return code.co_name == "<module>" or code.co_name.startswith("<cell line")


class _Frame:
    """One call that is going on."""

    def __init__(self, watch: Watch, frame, source: Source):
        self.watch, self.source, self.file = watch, source, frame.f_code.co_filename
        self.strict = self.file in watch.strict
        self.pending: int | None = None         # the first line of the statement that is running
        self.giving_back: int | None = None     # the first line of the return statement that ran last; a `with` around it may still have to end
        self.visits = Counter()
        self.sizes = {**known_sizes(frame), **watch.sizes}
        self.is_cell = is_cell(frame.f_code)
        self.failed = False
        if self.is_cell:                        # a kernel runs each statement of a cell on its own
            self.call = watch.cells.setdefault(self.file, Call(self.sizes))
        else:
            self.call = Call(self.sizes)
        self.function = (frame.f_code.co_name, frame.f_code.co_firstlineno)
        for number in source.arguments.get(self.function, ()):
            name = source.checks[number].value
            self.note(number, frame.f_locals.get(name))

    def note(self, number: int, value) -> None:
        if value is not None:
            self.call.events.append(("value", number, measure(value)))

    def local(self, frame, event, argument):
        if event == "line":
            line, self.failed = frame.f_lineno, False
            self.settle(frame)
            if line in self.source.loops and self.call.events[-1:] != [("loop", *self.source.loops[line])]:
                self.call.events.append(("loop", *self.source.loops[line]))
            first = self.source.first_line.get(line)
            if first in self.source.after or self.strict and first in self.source.plain:
                self.pending = first
        elif event == "exception":
            self.pending, self.failed = None, True
        elif event == "return" and (self.is_cell or not self.failed):       # what was refused may have had any shape
            self.settle(frame, ended=True, returned=argument)
            if argument is not None and not self.is_cell:
                for number in self.source.returned.get(self.function, ()):
                    self.note(number, part_of(argument, self.source.checks[number].part))
                for number in self.source.fields.get(type(argument).__name__, ()):
                    self.note(number, part_of(argument, self.source.checks[number].part))
            if not self.is_cell:
                self.watch.ended(self.file, self.call)
        return self.local

    def settle(self, frame, ended: bool = False, returned=None) -> None:
        """Look at what the statement has made that has run; not while it is still running over several lines."""
        first, line = self.pending, frame.f_lineno
        if first is not None and self.gives_back(first):
            self.pending, self.giving_back = None, first
        if ended and self.giving_back is not None:
            first = self.giving_back
        elif self.pending is None or not ended and self.source.first_line.get(line) == first == self.source.first_line.get(first + 1):
            return
        self.pending = None
        self.visits[first] += 1
        if self.visits[first] > ENOUGH:
            return
        for number in self.source.after.get(first, ()):
            check = self.source.checks[number]
            self.note(number, part_of(returned if check.value is None else value_of(check.value, frame), check.part))
        if self.strict and first in self.source.plain:
            self.look_for_new(frame, first, returned)

    def gives_back(self, first: int) -> bool:
        numbers = self.source.after.get(first)
        return self.source.checks[numbers[0]].value is None if numbers else self.source.plain.get(first, "") is None

    def look_for_new(self, frame, first: int, returned) -> None:
        """Is there a tensor in what a statement without a comment has made that had no name before?"""
        expression = self.source.plain[first]
        if expression is None and self.source.returned.get(self.function):
            return                              # its docstring says it
        made = returned if expression is None else value_of(expression, frame)
        others = [value for name, value in frame.f_locals.items() if name != expression]
        held = {id(value) for value in others}
        held |= {id(item) for value in others if isinstance(value, (dict, tuple)) for item in (value.values() if isinstance(value, dict) else value)}
        if any(getattr(one, "ndim", 0) and id(one) not in held for one in (made if isinstance(made, (tuple, list)) else [made])):
            self.call.events.append(("new", first, measure(made)))


def value_of(expression: str, frame):
    try:
        return eval(_compiled(expression), frame.f_globals, frame.f_locals)
    except (NameError, AttributeError, LookupError, TypeError):
        return None                             # the statement did not run to its end


def _compiled(expression: str, known: dict = {}):
    if expression not in known:
        known[expression] = compile(expression, expression, "eval")
    return known[expression]


def part_of(value, part: str | int | tuple | None):
    if part is None or value is None:
        return value
    if isinstance(part, tuple):
        return [part_of(value, one) for one in part]
    if isinstance(part, int) or isinstance(value, dict):
        return value[part] if isinstance(part, int) or part in value else None
    return getattr(value, part, None)


def known_sizes(frame) -> Sizes:
    """What is known of the letters when a call begins: from the caller, from arguments that are numbers, from a model's config,
    from numbers that a notebook calls so."""
    caller, names, sizes = frame.f_back, frame.f_locals, {}
    while caller is not None and not isinstance(getattr(caller.f_trace, "__self__", None), _Frame):
        caller = caller.f_back
    if caller is not None and not caller.f_trace.__self__.is_cell:
        sizes |= caller.f_trace.__self__.sizes
    if is_cell(frame.f_code):
        return {letter: number for letter in "BSHADIVLNM" if isinstance(number := names.get(letter), int) and number > 0}
    code = frame.f_code
    sizes |= {name: names[name] for name in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount] if type(names.get(name)) is int}
    for name in ("config", "self", "model", "bert"):
        holder = names.get(name)
        config = holder if name == "config" else getattr(holder, "config", None)
        if hasattr(config, "num_attention_heads"):
            sizes |= {letter: getattr(config, name) for letter, name in LETTERS.items()}
        if isinstance(own := getattr(holder, "sizes", None), dict):
            sizes |= {letter: own[name] for letter, name in OF_A_HEAD.items() if name in own}
    if "A" in sizes and "H" in sizes:
        sizes["D"] = sizes["H"] // sizes["A"]
    return sizes


# ---------------------------------------------------------------- what is written, against what was seen

@dataclass
class Verdict:
    """On one file: what is wrong, {line: sentence}; which checks were held against something; which lines made a new tensor and do not say so."""

    wrong: dict[int, str] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    missing: dict[int, str] = field(default_factory=dict)


def judge(source: Source, calls: list[Call]) -> Verdict:
    """Hold what a source says against what happened in some calls."""
    verdict = Verdict()
    for call in calls:
        sizes, made = dict(call.sizes), {}
        for kind, *event in call.events:
            if kind == "loop":
                first, last = event
                for letter in [letter for letter, line in made.items() if first <= line <= last]:
                    del made[letter], sizes[letter]
            elif kind == "new":
                verdict.missing.setdefault(event[0], f"says nothing, and makes {written(event[1])}")
            else:
                check, before = source.checks[event[0]], set(sizes)
                verdict.seen.add(event[0])
                if problem := compare(check.shapes, event[1], sizes):
                    verdict.wrong.setdefault(check.line, problem)
                made |= {letter: check.line for letter in set(sizes) - before}
    return verdict


def compare(shapes: Shapes, found: Measured, sizes: Sizes) -> str | None:
    """What is wrong with what was found, None if nothing is; letters that were free are bound in `sizes`."""
    if found[0] == "nothing":
        return None
    alone = tuple(shape for shape in shapes[0] if shape.times == "1") if len(shapes) == 1 else ()
    if found[0] == "tensor":
        fits = one_of(alone, tuple(found[1]), sizes)
    else:
        several = [one for one in found[2] if one[0] != "other"] if found[0] == "list" else []
        fits = nested(alone, found, sizes) or several and each_fits(shapes, several, found[1], sizes)
    if fits:
        return None
    sizes_said = [choice for some in shapes for shape in some for choices in (*shape.sizes, (shape.times,)) for choice in choices]
    letters = sorted({name for size in sizes_said for name in findall(NAME, size)} & set(sizes))
    known = f", where {', '.join(f'{letter} = {sizes[letter]}' for letter in letters)}" if letters else ""
    said = ", ".join(" or ".join(("" if shape.times == "1" else f"{shape.times or 'each'} · ") + str(shape) for shape in some) for some in shapes)
    return f"says {said}{known}, and is {written(found)}"


def one_of(some: tuple[Shape, ...], found: tuple[int, ...], sizes: Sizes) -> bool:
    for shape in some:
        tried = dict(sizes)
        if fits(shape.sizes, found, tried):
            sizes.update(tried)
            return True
    return False


def nested(some: tuple[Shape, ...], found: Measured, sizes: Sizes) -> bool:
    """Lists in lists, as if they were an array."""
    return any(one_of((shape,), lengths(found, len(shape.sizes)), sizes) for shape in some)


def lengths(found: Measured, depth: int) -> tuple[int, ...]:
    if found[0] == "tensor":
        return tuple(found[1])
    if found[0] != "list" or not depth:
        return ()
    return (found[1], *(lengths(found[2][0], depth - 1) if found[2] else ()))


def each_fits(shapes: Shapes, several: list[Measured], length: int, sizes: Sizes) -> bool:
    """Several tensors, one after the other; a single shape is the shape of all of them."""
    def fit(some, one):
        return one_of(some, tuple(one[1]), sizes) if one[0] == "tensor" else compare((some,), one, sizes) is None

    if len(shapes) == 1:
        times = shapes[0][0].times
        return (times in ("", "1") or size_fits((times,), length, sizes)) and all(fit(shapes[0], one) for one in several)
    if len(shapes) == len(several) and any(one[0] == "list" for one in several):
        return all(fit(some, one) for some, one in zip(shapes, several))
    at = 0
    for some in shapes:
        times = some[0].times
        count = number(times, sizes) if times else Fraction(len(several) - at - (len(shapes) - 1))
        if count is None or at + count > len(several) or not all(fit(some, one) for one in several[at:at + int(count)]):
            return False
        at += int(count)
    return at == len(several)


def fits(said: tuple[tuple[str, ...], ...], found: tuple[int, ...], sizes: Sizes) -> bool:
    if ("…",) in said:
        at = said.index(("…",))
        tail = len(said) - at - 1
        if len(found) < at + tail:
            return False
        said, found = said[:at] + said[at + 1:], found[:at] + found[len(found) - tail:]
    return len(said) == len(found) and all(size_fits(choices, size, sizes) for choices, size in sorted(zip(said, found), key=lambda pair: len(pair[0])))


def size_fits(choices: tuple[str, ...], found: int, sizes: Sizes) -> bool:
    """Is a number one of the choices? Where none of those that are known fits, one with a single free letter binds it."""
    known = [number(choice, sizes) for choice in choices]
    return found in known or any(bind(choice, found, sizes) for choice, value in zip(choices, known) if value is None)


def terms(text: str) -> list[tuple[Fraction, list[str]]]:
    """A sum of products: `2 · B + 1` is [(2, ["B"]), (1, [])]."""
    signs = ["+", *findall(r" ([+-]) ", text)]
    result = []
    for sign, term in zip(signs, split(r" [+-] ", text)):
        factor = Fraction(-1 if sign == "-" else 1)
        for division in findall(r"/(\d+)", term):
            factor /= int(division)
        for digits in findall(r"(?<![\w/])\d+", term):
            factor *= int(digits)
        result.append((factor, findall(NAME, term)))
    return result


def number(text: str, sizes: Sizes) -> int | None:
    """What a size is; None where a letter in it is free."""
    total = Fraction(0)
    for factor, names in terms(text):
        for name in names:
            if name not in sizes:
                return None
            factor *= sizes[name]
        total += factor
    return total


def bind(text: str, found: int, sizes: Sizes) -> bool:
    """Give the free letter of a size its number; with two free letters anything fits."""
    free = {name for _, names in terms(text) for name in names} - set(sizes)
    if len(free) > 1:
        return True
    name = free.pop()
    rest = number(text, sizes | {name: 0})
    slope = number(text, sizes | {name: 1}) - rest
    value = (found - rest) / slope if slope else Fraction(-1)
    if value < 0 or value.denominator != 1:
        return False
    sizes[name] = int(value)
    return True


def written(found: Measured) -> str:
    if found[0] == "tensor":
        return str(list(found[1]))
    if found[0] in ("other", "nothing"):
        return f"a {found[1]}" if found[0] == "other" else "None"
    inner = list(dict.fromkeys(map(written, found[2])))
    return f"{found[1]} things" + (f": {', '.join(inner[:6])}" if inner else "")


# ---------------------------------------------------------------- the package

def package_sources() -> dict[str, Source]:
    """{file: what it says} for the package, the exercises left out, whose solutions are watched in the chapters, and the clinic, which is sick on purpose."""
    return {str(path): read_source(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "minibert").rglob("*.py"))
            if not {"exercises", "clinic"} & set(path.relative_to(ROOT).parts)}


def save(calls: dict[str, list[Call]], path: Path) -> None:
    path.write_text(json.dumps({file: [[call.sizes, call.events] for call in some] for file, some in calls.items()}), encoding="utf-8")


def load(path: Path) -> dict[str, list[Call]]:
    """{file: calls}, as `save` left them."""
    return {file: [Call(*call) for call in some] for file, some in json.loads(path.read_text(encoding="utf-8")).items()}


def place(file: str) -> str:
    return Path(file).relative_to(ROOT).as_posix()


def main() -> int:
    import pytest

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, help="a file for what was seen")
    parser.add_argument("tests", nargs="+", help="what pytest is to run, and its options after --")
    arguments = parser.parse_args()
    sources = package_sources()
    watch = Watch(sources, frozenset(sources))
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments.tests], plugins=[watch])
    calls = watch.recorded()
    if arguments.record:
        save(calls, arguments.record)
    for file, source in sources.items():
        for line, problem in sorted(judge(source, calls.get(file, [])).wrong.items()):
            print(f"{place(file)}:{line} {problem}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
