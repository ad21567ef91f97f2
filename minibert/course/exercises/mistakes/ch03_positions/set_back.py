"""Wrong answers to `set_back` that its check recognises, each with the feedback for it."""

import math

import torch

from minibert.course.exercises.ch03_positions.set_back import set_back
from minibert.course.exercises.mistakes import named


def variant(
    name,
    wavelength=lambda dim: 2 * math.pi * 10000 ** (torch.arange(0, dim, 2) / dim),
    columns=lambda hands: hands.repeat_interleave(2),
    rows=lambda count, length: torch.arange(count) % length,
):
    """Returns `set_back` with one of its steps replaced."""

    def answer(table, length, slow=True):
        hands = (wavelength(table.size(1)) > length) == slow
        repeated = table[rows(len(table), length)]
        return torch.where(columns(hands), repeated, table)

    return named(name, answer)


def the_other_hands(table, length, slow=True):
    return set_back(table, length, not slow)


def all_hands(table, length, slow=True):
    return table[torch.arange(len(table)) % length]


without_2_pi = variant(
    "without_2_pi", wavelength=lambda dim: 10000 ** (torch.arange(0, dim, 2) / dim)
)
frequency_instead = variant(
    "frequency_instead", wavelength=lambda dim: 10000 ** (-torch.arange(0, dim, 2) / dim)
)
in_halves = variant("in_halves", columns=lambda hands: hands.repeat(2))
stands_still = variant(
    "stands_still", rows=lambda count, length: torch.arange(count).clamp(max=length - 1)
)
runs_back = variant(
    "runs_back",
    rows=lambda count, length: (
        torch.arange(length)
        .repeat(count)[:count]
        .where(torch.arange(count) < length, length - 1 - torch.arange(count) % length)
    ),
)
first_row = variant(
    "first_row",
    rows=lambda count, length: torch.arange(count).where(torch.arange(count) < length, 0),
)


KNOWN = (
    (
        the_other_hands,
        "You set back {changed} columns, those of the fast hands. A hand is slow if its wavelength is larger than `length`.",
    ),
    (
        all_hands,
        "You set back all {dim} columns, so row {length} equals row 0 and no position after it is new. Only the slow hands repeat.",
    ),
    (
        without_2_pi,
        "You set back {changed} columns, too few: a hand turns by `frequency` radians in a step, and a full turn is 2π radians.",
    ),
    (
        frequency_instead,
        "Your table has not changed. No frequency is larger than {length}: compare wavelengths, 2π divided by the frequency.",
    ),
    (
        in_halves,
        "You set back {changed} columns, but not those of the slow hands: the two columns of a hand are side by side, 2j and 2j + 1.",
    ),
    (
        stands_still,
        "From row {length} on your slow hands stand still. They should go on turning, and repeat rows 0, 1, 2, ….",
    ),
    (
        runs_back,
        "From row {length} on your slow hands turn backwards. Row {length} should repeat row 0, the next one row 1.",
    ),
    (
        first_row,
        "From row {length} on all your slow hands point straight up, as in row 0. They should repeat rows 0, 1, 2, ….",
    ),
)
