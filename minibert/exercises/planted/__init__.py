"""The answers on which the checks of the exercises are tried: one module a chapter, each with a dict ANSWERS.

Here stand wrong answers that a reader might give, each with what the check must say to it, and right answers that look
different from the solution. These modules import the exercises; the exercises ask for them by `base.known` only.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Answers:
    """The planted answers to one exercise."""

    right: tuple[Callable, ...]                     # other right answers, differently written
    wrong: dict[Callable, str]                      # wrong answers -> a regular expression for the message each must get
    known: tuple[tuple[Callable, str], ...] = ()    # wrong answers that the check itself runs, each with its sentence


def named(name: str, answer: Callable) -> Callable:
    """An answer made by a factory or a lambda, under a name of its own."""
    answer.__name__ = name
    return answer


def patterns(mistakes: Iterable[tuple[Callable, str]]) -> dict[Callable, str]:
    """(wrong answer, its sentence) -> what its message must say: the sentence up to the reader's first number."""
    return {wrong: re.escape(sentence.split("{")[0]) for wrong, sentence in mistakes}
