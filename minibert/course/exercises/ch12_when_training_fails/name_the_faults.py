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
    # A ends at 0.50 and C at 0.46, below every healthy run (0.67 to 0.72), so both print too little.
    # Three faults end near there: padding in the loss (6) at 0.52 to 0.59, an ignored class (7) at
    # 0.38 to 0.41, and repeated lines (8) anywhere from 0.04 up, with more rows. That A falls faster
    # at first is a hint, because padding is soon learned. The share of padding decides, 0.47 in A: 6.
    run_a = 6
    # In C it is 0.00, so 7 and 8 are left. The corpus of C has 512 rows where 25,600 are trained on: 8.
    run_c = 8
    # B ends at 0.74, close to the healthy runs. So would repeated lines, if there are enough of them, but
    # its corpus has 25,600 rows: 0.
    run_b = 0
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
    minutes=12,
    title="One of three runs is healthy",
    task="""
            The three curves above end close together, and at least one of the runs is healthy. First write down for each run which faults could print such a curve. Then choose the measurements on
            which these faults differ, and ask for one at a time, for example `evidence("A", "held-out MLM loss")`. Decide with as few as you can. No single measurement decides all three
            runs. The others are called held-out NSP loss, largest update, effect of context, share of [MASK], share of visible answers, share of padding, lower class accuracy and
            rows in the corpus.

            0 · healthy<br>1 · too slow<br>2 · too fast<br>3 · mask inverted<br>4 · labels of other rows<br>5 · answers visible<br>6 · padding in the loss<br>7 · a class ignored<br>8 · repeated lines
        """,
    hints=(
        "Which faults lower the printed sum without a better model? A fault may be stronger or weaker than in the recorded run. What happens to the sum of repeated lines if there are more of them?",
        "For a run with two candidates left, ask for a number that one of the faults changes and the other does not: what is scored, what each class gets, or how often a row comes back. Ask about the run that prints a healthy sum, too, because a weak fault may hide there.",
    ),
    paragraph="Three runs to diagnose",
    solution=name_the_faults,
    check=check_name_the_faults,
)
