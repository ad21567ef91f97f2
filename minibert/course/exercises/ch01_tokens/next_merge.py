"""Exercise `next_merge`: task, hints, solution and check."""

from collections import Counter

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def next_merge(words):
    """The pair of neighbours whose count is largest beside the counts of its two parts."""
    single, together = Counter(), Counter()
    for pieces, count in words.items():
        for piece in pieces:
            single[piece] += count
        for pair in zip(pieces, pieces[1:]):
            together[pair] += count
    scores = {(a, b): n / (single[a] * single[b]) for (a, b), n in together.items()}  # blank: a score for every pair  # fmt: skip
    return max(scores, key=scores.get)  # blank: the pair with the best score


def counts(words):
    single, together = Counter(), Counter()
    for pieces, count in words.items():
        single.update({piece: count * pieces.count(piece) for piece in set(pieces)})
        for pair in zip(pieces, pieces[1:]):
            together[pair] += count
    return single, together


# Chosen so that every known wrong rule picks another pair.
MERGE_WORDS = {
    ("b", "##o", "##a", "##t"): 8,
    ("w", "##a", "##t", "##e", "##r"): 13,
    ("r", "##a", "##t", "##e", "##s"): 2,
    ("l", "##o", "##w"): 2,
    ("s", "##t", "##o", "##n", "##e"): 15,
    ("b", "##y"): 9,
    ("g", "##r", "##e", "##e", "##n"): 1,
    ("s", "##t", "##e", "##e", "##p"): 10,
}


def check_next_merge(answer):
    found = answer(dict(MERGE_WORDS))
    if isinstance(found, str):
        raise Mistake(
            f"you return the joined piece {found!r}; the pair of its two parts is wanted, as a tuple."
        )
    if not isinstance(found, tuple) or len(found) != 2:
        raise Mistake(
            f"you return {found!r}; a tuple of two pieces is wanted, such as ('b', '##a')."
        )
    single, together = counts(MERGE_WORDS)
    right = next_merge(MERGE_WORDS)
    if found == right:
        other = {("x", "##y"): 1, ("x", "##z"): 7, ("w", "##z"): 7}
        if answer(other) != ("x", "##y"):
            raise Mistake(
                f"for {other} you give {answer(other)}: a pair that is rare but always together scores highest."
            )
        frequent = {("x", "##y"): 10, ("v", "##z"): 1, ("w", "##z"): 11}
        if answer(frequent) != ("x", "##y"):
            raise Mistake(
                f"for {frequent} you give {answer(frequent)}: the score is a quotient, 10 / (10 · 10) against 1 / (1 · 12), no difference."
            )
        return
    if found not in together:
        raise Mistake(
            f"{found[0]!r} and {found[1]!r} never stand side by side in a word; only neighbours can be joined."
        )
    a, b = found
    numbers = (
        f"{a!r} and {b!r}: {together[found]} times together, {single[a]} and {single[b]} times in all, a score of "
        f"{together[found] / (single[a] * single[b]):.3f}; {right[0]!r} and {right[1]!r} score "
        f"{together[right] / (single[right[0]] * single[right[1]]):.3f}."
    )
    for rule, sentence in known(next_merge):
        if found == rule(MERGE_WORDS):
            raise Mistake(f"{sentence}. {numbers}")
    raise Mistake(f"this is not the pair with the highest score. {numbers}")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=8,
    title="Which pair is joined next?",
    paragraph="Three rules for choosing a pair",
    task="""
            The short rule looks at how often two neighbours stand together *beside how often each occurs at all*. `words` maps
            the pieces of every word, a tuple, to the number of times the word occurs. Return the pair of neighbours with the largest

            $$\\text{score}(a, b) = \\frac{\\text{count}(a\\,b)}{\\text{count}(a)\\;\\text{count}(b)}$$

            as a tuple such as `("b", "##a")`. The two counters are already filled for you.
        """,
    hints=(
        "`together.items()` gives every pair with the number of times `n` that its parts stand side by side. Which two numbers of `single` does the formula need?",
        "A dict comprehension `{(a, b): … for (a, b), n in together.items()}` makes all scores; `max(scores, key=scores.get)` finds the best key.",
    ),
    solution=next_merge,
    check=check_next_merge,
)
