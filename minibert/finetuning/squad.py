"""Exact match and F1 of words, as in SQuAD v1.1 (Rajpurkar et al. 2016, section 6.1)."""

import re
import string
from collections import Counter
from collections.abc import Sequence

from minibert.config import InputError

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)  # of ASCII


def normalized(answer: str) -> str:
    """An answer in lowercase, without punctuation and articles, one space between its words."""
    if not isinstance(answer, str):
        raise InputError(f"an answer must be a text, not {answer!r:.60}")
    return " ".join(ARTICLES.sub(" ", answer.lower().translate(PUNCTUATION)).split())


def _normalized_answers(expected: Sequence[str]) -> list[str]:
    """Raises an InputError for a single text in place of a list."""
    if isinstance(expected, str) or not isinstance(expected, Sequence):
        raise InputError(f"expected must be a list of answers, not {expected!r:.60}")
    return list(map(normalized, expected))


def exact_match(found: str, expected: Sequence[str]) -> float:
    """1 if the answer equals one of the expected answers, 0 otherwise."""
    return float(normalized(found) in _normalized_answers(expected))


def answer_f1(found: str, expected: Sequence[str]) -> float:
    """F1 = 2 · shared words / words of both, with the expected answer that gives the highest.

    It is 0 without a shared word, even where neither answer has a word left, as in the official
    program.
    """
    words, best = normalized(found).split(), 0.0
    for answer in _normalized_answers(expected):
        others = answer.split()
        if shared := sum((Counter(words) & Counter(others)).values()):
            best = max(best, 2 * shared / (len(words) + len(others)))
    return best
