"""Answers to `set_back` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch03_positions.set_back import set_back
from minibert.course.exercises.mistakes.ch03_positions.set_back import (
    all_hands,
    first_row,
    frequency_instead,
    in_halves,
    runs_back,
    stands_still,
    the_other_hands,
    without_2_pi,
)
from minibert.positions import sinusoidal_table
from planted import Answers


def hand_by_hand(table, length, slow=True):
    """Another right answer: a loop over the hands, and one over the positions."""
    new = table.clone()
    for j in range(table.size(1) // 2):
        frequency = 10000 ** (-2 * j / table.size(1))
        if (2 * math.pi / frequency > length) == slow:
            for i in range(length, len(table)):
                new[i, 2 * j : 2 * j + 2] = table[i % length, 2 * j : 2 * j + 2]
    return new


def by_a_cut(table, length, slow=True):
    """Another right answer: wavelengths grow from left to right, so one column divides slow from fast."""
    turns = 10000 ** (torch.arange(0, table.size(1), 2) / table.size(1)) * 2 * math.pi / length
    cut = 2 * int((turns <= 1).sum())
    again = table[[i % length for i in range(len(table))]]
    left, right = (table, again) if slow else (again, table)
    return torch.cat((left[:, :cut], right[:, cut:]), dim=1)


def always_slow(table, length, slow=True):
    return set_back(table, length)


def built_anew(table, length, slow=True):
    return set_back(sinusoidal_table(*table.shape).to(table.dtype), length, slow)


def one_column_short(table, length, slow=True):
    return set_back(table, length, slow)[:, :-1]


ANSWERS = Answers(
    right=(hand_by_hand, by_a_cut),
    wrong={
        the_other_hands: r"those of the fast hands",
        all_hands: r"all 16 columns",
        without_2_pi: r"too few",
        frequency_instead: r"has not changed",
        in_halves: r"side by side",
        stands_still: r"stand still",
        runs_back: r"turn backwards",
        first_row: r"straight up",
        always_slow: r"same hands as before",
        built_anew: r"0\.1 times as large",
        one_column_short: r"\[40, 15\]",
    },
)
