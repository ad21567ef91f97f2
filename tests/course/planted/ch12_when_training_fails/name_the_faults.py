"""Answers to `name_the_faults` on which its check is tried."""

from minibert.course.exercises.ch12_when_training_fails.unseen import evidence
from planted import Answers


def as_a_tuple():
    return (6, 0, 8)


def by_measuring():
    found = []
    for run in "ABC":
        if evidence(run, "share of padding") > 0.1:
            found.append(6)
        elif evidence(run, "rows in the corpus") < 25_600:
            found.append(8)
        else:
            found.append(0)
    return found


def a_healthy():
    return [0, 0, 8]


def a_ignored():
    return [7, 0, 8]


def both_repeated():
    return [8, 0, 8]


def both_padding():
    return [6, 0, 6]


def b_repeated():
    return [6, 8, 8]


def b_visible():
    return [6, 5, 8]


def c_ignored():
    return [6, 0, 7]


def c_healthy():
    return [6, 0, 0]


def by_name():
    return ["padding", "healthy", "repeated"]


def two():
    return [6, 0]


ANSWERS = Answers(
    right=(as_a_tuple, by_measuring),
    wrong={
        a_healthy: r"run A is not “healthy”: one measurement",
        a_ignored: r"run A is not “a class ignored”",
        both_repeated: r"run A is not “repeated lines”",
        both_padding: r"run C is not “padding in the loss”: compare evidence\(\"C\", \"share of padding\"\)",
        b_repeated: r"run B is not “repeated lines”: compare evidence\(\"B\", \"rows in the corpus\"\)",
        b_visible: r"run B is not “answers visible”",
        c_ignored: r"run C is not “a class ignored”",
        c_healthy: r"run C is not “healthy”: one measurement",
        by_name: r"for run A you give 'padding'",
        two: r"expected a list of 3 numbers",
    },
)
