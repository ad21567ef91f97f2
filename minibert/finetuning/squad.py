"""How answers are scored: exact match and F1 of words, as the official program of SQuAD v1.1 counts (Rajpurkar et al. 2016, section 6.1)."""

import re
import string
from collections import Counter
from collections.abc import Sequence

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)         # of ASCII


def normalized(answer: str) -> str:
    """An answer without what does not count: capitals, then punctuation, then articles, then all spaces but one between words."""
    return " ".join(ARTICLES.sub(" ", answer.lower().translate(PUNCTUATION)).split())


def exact_match(found: str, wanted: Sequence[str]) -> float:
    """1 where the answer is one of the wanted ones, else 0."""
    return float(any(normalized(found) == normalized(answer) for answer in wanted))


def answer_f1(found: str, wanted: Sequence[str]) -> float:
    """F1 = 2 · shared words / words of both, with the wanted answer for which it is highest.

    Without a shared word it is 0, even where both have none left: as the official program has it.
    """
    words, best = normalized(found).split(), 0.0
    for answer in wanted:
        others = normalized(answer).split()
        if shared := sum((Counter(words) & Counter(others)).values()):
            best = max(best, 2 * shared / (len(words) + len(others)))
    return best
