"""Shape comments and docstrings, held against the tensors of a real run: what happens in the run, as tools/shape_verdicts.py judges it.

How shapes are written: tools/shape_comments.py.

    python tools/shapes.py tests/unit/test_attention.py …        runs these tests and says which comments of minibert/ are wrong

A letter means one number within one call of one function, or within one cell of a notebook. What a model's config says
(H, A, D, I, V, L) holds in the function that has it and in all that it calls.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
from tools.shape_comments import Source, read_source
from tools.shape_verdicts import Call, Measured, Sizes, judge

ROOT = Path(__file__).resolve().parent.parent
LETTERS = {
    "H": "hidden_size",
    "A": "num_attention_heads",
    "I": "intermediate_size",
    "V": "vocab_size",
    "L": "num_hidden_layers",
}
OF_A_HEAD = {
    "A": "num_heads",
    "I": "feedforward_size",
    "L": "num_layers",
}  # BertSum's: what its `sizes` hold
ENOUGH = 300  # calls of one function, and visits of one line in a call
ITEMS = 40  # of a list are looked at
# It calls the parts of the model with the tokens of a batch as rows, without the axes that their comments name.
ROWS_OF_TOKENS = str(ROOT / "minibert" / "inference" / "unpadded.py")


# ---------------------------------------------------------------- a run that is watched


def measure(value) -> Measured:
    """The shape of a tensor or an array; for lists and dicts how many there are, and the same of what is in them."""
    if hasattr(value, "shape") and hasattr(value, "ndim"):
        return "tensor", tuple(value.shape)
    if value is None:
        return ("nothing",)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, range)):
        plain = all(isinstance(item, (int, float, str)) for item in value[:ITEMS])
        return "list", len(value), () if plain else tuple(map(measure, value[:ITEMS]))
    return "other", type(value).__name__


class Watch:
    """A trace function (`sys.settrace`) over some files: {file name: Source}; `calls` is what it has seen.

    In the `strict` files it also looks at the lines that make a tensor and say nothing about it. `sizes` are letters that
    mean the same number in every call.
    """

    def __init__(
        self,
        sources: dict[str, Source],
        strict: frozenset[str] = frozenset(),
        sizes: Sizes | None = None,
    ):
        self.sources: dict[str, Source | None] = dict(sources)  # None: not watched
        self.strict, self.sizes = strict, sizes or {}
        self.calls: dict[str, dict[str, Call]] = defaultdict(dict)  # each kind of call once
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
        if (
            source is None
            or (code.co_name.startswith("<") and not is_cell(code))
            or not (source.checks or file in self.strict)
        ):
            return None
        if file != ROWS_OF_TOKENS and comes_from(frame, ROWS_OF_TOKENS):
            return None
        function = (file, code.co_firstlineno, code.co_name)
        self.times[function] += not is_cell(code)
        return _Frame(self, frame, source).local if self.times[function] <= ENOUGH else None

    def pytest_runtest_setup(self) -> None:
        sys.settrace(self)  # before every test, as some end all tracing

    def ended(self, file: str, call: Call) -> None:
        self.calls[file].setdefault(repr(call), call)

    def recorded(self) -> dict[str, list[Call]]:
        return {
            file: [*self.calls[file].values(), *([self.cells[file]] if file in self.cells else [])]
            for file in {**self.calls, **self.cells}
        }


def comes_from(frame, file: str) -> bool:
    """Whether a function of a file is among a frame's callers."""
    while (frame := frame.f_back) is not None:
        if frame.f_code.co_filename == file:
            return True
    return False


def is_cell(code) -> bool:
    return code.co_name == "<module>" or code.co_name.startswith("<cell line")


