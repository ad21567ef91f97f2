"""Exercise `position_table`: task, hints, solution and check."""

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


def position_table(length, dim):
    """Vaswani et al. 2017, section 3.5: [length, dim], for an even dim."""
    position = torch.arange(length)[:, None]  # [S, 1]
    # blank from here: the angles of all hands, their sines and cosines
    even = torch.arange(0, dim, 2)  # [H/2]: 0, 2, 4, …, the 2r of the formula
    angle = position / 10000.0 ** (even / dim)  # [S, H/2], how far each hand has turned
    table = torch.zeros(length, dim)  # [S, H]
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


LENGTH, DIM = 120, 64  # different, so that dividing by the wrong one gives another table


def check_table(answer):
    found, right = answer(LENGTH, DIM), sinusoidal_table(LENGTH, DIM)  # [S, H]
    if getattr(found, "shape", None) == (DIM, LENGTH):
        raise Mistake(
            f"Your table has the shape [{DIM}, {LENGTH}]: a row for each column number. A row belongs to a position: [{LENGTH}, {DIM}]."
        )
    expect_tensor(found, (LENGTH, DIM), "The table")
    found = found.detach()
    still = int((found.double().std(dim=0) < 1e-3).sum())
    numbers = dict(found=found, still=still, largest=found.max())
    suspects = [
        (wrong(LENGTH, DIM), sentence.format(**numbers))
        for wrong, sentence in known(position_table)
    ]
    # The tolerance allows for float32 angles, which are exact to about 1e-5 near 100.
    recognise(found, right, suspects, "The table", tolerance=1e-4)
    for shape in ((1, 2), (7, 8), (600, 6)):
        recognise(
            answer(*shape),
            sinusoidal_table(*shape),
            [],
            f"The table for length {shape[0]}, dim {shape[1]}",
            tolerance=1e-3,
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="The table",
    task="""
            Build the whole table of equation 3.1 at once, without a loop. `length` is the number of positions, `dim` is $d$, an even number. Think about the exponents: a table with wrong ones can still look right.
            """,
    hints=(
        "There are half as many frequencies as columns, because a hand's sine and cosine share one. A column [S, 1] divided by a row gives every quotient of the two at once.",
        "`torch.arange(0, dim, 2)` contains the 2r of the formula for all hands, [H/2]. Compute the angles [S, H/2] first. Then `table[:, 0::2] = …` sets the columns 0, 2, 4, … of a table of zeros, and `table[:, 1::2] = …` the others.",
    ),
    paragraph="The formula and its code",
    solution=position_table,
    check=check_table,
)
