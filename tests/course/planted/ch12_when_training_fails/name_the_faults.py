"""Answers to `name_the_faults` on which its check is tried."""

from minibert.course.exercises.ch12_when_training_fails.unseen import (
    FAULTS,
    TELLS,
    evidence,
    of_fault,
)
from planted import Answers


def as_a_tuple():
    return (6, 0, 2)


def _distance(run, fault):
    there = of_fault(fault)
    return sum(
        abs(evidence(run, name) - there[name]) / (abs(there[name]) + 0.01)
        for name in set(TELLS.values())
    )


def by_measuring():
    return [
        min(range(len(FAULTS)), key=lambda number: _distance(run, FAULTS[number])) for run in "ABC"
    ]


def a_healthy():
    return [0, 0, 2]


def a_visible():
    return [5, 0, 2]


def a_repeated():
    return [8, 0, 2]


def b_repeated():
    return [6, 8, 2]


def b_ignored():
    return [6, 7, 2]


def c_slow():
    return [6, 0, 1]


def c_labels():
    return [6, 0, 4]


def c_healthy():
    return [6, 0, 0]


def by_name():
    return ["padding", "healthy", "too fast"]


def two():
    return [6, 0]


ANSWERS = Answers(
    right=(as_a_tuple, by_measuring),
    wrong={
        a_healthy: r"run A is not “healthy”: one measurement",
        a_visible: r"run A is not “answers visible”",
        a_repeated: r"run A is not “repeated lines”",
        b_repeated: r"run B is not “repeated lines”: compare evidence\(\"B\", \"rows in the corpus\"\)",
        b_ignored: r"run B is not “a class ignored”",
        c_slow: r"run C is not “too slow”",
        c_labels: r"run C is not “labels of other rows”",
        c_healthy: r"run C is not “healthy”: one measurement",
        by_name: r"for run A you give 'padding'",
        two: r"expected a list of 3 numbers",
    },
)
