"""Answers to `longer_table` on which its check is tried."""

import torch

from minibert.course.exercises.mistakes.ch03_positions.longer_table import (
    last_row_again,
    last_row_missing,
    one_row_late,
    stretched,
    with_row_0,
    zeros_after,
)
from planted import Answers


def by_joining(rows, length):
    """Another right answer: append the rows from 1 on until there are enough, then cut."""
    table = rows
    while len(table) < length:
        table = torch.cat((table, rows[1:]))
    return table[:length]


def by_looping(rows, length):
    """Another right answer: row by row."""
    source = list(range(len(rows)))
    while len(source) < length:
        source.append(source[-1] % (len(rows) - 1) + 1)
    return torch.stack([rows[i] for i in source[:length]])


def added_to_the_old(rows, length):
    return by_joining(rows, length + len(rows))


def all_rows_from_one_on(rows, length):
    return rows[1 + torch.arange(length) % (len(rows) - 1)]


def unchanged(rows, length):
    return rows


ANSWERS = Answers(
    right=(by_joining, by_looping),
    wrong={
        with_row_0: r"repeat row 0, too",
        last_row_again: r"the last trained row",
        zeros_after: r"are zeros",
        stretched: r"You stretch",
        one_row_late: r"begins with row 2",
        last_row_missing: r"from row 0 to row S - 2",
        added_to_the_old: r"You return 26 rows",
        all_rows_from_one_on: r"first 6 rows have changed",
        unchanged: r"shape \[20, 3\], but it has \[6, 3\]",
    },
)