class _Frame:
    """One call that is going on."""

    def __init__(self, watch: Watch, frame, source: Source):
        self.watch, self.source, self.file = watch, source, frame.f_code.co_filename
        self.strict = self.file in watch.strict
        self.pending: int | None = None  # the first line of the statement that is running
        self.giving_back: int | None = (
            None  # the first line of the return statement that ran last; a `with` around it may still have to end
        )
        self.visits = Counter()
        self.sizes = {**known_sizes(frame), **watch.sizes}
        self.is_cell = is_cell(frame.f_code)
        self.failed = False
        if self.is_cell:  # a kernel runs each statement of a cell on its own
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
            if line in self.source.loops and self.call.events[-1:] != [
                ("loop", *self.source.loops[line])
            ]:
                self.call.events.append(("loop", *self.source.loops[line]))
            first = self.source.first_line.get(line)
            if first in self.source.after or (self.strict and first in self.source.plain):
                self.pending = first
        elif event == "exception":
            self.pending, self.failed = None, True
        elif event == "return" and (
            self.is_cell or not self.failed
        ):  # what was refused may have had any shape
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
        elif self.pending is None or (
            not ended
            and self.source.first_line.get(line) == first == self.source.first_line.get(first + 1)
        ):
            return
        self.pending = None
        self.visits[first] += 1
        if self.visits[first] > ENOUGH:
            return
        for number in self.source.after.get(first, ()):
            check = self.source.checks[number]
            self.note(
                number,
                part_of(
                    returned if check.value is None else value_of(check.value, frame), check.part
                ),
            )
        if self.strict and first in self.source.plain:
            self.look_for_new(frame, first, returned)

    def gives_back(self, first: int) -> bool:
        numbers = self.source.after.get(first)
        return (
            self.source.checks[numbers[0]].value is None
            if numbers
            else self.source.plain.get(first, "") is None
        )

    def look_for_new(self, frame, first: int, returned) -> None:
        """Is there a tensor in what a statement without a comment has made that had no name before?"""
        expression = self.source.plain[first]
        if expression is None and self.source.returned.get(self.function):
            return  # its docstring says it
        made = returned if expression is None else value_of(expression, frame)
        others = [value for name, value in frame.f_locals.items() if name != expression]
        held = {id(value) for value in others}
        held |= {
            id(item)
            for value in others
            if isinstance(value, (dict, tuple))
            for item in (value.values() if isinstance(value, dict) else value)
        }
        if any(
            getattr(one, "ndim", 0) and id(one) not in held
            for one in (made if isinstance(made, (tuple, list)) else [made])
        ):
            self.call.events.append(("new", first, measure(made)))


def value_of(expression: str, frame):
    try:
        return eval(compiled(expression), frame.f_globals, frame.f_locals)
    except (NameError, AttributeError, LookupError, TypeError):
        return None  # the statement did not run to its end


@cache
def compiled(expression: str):
    return compile(expression, expression, "eval")


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
        return {
            letter: number
            for letter in "BSHADIVLNM"
            if isinstance(number := names.get(letter), int) and number > 0
        }
    code = frame.f_code
    sizes |= {
        name: names[name]
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if type(names.get(name)) is int
    }
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


# ---------------------------------------------------------------- the package


def package_sources() -> dict[str, Source]:
    """{file: what it says} for the package, the exercises left out, whose solutions are watched in the chapters."""
    return {
        str(path): read_source(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "minibert").rglob("*.py"))
        if "exercises" not in path.relative_to(ROOT).parts
    }


def save(calls: dict[str, list[Call]], path: Path) -> None:
    path.write_text(
        json.dumps(
            {file: [[call.sizes, call.events] for call in some] for file, some in calls.items()}
        ),
        encoding="utf-8",
    )


def load(path: Path) -> dict[str, list[Call]]:
    """{file: calls}, as `save` left them."""
    return {
        file: [Call(*call) for call in some]
        for file, some in json.loads(path.read_text(encoding="utf-8")).items()
    }


def place(file: str) -> str:
    return Path(file).relative_to(ROOT).as_posix()


def main() -> int:
    import pytest
    import torch  # noqa: F401  imported unwatched, for it is large

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", type=Path, help="a file for what was seen")
    parser.add_argument("tests", nargs="+", help="what pytest is to run, and its options after --")
    arguments = parser.parse_args()
    sources = package_sources()
    watch = Watch(sources, frozenset(sources))
    sys.settrace(watch)
    for file in sources:  # what is made at import
        if "__" not in Path(file).stem:
            import_module(".".join(Path(file).relative_to(ROOT).with_suffix("").parts))
    sys.settrace(None)
    code = pytest.main(
        ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments.tests], plugins=[watch]
    )
    calls = watch.recorded()
    if arguments.record:
        save(calls, arguments.record)
    for file, source in sources.items():
        for line, problem in sorted(judge(source, calls.get(file, [])).wrong.items()):
            print(f"{place(file)}:{line} {problem}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
