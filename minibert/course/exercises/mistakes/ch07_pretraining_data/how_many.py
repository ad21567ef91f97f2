"""Wrong answers to `how_many` that its check recognises, each with the feedback for it."""

import math


def how_many_floor(length, rate, most):
    return min(most, max(1, int(length * rate)))


def how_many_ceiling(length, rate, most):
    return min(most, max(1, math.ceil(length * rate)))


def how_many_half_up(length, rate, most):
    return min(most, max(1, math.floor(length * rate + 0.5)))


def how_many_unbounded(length, rate, most):
    return max(1, round(length * rate))


def how_many_or_none(length, rate, most):
    return min(most, round(length * rate))


def how_many_ordinary(length, rate, most):
    return min(most, max(1, round((length - 3) * rate)))


def how_many_always(length, rate, most):
    return most


def how_many_plus_one(length, rate, most):
    return min(most, 1 + round(length * rate))


def how_many_raw(length, rate, most):
    return min(most, max(1, length * rate))


def how_many_without_cls_sep(length, rate, most):
    return min(most, max(1, round((length - 2) * rate)))


def how_many_at_15(length, rate, most):
    return min(most, max(1, round(length * 0.15)))


def how_many_up_to_20(length, rate, most):
    return min(20, max(1, round(length * rate)))


def how_many_without_bounds(length, rate, most):
    return round(length * rate)


def how_many_at_least_most(length, rate, most):
    return max(most, max(1, round(length * rate)))


def how_many_at_most_one(length, rate, most):
    return min(most, min(1, round(length * rate)))


HOW_MANY_MISTAKES = (
    (how_many_floor, "cut off the share where it should be rounded"),
    (how_many_ceiling, "round the share up; it is rounded to the nearest whole number"),
    (
        how_many_half_up,
        "round a half up; Python's `round`, which the original uses, takes a half to the even number",
    ),
    (how_many_unbounded, "leave out the upper bound"),
    (how_many_or_none, "let a short text have no prediction at all; there is at least 1"),
    (how_many_ordinary, "take [CLS] and two [SEP] off the length first; the original counts them"),
    (
        how_many_without_cls_sep,
        "take [CLS] and one [SEP] off the length first; the original counts them",
    ),
    (how_many_at_15, "use a rate of 0.15 whatever `rate` is"),
    (how_many_up_to_20, "use 20 as the upper bound whatever `most` is"),
    (how_many_without_bounds, "leave out both bounds"),
    (
        how_many_at_least_most,
        "take the larger of the share and `most`; `most` is an upper bound, so it is the smaller",
    ),
    (
        how_many_at_most_one,
        "take the smaller of the share and 1; 1 is a lower bound, so it is the larger",
    ),
    (how_many_always, "give the bound itself, whatever the length"),
    (how_many_plus_one, "add 1 where 1 is a lower bound"),
    (how_many_raw, "give a number that is not whole"),
)


KNOWN = HOW_MANY_MISTAKES
