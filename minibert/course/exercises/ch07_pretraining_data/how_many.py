"""Exercise `how_many`: task, hints, solution and check."""

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def how_many(length, rate, most):
    """How many of `length` tokens ([CLS] and [SEP] counted) are predicted: the share `rate`, at least 1, at most `most`."""
    share = round(length * rate)  # blank: the share, as a whole number
    return min(most, max(1, share))  # blank: at least 1, and at most `most`


def check_how_many(answer):
    cases = [
        (128, 0.15, 20),
        (512, 0.15, 20),
        (512, 0.15, 77),
        (4, 0.1, 20),
        (13, 0.15, 20),
        (44, 0.15, 20),
        (19, 0.15, 20),
        (10, 0.25, 20),
        (40, 0.4, 100),
        (7, 0, 5),
    ]
    found = [answer(*case) for case in cases]
    # wrong numbers first, then numbers of the wrong type
    for case, value in sorted(zip(cases, found), key=lambda pair: pair[1] == how_many(*pair[0])):
        right = how_many(*case)
        if value == right and not isinstance(value, bool) and isinstance(value, int):
            continue
        if value == right:
            raise Mistake(
                f"For {case[0]} tokens you say {value!r}; {right} is right as a number, but a count is an `int`: `round(x)` with one argument gives one."
            )
        for wrong, sentence in known(how_many):
            if [wrong(*other) for other in cases] == found:
                raise Mistake(
                    f"For {case[0]} tokens, a rate of {case[1]} and at most {case[2]} you say {value}; {right} is right. You {sentence}."
                )
        raise Mistake(
            f"For {case[0]} tokens, a rate of {case[1]} and at most {case[2]} you say {value!r}; {right} is right."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="How many?",
    task=(
        "The original predicts a fixed number of tokens in each text: the share `rate` of its length, rounded, at least 1 and at most `most`. "
        "[CLS] and the two [SEP] count as length."
    ),
    hints=(
        "Three steps: a product, made whole; a lower bound; an upper bound.",
        "`round`, `max` and `min`, in this order.",
    ),
    paragraph="How many words to hide",
    solution=how_many,
    check=check_how_many,
)
