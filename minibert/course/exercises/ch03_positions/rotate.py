"""Exercise `rotate`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.compare import draw, expect_tensor, recognise


def rotate(x):
    """Rotary positions: row i of x [..., S, D] is rotated by R(i)."""
    # blank from here: one matrix for each row, and the rotated rows
    turns = [shift_matrix(i, x.size(-1)) for i in range(x.size(-2))]
    turns = torch.stack(turns).to(x)  # [S, D, D]
    return (turns @ x[..., None]).squeeze(-1)  # [..., S, D]


SHAPES = ((5, 8), (2, 3, 7, 4), (6, 6))  # the last one: as many rows as columns


def check_rotate(answer):
    for shape in SHAPES:
        x = draw(*shape)
        found, right = answer(x), rotate(x)
        what = f"The rotated tensor {list(shape)}"
        expect_tensor(found, shape, what)
        suspects = [(wrong(x), sentence) for wrong, sentence in known(rotate)]
        # R(k) of an answer may be float32, as that of exercise 3.2 is.
        recognise(found.detach(), right, suspects, what, tolerance=1e-4)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="Rotary positions",
    task="""
            Rotate row $i$ of `x` by $R(i)$, where `shift_matrix` from exercise 3.2 gives the matrix. `x` has the shape [S, D] or more dimensions before these two, such as [B, A, S, D] in attention, and the result has the same shape.
            """,
    hints=(
        "Every row needs a matrix of its own: S matrices, [S, D, D]. Row i of x is a vector, and R(i) stands to its left, as in the equation.",
        "`torch.stack` makes one tensor [S, D, D] of a list of matrices. `x[..., None]` is [..., S, D, 1], a column for each row; `matrices @ columns` multiplies each of them by its own matrix, and `squeeze(-1)` removes the last dimension. `.to(x)` gives the matrices the dtype of x.",
    ),
    paragraph="Rotary positions",
    solution=rotate,
    check=check_rotate,
)
