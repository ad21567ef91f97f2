"""The class of all exercises, and the function that checks answers.

Each exercise has a single source: a working solution whose blanks are marked by trailing comments
`# blank: …`, or by a line `# blank from here: …`. The stub in the notebook, the hidden solution and the solutions notebook are generated
from it.

The task, hints, solution and check of an exercise are in `chNN_name/exercise.py`. Wrong answers that
a check recognises by their results are in `mistakes/chNN_name/`. The other wrong answers, which are
used only to test the checks, are in tests/course/planted/.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from textwrap import dedent

import torch

from minibert.config import did_you_mean
from minibert.course.exercises.card import record

# re-exported, so that the exercises import everything they need from this module
from minibert.course.exercises.compare import (
    Mistake,
    Unforeseen,
)
from minibert.course.exercises.guard import expect_call, line_of, watched

BLANK = "____"  # an undefined name, so that a stub that is not filled in raises a NameError when it runs
SIZES = ("warm-up", "build", "think")


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise. `check` runs an answer and raises Mistake if it is wrong.

    A check only looks at what the answer computes, never at its source code.
    """

    chapter: str  # the notebook's stem, such as "04_attention"
    size: str  # "warm-up", "build" or "think"
    minutes: int  # expected time to solve it
    title: str
    task: str  # Markdown
    hints: tuple[str, str]  # Markdown, the second one close to the solution
    paragraph: str  # the heading in the chapter under which it is explained
    solution: Callable  # a function or class with `# blank: …` comments
    check: Callable[[Callable], None]
    # arguments that an answer is supposed to change in place; it must not change any others
    may_change: tuple[str, ...] = ()

    def __post_init__(self):
        if self.size not in SIZES:
            raise ValueError(f"size must be one of {', '.join(SIZES)}, not {self.size!r}")

    @property
    def name(self) -> str:
        return self.solution.__name__

    def solution_source(self) -> str:
        """The solution as the reader sees it, with `# blank: …` turned into ordinary comments."""
        source = re.sub(r"^ *# blank from here: .*\n", "", self._source(), flags=re.M)
        return re.sub(r"#\s*blank:\s*", "# ", source)

    def stub(self) -> str:
        """The solution with every marked value replaced by a blank.

        A line `# blank from here: …` replaces itself and everything below it.
        """
        source = re.sub(
            r"^( *)# blank from here: (.*)\n(?s:.*)",
            rf"\1{BLANK}  # \2\n",
            self._source(),
            flags=re.M,
        )
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Assign, ast.Return)):
                comment = re.search(r"#\s*blank:\s*(.*)$", lines[node.end_lineno - 1])
                if comment:
                    left = (
                        "return"
                        if isinstance(node, ast.Return)
                        else f"{ast.get_source_segment(source, node.targets[0])} ="
                    )
                    lines[node.lineno - 1] = (
                        f"{' ' * node.col_offset}{left} {BLANK}  # {comment[1]}"
                    )
                    lines[node.lineno : node.end_lineno] = [None] * (node.end_lineno - node.lineno)
        return "\n".join(line for line in lines if line is not None) + "\n"

    def _source(self) -> str:
        return dedent(inspect.getsource(self.solution)).replace("  # fmt: skip", "")


def known(solution: Callable) -> tuple[tuple[Callable, str], ...]:
    """The known wrong answers to an exercise, each with its feedback.

    They are imported on demand because they import the solution.
    """
    chapter = solution.__module__.split(".")[3]  # minibert.course.exercises.chNN_name.exercise
    mistakes = importlib.import_module(f"minibert.course.exercises.mistakes.{chapter}")
    return mistakes.KNOWN[solution.__name__]


@cache
def exercises() -> dict[str, Exercise]:
    """All exercises of the course by name, in the order of the chapters."""
    found = {}
    package = importlib.import_module("minibert.course.exercises")
    for module in sorted(
        m.name for m in pkgutil.iter_modules(package.__path__) if re.match(r"ch\d\d_", m.name)
    ):
        for exercise in importlib.import_module(f"minibert.course.exercises.{module}").EXERCISES:
            if exercise.name in found:
                raise ValueError(f"two exercises are called {exercise.name}")
            found[exercise.name] = exercise
    return found


def number(exercise: Exercise) -> str:
    """The exercise's number in the book, such as '4.2': chapter, and position in the chapter."""
    of_chapter = [other.name for other in exercises().values() if other.chapter == exercise.chapter]
    return f"{int(exercise.chapter[:2])}.{of_chapter.index(exercise.name) + 1}"


def check(answer: Callable) -> Callable:
    """Checks an answer to the exercise with the same name, and prints one line.

    Returns a correct answer unchanged. If the answer still has a blank, returns the published
    solution, so that the rest of the chapter runs. Raises a Mistake that explains what is wrong if
    the answer is wrong.
    """
    name = getattr(answer, "__name__", None)
    if name is None:
        raise ValueError(f"check takes your function or class itself, not {answer!r:.60}")
    if name not in exercises():
        raise ValueError(
            f"no exercise is called {name!r}{did_you_mean(name, exercises())}; the exercises are "
            f"{', '.join(exercises())}"
        )
    exercise = exercises()[name]
    try:
        with torch.random.fork_rng(devices=[]):  # do not change the notebook's random state
            torch.manual_seed(0)
            expect_call(answer, exercise.solution)
            exercise.check(watched(answer, exercise.may_change))
    except Mistake as mistake:
        raise type(mistake)(f"{mistake} Reread: “{exercise.paragraph}”.") from None
    except Exception as error:
        if isinstance(error, NameError) and error.name == BLANK:
            print(f"not yet: {name} still has a blank ({BLANK}); until then the solution is used")
            return exercise.solution
        where = line_of(answer, error)
        what = f"stops{where}" if where else "stops, or its result stops the check,"
        raise Unforeseen(
            f"{name} {what} with {type(error).__name__}: {error}. Reread: “{exercise.paragraph}”."
        ) from error
    print(f"right: {name} passes every check")
    record(name)
    return answer
