"""Answers to `longer_table` on which its check is tried."""

import torch
from torch import nn

from minibert.course.exercises.ch03_positions.longer_table import longer_table
from minibert.course.exercises.mistakes.ch03_positions.longer_table import (
    begins_at_row_one,
    from_the_end,
    last_row_for_the_rest,
    mirrored,
    rows_twice,
    stretched,
    zeros_for_the_rest,
)
from planted import Answers


def by_index(weight, length):
    """Another right answer: row i is row i mod the number of rows."""
    return nn.Parameter(weight.detach()[torch.arange(length) % len(weight)])


def by_growing(weight, length):
    """Another right answer: copies are joined until there are enough."""
    rows = weight.detach().clone()
    while len(rows) < length:
        rows = torch.cat((rows, weight.detach()))
    return nn.Parameter(rows[:length].clone())


def not_a_parameter(weight, length):
    return longer_table(weight, length).detach()


def frozen(weight, length):
    return longer_table(weight, length).requires_grad_(False)


def whole_copies(weight, length):
    return nn.Parameter(weight.detach().repeat(-(-length // len(weight)), 1))


def one_copy_too_few(weight, length):
    return nn.Parameter(weight.detach().repeat(length // len(weight), 1)[:length])


def the_old_one_if_it_suffices(weight, length):
    return weight if length == len(weight) else longer_table(weight, length)


def random_rows(weight, length):
    fresh = torch.randn(length - len(weight), weight.size(1)) * 0.02
    return nn.Parameter(torch.cat((weight.detach(), fresh)))


ANSWERS = Answers(
    right=(by_index, by_growing),
    wrong={
        rows_twice: r"Repeat the whole table",
        stretched: r"stretch the table",
        last_row_for_the_rest: r"copies of the last one",
        zeros_for_the_rest: r"new rows are zero",
        mirrored: r"runs backwards",
        begins_at_row_one: r"begin with row 1",
        from_the_end: r"cut off the beginning",
        not_a_parameter: r"is a Tensor and not an nn\.Parameter",
        frozen: r"is frozen",
        whole_copies: r"should have the shape \[17, 6\], but it has \[21, 6\]",
        one_copy_too_few: r"should have the shape \[17, 6\], but it has \[14, 6\]",
        the_old_one_if_it_suffices: r"shares its memory",
        random_rows: r"row 7 is none of the old rows",
    },
)
