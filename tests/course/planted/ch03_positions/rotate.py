"""Answers to `rotate` on which its check is tried."""

import torch

from minibert.course.exercises.ch03_positions.rotate import rotate
from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.mistakes.ch03_positions.rotate import (
    added,
    all_by_the_last,
    counts_from_one,
    halves,
    leading_axis,
    multiplied,
    one_step_for_all,
    turned_back,
    twice_as_far,
    unchanged,
)
from planted import Answers


def by_einsum(x):
    """Another right answer: one sum for all rows."""
    turns = torch.stack([shift_matrix(i, x.size(-1)) for i in range(x.size(-2))]).to(x)
    return torch.einsum("sde,...se->...sd", turns, x)


def by_pairs(x):
    """Another right answer: the two numbers of each hand, without any matrix."""
    dim = x.size(-1)
    angle = (torch.arange(x.size(-2))[:, None] / 10000.0 ** (torch.arange(0, dim, 2) / dim)).to(
        x
    )  # [S, D/2]
    sine, cosine = x[..., 0::2], x[..., 1::2]
    return torch.stack(
        (
            sine * angle.cos() + cosine * angle.sin(),
            cosine * angle.cos() - sine * angle.sin(),
        ),
        dim=-1,
    ).flatten(-2)


def row_by_row(x):
    """Another right answer, with a loop over the rows."""
    rows = [x[..., i, :] @ shift_matrix(i, x.size(-1)).to(x).T for i in range(x.size(-2))]
    return torch.stack(rows, dim=-2)


def flattened(x):
    return rotate(x).flatten(0, -2)[: x.size(-2)] if x.dim() > 2 else rotate(x)


ANSWERS = Answers(
    right=(by_einsum, by_pairs, row_by_row),
    wrong={
        turned_back: r"turn the other way",
        counts_from_one: r"Row 0 is rotated by R\(1\)",
        one_step_for_all: r"All your rows are rotated by R\(1\)",
        twice_as_far: r"R\(2i\), twice as far",
        all_by_the_last: r"that of the last position",
        added: r"add the sinusoidal table",
        multiplied: r"multiply each number",
        unchanged: r"come back as they were",
        leading_axis: r"along the first axis",
        flattened: r"should have the shape \[2, 3, 7, 4\]",
        halves: r"columns r and r \+ D/2",
    },
)
