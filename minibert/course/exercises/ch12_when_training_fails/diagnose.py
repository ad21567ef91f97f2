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
    """The diagnosis of a run: "healthy", or one of the eight faults, spelt as in the table.

    measure(what) returns one measurement of the run, a float. Take at most five different ones.
    """
    # blank from here: which measurement comes first, and which one does each result call for?
    if measure("share of [MASK]") < 0.6:  # the data are wrong, and one of three faults is left
        if measure("share of padding") > 0.2:  # it comes first, because padding shows its answer
            return "padding in the loss"
        shown = measure("share of visible answers") > 0.7
        return "answers visible" if shown else "labels of other rows"
    if measure("effect of context") < 0.3:  # three faults again, and the size of the update differs
        update = measure("largest update")
        if update < 0.001:
            return "too slow"
        return "too fast" if update > 0.05 else "mask inverted"
    if measure("lower class accuracy") < 0.1:
        return "a class ignored"
    gap = measure("held-out NSP loss") - measure("training NSP loss")
    return "repeated lines" if gap > 0.5 else "healthy"


def measuring(values):
    """The function `measure` for one run. It raises Mistake when it is asked too often."""
    asked = set()

    def measure(what):
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
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Write the diagnosis as a program",
    task="""
            Write a function that diagnoses recorded runs like those of the table above from at most five measurements. `measure("share of padding")` takes one. Runs whose fault you know help you to choose limits: `evidence("too slow", "largest update")` returns a measurement of such a run, and `seed=1` chooses another seed. The check tries your function on recorded runs, the known ones among them, but on none of A, B and C.

            | measurement | |
            |---|---|
            | share of [MASK], share of visible answers, share of padding | of the chosen positions |
            | training MLM loss, training NSP loss | in nats, the last that the run printed |
            | largest update | relative to the weights, of all logged steps |
            | effect of context | the distance of exercise 12.2, on held-out text |
            | lower class accuracy | the lower of the two accuracies in NSP, on held-out pairs |
            | held-out MLM loss, held-out NSP loss | in nats, at the end of the run |
        """,
    hints=(
        "A fault may change several measurements, and a measurement may differ in several faults. Print a table of the known runs before you write any rule.",
        "With five measurements you cannot exclude eight faults one by one. Begin with a measurement that divides the nine diagnoses into groups, and let its result decide what you measure next. A chosen position that is padding shows its answer, too. Repeated lines show in the gap between a training loss and the held-out loss of the same task.",
    ),
    paragraph="Three runs to diagnose",
    solution=diagnose,
    check=check_diagnose,
)
