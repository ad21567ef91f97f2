"""Definitions that several exercises of this chapter share."""

from minibert.course.exercises.compare import Mistake

CHAPTER = "12_when_training_fails"


def numbers(found, expected: int, what: str) -> list[float]:
    """The answer as a list of floats. Raises Mistake if it is not a list of so many numbers."""
    if not isinstance(found, list | tuple) or len(found) != expected:
        size = f"{len(found)} entries" if isinstance(found, list | tuple) else f"{found!r}"
        raise Mistake(f"{what} should be a list of {expected} numbers, and you return {size}.")
    try:
        return [float(value) for value in found]
    except (TypeError, ValueError):
        raise Mistake(f"{what} should hold numbers, and you return {found[0]!r} first.") from None
