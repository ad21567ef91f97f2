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
    """The numbers of the faults of runs A, B and C, a list; 0 is a healthy run."""
    # blank from here: three numbers from 0 to 8, each with the reasons for it
    # A prints 0.50, less than a healthy run. Padding in the loss (6) is nearest, with 0.52 to 0.59.
    # An ignored class (7) printed 0.38 to 0.41, and repeated lines (8) print less the fewer they
    # are. Of what is scored in A, 0.47 is padding: 6.
    run_a = 6
    # B prints 0.74, a little more than a healthy run. Every fault of the list ends clearly below or
    # above that. The held-out MLM loss is 0.41, as in a healthy run: 0.
    run_b = 0
    # C begins below chance, rises above it, and ends at the unigram loss + ln 2. With a low rate (1)
    # it would fall smoothly, so this is 2. The largest update confirms it: 0.11, seven times the
    # healthy one.
    run_c = 2
    # What was drawn: padding in the loss, which has no strength; no fault; both rates times 45.
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
        if number == 0:
            raise Mistake(
                f"run {run} is not “healthy”: one measurement is far from that of a healthy run."
            )
        what = TELLS[named]
        ask = f'evidence("{run}", "{what}")'
        if _short(evidence(run, what)) == _short(of_fault(named)[what]):
            raise Mistake(
                f"run {run} is not “{named}”: {ask} is as in such a run, but another measurement"
                " is not."
            )
        raise Mistake(f"run {run} is not “{named}”: compare {ask} with the runs of the chapter.")


def _short(value: float) -> str:
    return f"{value:.2g}" if value < 1000 else f"{value:,.0f}"


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="Name the faults of three unseen runs",
    task="""
            List for each run the faults that could print such a curve. Then ask for one measurement at a time, for example `evidence("A", "held-out MLM loss")`, and decide all three runs
            with as few as you can; three are enough. The other measurements are called held-out NSP loss, largest update, effect of context, share of [MASK], share of visible answers,
            share of padding, lower class accuracy and rows in the corpus.

            0 · healthy<br>1 · too slow<br>2 · too fast<br>3 · mask inverted<br>4 · labels of other rows<br>5 · answers visible<br>6 · padding in the loss<br>7 · a class ignored<br>8 · repeated lines
        """,
    hints=(
        "Compare where each run ends with the table above, and remember that a fault may be stronger or weaker here. Which faults lower the printed sum without a better model? Which end near the unigram loss + ln 2? For each run, which measurement would be different under each of its candidates?",
        "For a run that ends near the unigram loss, the size of the update tells its two candidates apart. For a run that prints little, look at what is scored. For one that prints healthy numbers, look at held-out data.",
    ),
    paragraph="Three runs to diagnose",
    solution=name_the_faults,
    check=check_name_the_faults,
)
