"""Exercise `believe`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def believe(context, vocab_size, kept=0.1, replaced=0.1):
    """The probability that a token which you see at a chosen position was there all the time.

    `context` is the probability that the surrounding tokens alone give to the token that you see. Of the chosen tokens
    a share `kept` stays, and a share `replaced` becomes one of `vocab_size` tokens, all equally likely.
    """
    honest = kept * context  # blank: it was this token, and it was kept
    forged = replaced / vocab_size  # blank: it was replaced, and this token was drawn  # fmt: skip
    return honest / (honest + forged)  # blank: the share of the honest ones


def check_believe(answer):
    cases = [
        (0.001, 30522),
        (1e-6, 30522),
        (0.5, 8192, 0.1, 0.1),
        (0.002, 8192, 0.15, 0.05),
        (0.01, 8192, 0.1, 0.0),
        (0.03, 30522, 0.02, 0.18),
        (0.5, 4, 0.1, 0.1),
    ]
    try:
        found = [float(answer(*case)) for case in cases]
    except ZeroDivisionError:
        raise Mistake(
            "Where no word is ever replaced you divide by zero: compare the honest way with *both* ways together, not with the forged one."
        ) from None
    if isinstance(answer(*cases[0]), str):
        raise Mistake(f"You return the text {answer(*cases[0])!r}; a chance is a number.")
    for case, value in zip(cases, found):
        right = believe(*case)
        if abs(value - right) <= 1e-3 * right + 1e-9:
            continue
        q, v, k, r = (*case, 0.1, 0.1)[:4] if len(case) == 2 else case
        case_says = f"With a context of {q}, {v:,} words, {k} kept and {r} replaced you get {value:.4g}; {right:.4g} is right."
        for wrong, sentence in known(believe):
            if all(
                math.isclose(wrong(*other), mine, rel_tol=1e-6, abs_tol=1e-12)
                for other, mine in zip(cases, found)
            ):
                raise Mistake(f"{case_says} {sentence}.")
        if v == 4 and value > right + 0.15:
            case_says += " With few words a replacement often draws the true word again; it is a replacement all the same."
        elif v == 4:
            case_says += (
                " In the second way any word may have been there before, also the one that you see."
            )
        raise Mistake(f"{case_says} Hint 1 names the two ways to see this word.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Can you believe what you see?",
    task=(
        "At a chosen position you see a token other than [MASK]. Either it was there all the time (a share `kept` of the chosen tokens), or it has been drawn at random "
        "from the vocabulary (a share `replaced`). The surrounding tokens alone give the token that you see the probability `context` ($q$). What is the probability $t$ that it was kept?"
    ),
    hints=(
        "There are two ways to see this token. First: it was the true one, and it was kept. Second: the true one was any token, it was replaced, and this one was drawn. How probable is each?",
        "This is Bayes' theorem: the probability of the first way, divided by the sum of both. At which $q$ are the two ways equally probable? There your function must return 0.5.",
    ),
    paragraph="Why 80, 10 and 10",
    solution=believe,
    check=check_believe,
)
