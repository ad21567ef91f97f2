"""Answers to `find_faults` on which its check is tried."""

from minibert.course.exercises.ch07_pretraining_data.broken_programs import (
    FAULTS,
    batch_with,
    broken_batch,
    counts,
)
from planted import Answers


def _as_a_tuple():
    return (7, 1, 0, 3, 6, 2)


def _by_counting():
    """The fault whose counts are nearest to those of the batch."""
    makes = [counts(batch_with(fault)) for fault in range(len(FAULTS) + 1)]
    return [
        min(
            range(len(makes)),
            key=lambda fault: sum(
                abs(mine - made)
                for (_, mine), (_, made) in zip(counts(broken_batch(program)), makes[fault])
            ),
        )
        for program in "ABCDEF"
    ]


def _correct_for_same_document():
    return [0, 1, 0, 3, 6, 2]


def _labels_exchanged_for_same_document():
    return [6, 1, 0, 3, 6, 2]


def _correct_for_one_draw():
    return [7, 0, 0, 3, 6, 2]


def _two_coins_for_correct():
    return [7, 1, 2, 3, 6, 2]


def _special_chosen_for_special_drawn():
    return [7, 1, 0, 4, 6, 2]


def _same_document_for_exchanged():
    return [7, 1, 0, 3, 7, 2]


def _correct_for_two_coins():
    return [7, 1, 0, 3, 6, 0]


def _out_of_range():
    return [7, 1, 0, 3, 6, 9]


def _too_few():
    return [7, 1]


ANSWERS = Answers(
    right=(_as_a_tuple, _by_counting),
    wrong={
        _correct_for_same_document: "program A has a fault",
        _labels_exchanged_for_same_document: "program A does not have fault 6.*label 0",
        _correct_for_one_draw: "program B has a fault",
        _two_coins_for_correct: "program C does not have fault 2.*that stay",
        _special_chosen_for_special_drawn: "program D does not have fault 4",
        _same_document_for_exchanged: "program E does not have fault 7.*label 1",
        _correct_for_two_coins: "program F has a fault",
        _out_of_range: "a number from 0 to 8",
        _too_few: "a list of 6 numbers",
    },
)
