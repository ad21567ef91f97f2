"""Exercise `shift_matrix`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    expect_tensor,
    recognise,
)
from minibert.positions import sinusoidal_table


def shift_matrix(k, dim):
    """R(k), with R(k) p(i) = p(i + k) for every row p(i): [H, H]."""
    even = torch.arange(0, dim, 2)  # [H/2]: the columns of the sines
    matrix = torch.zeros(dim, dim)  # [H, H]
    # blank from here: give every hand its block on the diagonal
    angle = k / 10000.0 ** (even / dim)  # [H/2], the turn of each hand in k steps
    matrix[even, even] = angle.cos()  # how much of the old sine is in the new sine
    matrix[even, even + 1] = angle.sin()  # how much of the old cosine is in the new sine
    matrix[even + 1, even] = -angle.sin()  # how much of the old sine is in the new cosine
    matrix[even + 1, even + 1] = angle.cos()  # how much of the old cosine is in the new cosine
    return matrix


def check_shift(answer):
    for k, dim in ((3, 8), (-2, 12), (40, 6), (0, 4)):
        found, right = answer(k, dim), shift_matrix(k, dim)  # [H, H]
        expect_tensor(found, right.shape, f"R({k}) for dim {dim}")
        table = sinusoidal_table(60, dim).double()  # [S, H]
        moved = found.detach().double() @ table[10]
        off = (moved - table[10 + k]).norm()
        given = f"Your R({k}) p(10) misses p({10 + k}) by {off:.2f}"
        if k == -2 and torch.allclose(found.float(), shift_matrix(2, dim), atol=1e-4):
            raise Mistake(f"{given} and hits p(12): a negative k goes back. Use k with its sign.")
        numbers = dict(
            given=given,
            k=k,
            dim=dim,
            hands=dim // 2,
            back=10 - k,
            further=11 + k,
            turn=k * 10000 ** (-2 / dim),
            slow=k * 10000 ** (-1 / dim),
            fast=k * 10000 ** (-4 / dim),
        )
        suspects = [
            (wrong(k, dim), sentence.format(**numbers)) for wrong, sentence in known(shift_matrix)
        ]
        recognise(
            found.detach(),
            right,
            suspects + [(found.detach(), which_entries(found.detach(), right, given))],
            f"R({k}) for dim {dim}",
            tolerance=1e-4,
        )


def which_entries(found, right, given):
    """Says which of the four kinds of entries of R(k) is wrong. found, right [H, H]."""
    blocks = torch.block_diag(*[torch.ones(2, 2)] * (len(right) // 2)).bool()  # [H, H]
    if found[~blocks].abs().max() > 1e-4:
        row, column = (
            (found.abs() * ~blocks).argmax().item() // len(right),
            (found.abs() * ~blocks).argmax().item() % len(right),
        )
        return (
            f"{given}: row {row} has {found[row, column]:.2f} in column {column}, which belongs to another hand. "
            "A hand mixes only its own sine and cosine; everything outside the 2 × 2 blocks on the diagonal is 0."
        )
    names = {
        (0, 0): "the old sine in the new sine",
        (0, 1): "the old cosine in the new sine",
        (1, 0): "the old sine in the new cosine",
        (1, 1): "the old cosine in the new cosine",
    }
    wrong = {}
    for place, name in names.items():
        mine, theirs = (
            matrix[place[0] :: 2, place[1] :: 2].diagonal().double() for matrix in (found, right)
        )  # [H/2]
        if not torch.allclose(mine, theirs, rtol=1e-4, atol=1e-4):
            hand = int((mine - theirs).abs().argmax())
            wrong[name] = f"{mine[hand]:.2f} where {theirs[hand]:.2f} is right, for hand {hand}"
    turn = (
        found[2 * hand : 2 * hand + 2, 2 * hand : 2 * hand + 2].double() if wrong else None
    )  # [2, 2]
    if (
        len(wrong) == 4
        and torch.allclose(turn @ turn.T, torch.eye(2).double(), atol=1e-4)
        and torch.det(turn) > 0
    ):
        angles = [
            math.atan2(matrix[2 * hand, 2 * hand + 1], matrix[2 * hand, 2 * hand])
            for matrix in (found, right)
        ]
        return f"{given}: your hand {hand} turns by {angles[0]:.2f} radians (up to whole turns), where {angles[1]:.2f} is right."
    return f"{given}. Look at the weight of {'; and of '.join(f'{name}: {numbers}' for name, numbers in wrong.items())}."


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="The matrix that moves every position",
    task="""
            Find the matrix $R(k)$ with $R(k)\\,p_i = p_{i+k}$ for *every* $i$. It must not depend on $i$. Work out one hand on paper first, with the angle $a$ before and $a+\\theta$ after the step; you will need two identities from school:
            $\\sin(a+\\theta) = \\sin a\\cos\\theta + \\cos a\\sin\\theta$ and $\\cos(a+\\theta) = \\cos a\\cos\\theta - \\sin a\\sin\\theta$.
            """,
    hints=(
        "Start with one hand, whose angle grows from a to a + θ. Its new sine and its new cosine are each a sum of two products with the old ones. How large is θ for hand r, after k steps?",
        "For hand r, θ is k times the frequency of the hand. Write the two formulas as a 2 × 2 matrix times the column (old sine, old cosine); this block belongs in rows and columns 2r and 2r + 1. `even` contains all 2r, so a matrix can be indexed with it: `matrix[even, even]` are the upper left entries of all blocks.",
    ),
    paragraph="One matrix moves every position",
    solution=shift_matrix,
    check=check_shift,
)
