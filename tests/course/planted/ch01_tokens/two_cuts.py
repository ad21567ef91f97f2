"""Answers to `two_cuts` on which its check is tried."""

from planted import Answers


def _another_word():
    return "blank", ["b", "##l", "##a", "##nk"], ["b", "##l", "##an", "##k"]


def _invented_tuples():
    return "ranban", ("r", "##an", "##b", "##an"), ("ra", "##n", "##b", "##an")


def _equal_cuts():
    return "bank", ["bank"], ["bank"]


def _no_merge_fits():
    return "see", ["se", "##e"], ["s", "##e", "##e"]


def _exchanged():
    return "ran", ["ra", "##n"], ["r", "##an"]


def _last_merge_first():
    return "ran", ["ra", "##n"], ["ra", "##n"]


def _stops_early():
    return "blank", ["b", "##l", "##a", "##n", "##k"], ["b", "##l", "##an", "##k"]


def _stops_after_one():
    return "rank", ["r", "##a", "##nk"], ["ra", "##nk"]


def _another_order():
    return "rank", ["r", "##an", "##k"], ["ra", "##nk"]


def _not_longest():
    return "ran", ["r", "##an"], ["r", "##an"]


def _without_marks():
    return "ran", ["r", "an"], ["ra", "n"]


def _loses_a_letter():
    return "ran", ["r", "##a"], ["ra", "##n"]


def _strings():
    return "ran", "r ##an", "ra ##n"


def _capital():
    return "Ran", ["r", "##an"], ["ra", "##n"]


def _word_only():
    return "ran"


ANSWERS = Answers(
    right=(_another_word, _invented_tuples),
    wrong={
        _equal_cuts: "but they are equal",
        _no_merge_fits: "none of the five merges fits",
        _exchanged: "exchanged",
        _last_merge_first: "from the last to the first",
        _stops_early: "merge number 1 still fits",
        _stops_after_one: "merge number 5 still fits: r ##a",
        _another_order: "first merge that fits is number 1",
        _not_longest: "piece number 1 of 'ran' is 'ra'",
        _without_marks: "all pieces but the first carry ##",
        _loses_a_letter: "do not spell 'ran'",
        _strings: "expected a list of pieces",
        _capital: "letters a to z",
        _word_only: "a word and two lists",
    },
)
