"""Answers to `find_faults` on which its check is tried."""

from minibert.course.exercises.ch07_pretraining_data.broken_programs import (
    FAULTS,
    batch_with,
    broken_batch,
    counts,
)
from planted import Answers


def _as_a_tuple():
    return (7, 1, 0, 3, 6, 2), 3.9


def _by_counting():
    """The fault whose counts are nearest to those of the batch; the evidence with its sign."""
    makes = [counts(batch_with(fault)) for fault in range(len(FAULTS) + 1)]
    numbers = [
        min(
            range(len(makes)),
            key=lambda fault: sum(
                abs(mine - made)
                for (_, mine, _), (_, made, _) in zip(counts(broken_batch(program)), makes[fault])
            ),
        )
        for program in "ABCDEF"
    ]
    _, kept, n = counts(broken_batch("F"))[1]
    return numbers, (kept - 0.1) / (0.1 * 0.9 / n) ** 0.5


def _exchanged():
    return [6, 1, 0, 3, 7, 2], 3.9


def _two_correct():
    return [7, 1, 0, 3, 6, 0], 3.9


def _no_evidence():
    return [7, 1, 0, 3, 6, 2], 0


def _evidence_in_points():
    return [7, 1, 0, 3, 6, 2], 0.008


def _evidence_as_text():
    return [7, 1, 0, 3, 6, 2], "3.9"


def _out_of_range():
    return [7, 1, 0, 3, 6, 9], 3.9


def _too_few():
    return [7, 1], 3.9


def _numbers_alone():
    return [7, 1, 0, 3, 6, 2]


ANSWERS = Answers(
    right=(_as_a_tuple, _by_counting),
    wrong={
        _exchanged: "not all six are right",
        _two_correct: "the same number",
        _no_evidence: "not the evidence: you give 0 ",
        _evidence_in_points: "not the evidence",
        _evidence_as_text: "expected a number of standard errors",
        _out_of_range: "a number from 0 to 8",
        _too_few: "a list of 6 numbers",
        _numbers_alone: "and the evidence",
    },
)
