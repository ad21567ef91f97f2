"""Answers on which the checks of the exercises are tried: one module a chapter, each with ANSWERS.

Wrong answers that a reader might give, each with what the check must say to it, and right answers
that look different from the solution.
"""

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.mistakes import named

__all__ = ["Answers", "answers_to", "named", "patterns"]


@dataclass(frozen=True)
class Answers:
    """The planted answers to one exercise."""

    right: tuple[Callable, ...]  # other right answers, differently written
    wrong: dict[Callable, str]  # wrong answers -> a regular expression for the message of each


def answers_to(exercise: Exercise) -> Answers:
    """The planted answers to an exercise."""
    chapter = exercise.solution.__module__.split(".")[3]
    return importlib.import_module(f"planted.{chapter}").ANSWERS[exercise.name]


def patterns(mistakes: Iterable[tuple[Callable, str]]) -> dict[Callable, str]:
    """(wrong answer, sentence) -> what its message must say: all up to the reader's first number."""
    return {wrong: re.escape(sentence.split("{")[0]) for wrong, sentence in mistakes}
