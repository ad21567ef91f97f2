"""What a probe is, how its values are compared and shown, and patience with a program that may
never end.
"""

import inspect
import math
import sys
from collections.abc import Callable
from functools import wraps

import torch

PROBES: dict[
    str, Callable
] = {}  # by name; the first line of a probe's docstring is the question it answers
TOLERANCE = 1e-3
LINES = 50_000  # of Python that are run before patience ends


class NeverEnds(Exception):
    """A call was given up."""


def probe(tolerance: float = TOLERANCE) -> Callable:
    """Registers a probe: no arguments, the same value every time; an error while it measures is a
    value too.

    `tolerance`: how far apart two values of it may be and still mean the same, relative or
    absolute; more where chance plays a part.
    """

    def register(function: Callable) -> Callable:
        @wraps(function)
        def measured():
            with torch.random.fork_rng(
                devices=[]
            ):  # whoever measures keeps their own random numbers
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
    """What a probe asks: the first paragraph of its docstring, on one line."""
    return " ".join(inspect.getdoc(PROBES[name]).partition("\n\n")[0].split())


def same(one, other, tolerance: float = TOLERANCE) -> bool:
    """Whether two values of a probe agree: numbers within the tolerance, whatever holds them."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(same(*pair, tolerance) for pair in zip(one, other))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) or (
            math.isnan(one) and math.isnan(other)
        )
    return one == other


def shown(value) -> str:
    """A value of a probe as text, with so few digits that every machine shows the same."""
    if isinstance(value, tuple):
        return ", ".join(
            f"({shown(item)})" if isinstance(item, tuple) else shown(item) for item in value
        )
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{round(value, 3) + 0.0:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def with_patience(call: Callable):
    """What `call` returns; NeverEnds once it has run as many lines of Python as no honest call here
    needs.
    """
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
