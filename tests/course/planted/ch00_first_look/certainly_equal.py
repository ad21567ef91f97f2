"""Answers to `certainly_equal` on which its check is tried."""

from minibert.course.exercises.ch00_first_look.certainly_equal import certainly_equal
from planted import Answers


def equal_by_walking(one, other, reading):
    """Another right answer: walk as long as nothing differs."""
    length, equal = min(len(one), len(other)), []
    if reading == "both":
        return [*range(length)] if one == other else []
    if reading == "right to left" and len(one) != len(other):
        return []
    for i in range(length) if reading == "left to right" else reversed(range(length)):
        if one[i] != other[i]:
            break
        equal.append(i)
    return sorted(equal)


def equal_by_what_is_seen(one, other, reading):
    """Another right answer: write down what each position sees, with its place."""

    def seen(ids, i):
        places = {
            "left to right": range(i + 1),
            "right to left": range(i, len(ids)),
            "both": range(len(ids)),
        }[reading]
        return {(place, ids[place]) for place in places}

    return [i for i in range(min(len(one), len(other))) if seen(one, i) == seen(other, i)]


def equal_tokens(one, other, reading):
    return [i for i in range(min(len(one), len(other))) if one[i] == other[i]]


def forgets_itself(one, other, reading):
    length = min(len(one), len(other))
    if reading == "left to right":
        return [i for i in range(length) if one[:i] == other[:i]]
    return certainly_equal(one, other, reading)


def one_too_few(one, other, reading):
    found = certainly_equal(one, other, reading)
    return found[:-1] if reading == "left to right" else found


def directions_swapped(one, other, reading):
    swapped = {"left to right": "right to left", "right to left": "left to right", "both": "both"}
    return certainly_equal(one, other, swapped[reading])


def both_is_either(one, other, reading):
    if reading != "both":
        return certainly_equal(one, other, reading)
    return sorted(
        {
            *certainly_equal(one, other, "left to right"),
            *certainly_equal(one, other, "right to left"),
        }
    )


def both_is_left_to_right(one, other, reading):
    return certainly_equal(one, other, "left to right" if reading == "both" else reading)


def aligned_at_the_end(one, other, reading):
    if reading != "right to left":
        return certainly_equal(one, other, reading)
    shift = len(other) - len(one)
    return [i for i in range(len(one)) if i + shift >= 0 and one[i:] == other[i + shift :]]


def never_equal(one, other, reading):
    return []


def counted(one, other, reading):
    return len(certainly_equal(one, other, reading))


def bag_of_tokens(one, other, reading):
    def same(i):
        seen = {
            "left to right": slice(i + 1),
            "right to left": slice(i, None),
            "both": slice(None),
        }[reading]
        return sorted(one[seen]) == sorted(other[seen])

    return [i for i in range(min(len(one), len(other))) if same(i)]


def cut_to_the_shorter(one, other, reading):
    length = min(len(one), len(other))
    return certainly_equal(one[:length], other[:length], reading)


def yes_or_no(one, other, reading):
    found = certainly_equal(one, other, reading)
    return [i in found for i in range(min(len(one), len(other)))]


def positions_from_one(one, other, reading):
    return [i + 1 for i in certainly_equal(one, other, reading)]


def tokens_for_positions(one, other, reading):
    return [one[i] for i in certainly_equal(one, other, reading)]


ANSWERS = Answers(
    right=(equal_by_walking, equal_by_what_is_seen),
    wrong={
        equal_tokens: r"\[0, 1, 2, 4, 6, 7\] are the positions with the same token",
        forgets_itself: r"position 3, where the tokens are 3 and 6",
        one_too_few: r"stop at \[0, 1\]",
        directions_swapped: r"directions are swapped",
        both_is_either: r"\[0, 1, 2, 6, 7\], what either",
        both_is_left_to_right: r"as for left to right",
        aligned_at_the_end: r"texts of 8 and 9 tokens",
        never_equal: r"you name \[\]\.",
        counted: r"you return 3, which is no list",
        bag_of_tokens: r"change places.*order counts",
        cut_to_the_shorter: r"ninth token",
        yes_or_no: r"yes or no",
        positions_from_one: r"counted from 1",
        tokens_for_positions: r"are the tokens",
    },
)
