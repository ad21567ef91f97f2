"""Answers to `odd_rows` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch03_positions.odd_rows import odd_rows
from minibert.course.exercises.mistakes.ch03_positions.odd_rows import (
    dot_products,
    highest_last,
    in_a_circle,
    like_all_rows,
    longest,
    most_alike,
    row_after_only,
    row_before_only,
)
from planted import Answers


def by_looping(table, count):
    """Another right answer: row by row."""
    scores = []
    for i, row in enumerate(table):
        near = [table[n] for n in (i - 1, i + 1) if 0 <= n < len(table)]
        scores.append(sum(F.cosine_similarity(row, other, dim=0).item() for other in near) / len(near))  # fmt: skip
    return sorted(range(len(table)), key=scores.__getitem__)[:count]


def as_tensor(table, count):
    return torch.tensor(odd_rows(table, count))


def one_too_many(table, count):
    return odd_rows(table, count + 1)


def one_row_on(table, count):
    return [row + 1 for row in odd_rows(table, count)]


def the_cosines(table, count):
    step = F.cosine_similarity(table[:-1], table[1:], dim=1)
    return step.sort().values[:count]


ANSWERS = Answers(
    right=(by_looping, as_tensor),
    wrong={
        most_alike: r"fit best\. A low",
        highest_last: r"lowest value first",
        dot_products: r"short rows look odd",
        row_after_only: r"row after only",
        row_before_only: r"row before only",
        in_a_circle: r"one neighbour only",
        longest: r"the longest rows",
        like_all_rows: r"Distant rows may differ",
        one_too_many: r"4 rows where 3",
        one_row_on: r"Print the cosines",
        the_cosines: r"a cosine\. Return the numbers",
    },
)
