"""Exercise `believe`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def believe(context, vocab_size, kept=0.1, replaced=0.1):
    """How probable it is that a token at a chosen position was kept.

    context   the probability of this token, by its context alone
    kept      the proportion of the chosen tokens that stay
    replaced  the proportion that become one of `vocab_size` tokens,
              all equally likely
    """
    first = kept * context  # blank: this token is the true one, and was kept
    second = replaced / vocab_size  # blank: the true one was replaced, this one drawn
    return first / (first + second)  # blank: the probability of the first way


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
            "With `replaced` = 0 you divide by zero: divide the probability of the first way by the sum of both, not by that of the second."
        ) from None
    if isinstance(answer(*cases[0]), str):
        raise Mistake(f"You return the text {answer(*cases[0])!r}; a probability is a number.")
    for case, value in zip(cases, found):
        right = believe(*case)
        if abs(value - right) <= 1e-3 * right + 1e-9:
            continue
        q, v, k, r = (*case, 0.1, 0.1)[:4] if len(case) == 2 else case
        case_says = f"With a context of {q}, {v:,} tokens, {k} kept and {r} replaced you get {value:.4g}; {right:.4g} is right."
        for wrong, sentence in known(believe):
            if all(
                math.isclose(wrong(*other), mine, rel_tol=1e-6, abs_tol=1e-12)
                for other, mine in zip(cases, found)
            ):
                raise Mistake(f"{case_says} {sentence}.")
        if v == 4 and value > right + 0.15:
            case_says += (
                " A replacement may draw the true token again; it still counts as replaced."
            )
        elif v == 4:
            case_says += " In the second way any token may have been there before, including the one that you see."
        raise Mistake(f"{case_says} Hint 1 names the two ways to see this token.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="Can you believe what you see?",
    task=(
        "At a *chosen* position you see a token other than [MASK]. Of the chosen tokens a proportion `kept` stays, and a proportion `replaced` becomes one of the `vocab_size` tokens, all equally likely. "
        "The surrounding tokens alone give the visible token the probability `context` ($q$) of being the true one. What is the probability $t$ that it was kept?"
    ),
    hints=(
        "There are two ways to see this token. First: it is the true token, and it was kept. Second: the true token, whichever it is, was replaced, and this one was drawn. How probable is each way?",
        "By Bayes' theorem $t$ is the probability of the first way, divided by the sum of both. With equal shares the two ways are equally probable at $q = 1/V$, so your function must return 0.5 there.",
    ),
    paragraph="Why 80, 10 and 10",
    solution=believe,
    check=check_believe,
)
