"""Exercise `name_the_faults`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER
from minibert.course.exercises.ch12_when_training_fails.unseen import (
    FAULTS,
    RIGHT,
    TELLS,
    evidence,
    of_fault,
)
from minibert.course.exercises.compare import Mistake


def name_the_faults():
    """The numbers of the faults of runs A, B and C; 0 is a healthy run."""
    run_a = 6  # blank: a number from 0 to 8
    run_b = 0  # blank: a number from 0 to 8
    run_c = 2  # blank: a number from 0 to 8
    return [run_a, run_b, run_c]


def check_name_the_faults(answer):
    found = answer()
    if not isinstance(found, list | tuple) or len(found) != len(RIGHT):
        raise Mistake(f"you return {found!r}; expected a list of {len(RIGHT)} numbers.")
    for (run, right), number in zip(RIGHT.items(), found):
        if number not in range(len(FAULTS)):
            raise Mistake(
                f"for run {run} you give {number!r}; expected a number from 0 to {len(FAULTS) - 1}."
            )
        named = FAULTS[number]
        if named == right:
            continue
        what = TELLS[right if number == 0 else named]
        here, there = (_short(value) for value in (evidence(run, what), of_fault(named)[what]))
        raise Mistake(
            f"run {run} is not “{named}”: in such a run the {what} is about {there}, and in"
            f" run {run} it is {here}."
            if there != here
            else f"run {run} is not “{named}”: its {what}, {here}, is that of such a run, but"
            " something else is wrong as well."
        )


def _short(value: float) -> str:
    return f"{value:.2g}" if value < 1000 else f"{value:,.0f}"


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="Name the faults of three unseen runs",
    task="""
            Runs A, B and C had a fault drawn at random from the eight of this chapter, with a strength drawn at random, or none. `unseen_run("A")` returns the curves, which the
            figure above shows. From the curves, write down which faults you suspect. Then ask for one measurement at a time, for example `evidence("A", "share of padding")`, and
            try to decide all three runs with as few as you can. The others are called largest update, effect of context, share of [MASK], share of visible answers, lower class accuracy and number of different rows.

            0 · healthy<br>1 · learning rate too low<br>2 · learning rate too high<br>3 · attention mask inverted<br>4 · labels of other rows<br>5 · answers visible<br>6 · padding in the loss<br>7 · a class ignored<br>8 · repeated lines
        """,
    hints=(
        "Begin with the six questions: is the held-out MLM loss near the printed one? Does the MLM loss fall far below the unigram loss? Does the NSP loss fall?",
        "Compare each measurement with the table of the eight runs. A loss that ends close to the healthy one can still be printed wrongly, so look at what was scored; a curve that jumps before it comes to rest suggests long steps.",
    ),
    paragraph="Three runs to diagnose",
    solution=name_the_faults,
    check=check_name_the_faults,
)
