"""Answers to `how_many` on which its check is tried."""

from minibert.course.exercises.mistakes.ch07_pretraining_data.how_many import (
    how_many_always,
    how_many_at_15,
    how_many_at_least_most,
    how_many_at_most_one,
    how_many_ceiling,
    how_many_floor,
    how_many_half_up,
    how_many_or_none,
    how_many_ordinary,
    how_many_plus_one,
    how_many_raw,
    how_many_unbounded,
    how_many_up_to_20,
    how_many_without_bounds,
    how_many_without_cls_sep,
)
from planted import Answers


def how_many_clamped(length, rate, most):
    return sorted((1, round(rate * length), most))[1]


def how_many_in_steps(length, rate, most):
    number = max(round(length * rate), 1)
    return most if number > most else number


def how_many_as_float(length, rate, most):
    return min(most, max(1, round(length * rate, 0)))


ANSWERS = Answers(
    right=(how_many_clamped, how_many_in_steps),
    wrong={
        how_many_floor: "cut off",
        how_many_ceiling: "round the share up",
        how_many_half_up: "round a half up",
        how_many_unbounded: "leave out the upper bound",
        how_many_or_none: "at least 1",
        how_many_ordinary: "take .CLS. and two",
        how_many_always: "the bound itself",
        how_many_plus_one: "add 1",
        how_many_raw: "not whole",
        how_many_as_float: "a count is an `int`",
        how_many_without_cls_sep: "take .CLS. and one",
        how_many_at_15: "a rate of 0.15 whatever",
        how_many_up_to_20: "use 20 as the upper bound",
        how_many_without_bounds: "both bounds",
        how_many_at_least_most: "larger of the share",
        how_many_at_most_one: "smaller of the share",
    },
)
