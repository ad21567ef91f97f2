"""Exact match and F1 of words, as in SQuAD v1.1 (Rajpurkar et al. 2016, section 6.1)."""

import re
import string
from collections import Counter
from collections.abc import Sequence

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)  # of ASCII


def normalized(answer: str) -> str:
    """An answer in lowercase, without punctuation and articles, one space between its words."""
    return " ".join(ARTICLES.sub(" ", answer.lower().translate(PUNCTUATION)).split())


def exact_match(found: str, expected: Sequence[str]) -> float:
    """1 if the answer equals one of the expected answers, 0 otherwise."""
    return float(any(normalized(found) == normalized(answer) for answer in expected))


def answer_f1(found: str, expected: Sequence[str]) -> float:
    """F1 = 2 · shared words / words of both, with the expected answer that gives the highest.

    It is 0 without a shared word, even where neither answer has a word left, as in the official
    program.
    """
    words, best = normalized(found).split(), 0.0
    for answer in expected:
        others = normalized(answer).split()
        if shared := sum((Counter(words) & Counter(others)).values()):
            best = max(best, 2 * shared / (len(words) + len(others)))
    return best
