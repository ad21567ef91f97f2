"""Exercise `longer_table`: task, hints, solution and check."""

import torch
from torch import nn

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw, expect_tensor, recognise


def longer_table(weight, length):
    """A table of `length` rows, to train further: the rows of `weight` [S, H], again and again."""
    # blank from here: lay out the rows, and return them as a parameter
    copies = -(-length // len(weight))  # rounded up
    return nn.Parameter(weight.detach().repeat(copies, 1)[:length])  # [length, H]


CASES = ((7, 17), (7, 14), (7, 7), (5, 8))  # rows, length


def check_longer(answer):
    for rows, length in CASES:
        weight = nn.Parameter(draw(rows, 6).float())  # [S, H]
        before = weight.detach().clone()
        found, right = answer(weight, length), longer_table(weight, length)
        what = f"The table of {length} rows, made of {rows},"
        expect_tensor(found, (length, 6), what)
        suspects = [
            (wrong(weight, length).detach(), sentence) for wrong, sentence in known(longer_table)
        ]
        old, new = found[:rows].detach(), found[rows:].detach()
        if torch.equal(old, before) and not any(torch.equal(value, found) for value, _ in suspects):
            strange = [i for i, row in enumerate(new) if not (row == before).all(dim=1).any()]
            if strange:
                raise Mistake(
                    f"Your first {rows} rows are right, but row {rows + strange[0]} is none of the old rows. Row {rows} is row 0 again, and so on."
                )
        recognise(found.detach(), right.detach(), suspects, what)
        if not isinstance(found, nn.Parameter):
            raise Mistake(
                f"The numbers are right, but your table is a {type(found).__name__} and not an nn.Parameter, so 0 of its {length} rows are trained when it is put into a model."
            )
        if not found.requires_grad:
            raise Mistake(
                f"Your parameter is frozen (requires_grad is False): 0 of {length} rows can learn."
            )
        with torch.no_grad():
            found[0] += 1
        if not torch.equal(weight.detach(), before):
            raise Mistake(
                "Your table shares its memory with the old one: when row 0 of yours changed, row 0 of the old table changed too. Copy the numbers."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=5,
    title="A longer table",
    task="""
            A trained table `weight` [512, H] has no row for position 512. Make a table of `length` rows from it: the trained rows in their order, and then the same rows again from the first one, as often as needed. (`length` need not be a multiple of the number of rows.) Return it as an `nn.Parameter`, because it will be trained further, and leave the old table as it is.
            """,
    hints=(
        "Row i of the new table is row i mod 512 of the old one. PyTorch has two methods that repeat a tensor; one repeats the whole tensor, the other each row.",
        "`weight.repeat(n, 1)` lays n copies one below the other. Take enough copies and cut them off at `length`. `detach` separates the numbers from the graph of the old parameter.",
    ),
    paragraph="Learned positions",
    solution=longer_table,
    check=check_longer,
)
