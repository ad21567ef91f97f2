"""Answers to `look_back` on which its check is tried."""

import torch

from minibert.course.exercises.ch03_positions.look_back import look_back
from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.mistakes.ch03_positions.look_back import (
    by_distance,
    divided_by_root,
    exponentials,
    log_weights,
    looks_ahead,
    not_rotated,
    one_step,
    only_the_largest,
    over_all,
    over_i,
    rotated_twice,
    scores_only,
)
from planted import Answers


def by_equation(table, k):
    """Another right answer: equation 3.3, which needs the distances only."""
    i = torch.arange(len(table))
    frequency = 10000.0 ** (-torch.arange(0, table.size(1), 2) / table.size(1))  # [H/2]
    angle = (i[:, None] - i - k)[..., None] * frequency  # [S, S, H/2]
    return angle.cos().sum(dim=-1).softmax(dim=1)


def by_rotating_the_other(table, k):
    """Another right answer: turn p(i) back by k."""
    back = table @ shift_matrix(-k, table.size(1)).to(table).T  # [S, H]
    scores = torch.einsum("ih,jh->ij", back, table).exp()
    return scores / scores.sum(dim=1, keepdim=True)


def whole_numbers(table, k):
    return look_back(table, k).round().long()


def one_row(table, k):
    return look_back(table, k)[10]


ANSWERS = Answers(
    right=(by_equation, by_rotating_the_other),
    wrong={
        looks_ahead: r"in column 13: you look the other way.* j = 7",
        not_rotated: r"in column 10: every position looks at itself",
        one_step: r"in column 9: you always look one position back",
        rotated_twice: r"in column 4: you look twice as far",
        scores_only: r"these are the scores",
        over_i: r"Your columns sum to 1",
        over_all: r"whole matrix sums to 1",
        log_weights: r"not log_softmax",
        exponentials: r"also divides",
        only_the_largest: r"entry, 1\.00, in column 7: you give the largest",
        divided_by_root: r"as chapter 4 will",
        by_distance: r"minus the distances",
        whole_numbers: r"are torch\.int64",
        one_row: r"should have the shape \[24, 24\]",
    },
)
