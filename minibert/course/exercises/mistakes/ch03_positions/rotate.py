"""Wrong answers to `rotate` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.ch03_positions.rotate import rotate
from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.mistakes import named
from minibert.positions import sinusoidal_table


def variant(name, turn=lambda i: i, back=False):
    """Returns `rotate` with another number of steps for row i, or with the transposed matrices."""

    def answer(x):
        turns = [shift_matrix(turn(i), x.size(-1)) for i in range(x.size(-2))]
        turns = torch.stack(turns).to(x)  # [S, D, D]
        turns = turns.transpose(1, 2) if back else turns
        return (turns @ x[..., None]).squeeze(-1)

    return named(name, answer)


turned_back = variant("turned_back", back=True)
counts_from_one = variant("counts_from_one", turn=lambda i: i + 1)
one_step_for_all = variant("one_step_for_all", turn=lambda i: 1)
twice_as_far = variant("twice_as_far", turn=lambda i: 2 * i)


def all_by_the_last(x):
    """Every row by the matrix of the last position."""
    matrix = shift_matrix(x.size(-2) - 1, x.size(-1)).to(x)
    return x @ matrix.T


def added(x):
    return x + sinusoidal_table(x.size(-2), x.size(-1)).to(x)


def multiplied(x):
    return x * sinusoidal_table(x.size(-2), x.size(-1)).to(x)


def unchanged(x):
    return x.clone()


def leading_axis(x):
    """Rotates along the first axis instead of the last but one."""
    if x.dim() == 2:
        return variant("", back=False)(x)
    turns = torch.stack([shift_matrix(i, x.size(-1)) for i in range(x.size(0))]).to(x)  # [B, D, D]
    return torch.einsum("bde,b...e->b...d", turns, x)


def halves(x):
    """The columns r and r + D/2 as one hand, as in Llama's program."""
    order = torch.arange(x.size(-1)).view(2, -1).T.flatten()  # 0, D/2, 1, D/2 + 1, …
    return rotate(x[..., order])[..., order.argsort()]


KNOWN = (
    (
        turned_back,
        "Your rows turn the other way: row i is rotated by R(-i). The matrix stands to the left of the vector; with the row on the left it must be transposed.",
    ),
    (counts_from_one, "Row 0 is rotated by R(1). Positions count from 0, and R(0) leaves row 0 as it is."),
    (
        one_step_for_all,
        "All your rows are rotated by R(1), so all turn alike, and the dot products of the rows do not change. Row i needs R(i).",
    ),
    (twice_as_far, "Row i is rotated by R(2i), twice as far as it should be."),
    (
        all_by_the_last,
        "All your rows are rotated by the same matrix, that of the last position, so the dot products of the rows do not change. Row i needs R(i).",
    ),
    (added, "You add the sinusoidal table. Rotary positions add nothing: they rotate the vector that is there."),
    (
        multiplied,
        "You multiply each number by the table's number. A rotation mixes the two numbers of a hand: it is a matrix times a vector.",
    ),
    (unchanged, "Your rows come back as they were: R(i) is missing."),
    (halves, "You take the columns r and r + D/2 as one hand, as some programs do. In this chapter its two columns are neighbours, 2r and 2r + 1."),
    (leading_axis, "You count along the first axis. The positions are on the last but one: x is [..., S, D]."),
)  # fmt: skip
