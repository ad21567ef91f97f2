"""Answers to `find_bugs` on which its check is tried."""

from minibert.course.exercises.ch01_tokens.find_bugs import BUGS
from planted import Answers


def _as_a_tuple():
    return (5, 2, 1, 6, 7, 3)


def _by_name():
    bugs = list(BUGS)
    words = ("without ##", "accents", "capitals", "leaves out", "beginning", "spaces")
    return [next(i for i, bug in enumerate(bugs, 1) if word in bug) for word in words]


def _capitals_for_accents():
    return [5, 1, 1, 6, 7, 3]


def _accents_for_capitals():
    return [5, 2, 2, 6, 7, 3]


def _no_bug_seen():
    return [8, 2, 1, 6, 7, 3]


def _unknowns_exchanged():
    return [5, 2, 1, 7, 6, 3]


def _special_token():
    return [5, 2, 8, 6, 7, 3]


def _beginning_for_spaces():
    return [5, 2, 1, 6, 7, 7]


def _counts_from_zero():
    return [4, 1, 0, 5, 6, 2]


def _out_of_range():
    return [5, 2, 1, 6, 7, 9]


def _too_few():
    return [5, 2, 1]


ANSWERS = Answers(
    right=(_as_a_tuple, _by_name),
    wrong={
        _capitals_for_accents: "output B has another cause.*keeps capitals",
        _accents_for_capitals: "output C has another cause.*keeps accents",
        _no_bug_seen: "output A has another cause.*special token",
        _unknowns_exchanged: "output D has another cause",
        _special_token: "output C has another cause.*typed in the text",
        _beginning_for_spaces: "output F has another cause",
        _counts_from_zero: "output A has another cause.*shortest",
        _out_of_range: "a number from 1 to 8",
        _too_few: "a list of 6 numbers",
    },
)
