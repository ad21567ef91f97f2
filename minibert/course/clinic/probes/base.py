"""Registration, comparison and display of probes, and a guard against infinite loops."""

import inspect
import math
import sys
from collections.abc import Callable
from functools import wraps

import torch

# By name. The first paragraph of a probe's docstring is the question that readers see.
PROBES: dict[str, Callable] = {}
TOLERANCE = 1e-3
LINES = 50_000  # of Python code that `with_patience` runs before it gives up


class NeverEnds(Exception):
    """Raised by `with_patience` when a call runs too long."""


def probe(tolerance: float = TOLERANCE) -> Callable:
    """Decorator that registers a probe: a function without arguments whose value is reproducible.

    An exception in the function becomes the probe's value. `tolerance` is the largest difference,
    relative or absolute, at which two values count as equal; probes that depend on random draws
    need a larger one.
    """

    def register(function: Callable) -> Callable:
        @wraps(function)
        def measured():
            with torch.random.fork_rng(devices=[]):  # do not change the caller's random state
                torch.manual_seed(0)
                try:
                    return function()
                except Exception as error:
                    return f"stops: {type(error).__name__}"

        measured.tolerance = tolerance
        PROBES[function.__name__] = measured
        return measured

    return register


def question(name: str) -> str:
    """The question that a probe answers: the first paragraph of its docstring, on one line."""
    return " ".join(inspect.getdoc(PROBES[name]).partition("\n\n")[0].split())


def same(one, other, tolerance: float = TOLERANCE) -> bool:
    """Whether two values of a probe agree; numbers, also inside tuples, up to the tolerance."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(same(*pair, tolerance) for pair in zip(one, other))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) or (
            math.isnan(one) and math.isnan(other)
        )
    return one == other


def shown(value) -> str:
    """A probe's value as text, rounded so that every machine shows the same digits."""
    if isinstance(value, tuple):
        return ", ".join(
            f"({shown(item)})" if isinstance(item, tuple) else shown(item) for item in value
        )
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{round(value, 3) + 0.0:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def with_patience(call: Callable):
    """Returns the result of `call`, or raises NeverEnds once it has run `LINES` lines of Python."""
    lines, before = 0, sys.gettrace()

    def count(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        if lines > LINES:
            raise NeverEnds(f"given up after {LINES:,} lines")
        return count

    sys.settrace(count)
    try:
        return call()
    finally:
        sys.settrace(before)
