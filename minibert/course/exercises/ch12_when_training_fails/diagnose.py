"""Exercise `diagnose`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER
from minibert.course.exercises.ch12_when_training_fails.unseen import (
    FAULTS,
    TELLS,
    diagnosed_runs,
    evidence,
)
from minibert.course.exercises.compare import Mistake

MOST = 5  # different measurements of one run


def diagnose(measure):
    """The diagnosis of a run, spelt as in the list of the task.

    measure(what) returns one measurement of the run, a float.
    Take at most five different ones.
    """
    # blank from here: what comes first, and what does each result call for?
    if measure("share of [MASK]") < 0.7:  # healthy: 0.80 to 0.81
        # padding comes first, because it shows its answer, too
        if measure("share of padding") > 0.1:
            return "padding in the loss"
        shown = measure("share of visible answers") > 0.5
        return "answers visible" if shown else "labels of other rows"
    update = measure("largest update")  # healthy: 0.014 to 0.015
    if not 0.01 < update < 0.02:
        return "too slow" if update < 0.01 else "too fast"
    if measure("effect of context") < 0.5:  # healthy: 0.63 to 0.65
        return "mask inverted"
    if measure("lower class accuracy") < 0.1:  # healthy: 0.81 to 0.91
        return "a class ignored"
    # healthy: 0.19 to 0.29
    return "repeated lines" if measure("held-out NSP loss") > 0.5 else "healthy"


def measuring(values):
    """The function `measure` for one run. It raises Mistake when it is asked too often."""
    asked = set()

    def measure(what):
        if what.startswith("training"):
            raise Mistake(
                f"{what!r} is not among the measurements, because a training loss does not name a"
                f" fault: runs with different faults can print the same one. There are {', '.join(values)}."
            )
        if what not in values:
            raise Mistake(f"no measurement is called {what!r}; there are {', '.join(values)}.")
        asked.add(what)
        if len(asked) > MOST:
            raise Mistake(
                f"you take {len(asked)} different measurements of one run. {MOST} are enough for"
                " every run, if an early one decides which ones follow."
            )
        return values[what]

    return measure


def apart(one, other):
    """Whether two values of a measurement differ by more than half of the larger one."""
    return abs(one - other) > 0.5 * max(abs(one), abs(other))


def check_diagnose(answer):
    for right, values in diagnosed_runs():
        found = answer(measuring(values))
        if found not in FAULTS:
            raise Mistake(f"you return {found!r}; expected one of {', '.join(FAULTS)}.")
        if found == right:
            continue
        telling = (TELLS[name] for name in (right, found) if name in TELLS)
        usual = {what: evidence(found, what) for what in values}
        what = next(what for what in telling if apart(values[what], usual[what]))
        raise Mistake(
            f"the right diagnosis of one run is “{right}”, and you return “{found}”. Its {what} is"
            f" {values[what]:.2g}; in the recorded run “{found}” it is {usual[what]:.2g}."
            f"{_weaker(right, values[what], what)}"
        )


def _weaker(right, value, what):
    """What to say of a run whose fault is weaker than in the recorded runs with the fault's name."""
    if right == "healthy" or not apart(value, evidence(right, what)):
        return ""
    return (
        f" This fault is weaker than in the recorded run “{right}”, where it is"
        f" {evidence(right, what):.2g}. Set your limit close to the healthy runs."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Write the diagnosis as a program",
    task="""
            Write a function that diagnoses a recorded run from at most five measurements. The diagnoses are "healthy", "too slow", "too fast", "mask inverted", "labels of other rows", "answers visible", "padding in the loss", "a class ignored" and "repeated lines". `measure("share of padding")` takes a measurement; the training losses are not among them. `evidence("too slow", "largest update", seed=1)` returns one of a run that you know, with the seed 0 or 1. The check tries your function on other runs as well, in some of which the fault is weaker, but on none of A, B and C. So set each limit outside the spread of the healthy seeds, and not halfway to a fault.

            | measurement | |
            |---|---|
            | share of [MASK], share of visible answers, share of padding | of the chosen positions |
            | largest update | relative to the weights, of all logged steps |
            | effect of context | the distance of exercise 12.2, on held-out text |
            | lower class accuracy | the lower of the two accuracies in NSP, on held-out pairs |
            | held-out MLM loss, held-out NSP loss | in nats, at the end of the run |
        """,
    hints=(
        "A fault may change several measurements, and a measurement may differ in several faults. Print a table of the known runs, two seeds of each, before you write any rule.",
        "With five measurements you cannot exclude eight faults one by one. Begin with a measurement that divides the nine diagnoses into groups, and let its result decide what you measure next. A chosen position that is padding shows its answer, too. A model that has memorised its training pairs has a held-out NSP loss outside the spread of the healthy seeds, but its accuracy is not 0 in any class.",
    ),
    paragraph="Three runs to diagnose",
    solution=diagnose,
    check=check_diagnose,
)
