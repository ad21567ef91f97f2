"""Exercise `longer_table`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw, expect_tensor, recognise


def longer_table(rows, length):
    """A table of `length` rows from the trained `rows` [S, H]: rows 0 … S - 1 stay, then rows 1 … S - 1 repeat."""
    trained = len(rows)  # S
    wanted = torch.arange(length)  # 0, 1, …, length - 1
    source = torch.where(wanted < trained, wanted, 1 + (wanted - trained) % (trained - 1))  # blank: which trained row each wanted row copies  # fmt: skip
    return rows[source]  # [length, H]


def check_longer(answer):
    for trained, length in ((6, 20), (5, 9), (4, 4)):
        rows = draw(trained, 3, seed=trained)  # [S, H]
        right = longer_table(rows, length)  # [length, H]
        found = answer(rows.clone(), length)
        if getattr(found, "shape", None) and tuple(found.shape) == (length + trained, 3):
            raise Mistake(
                f"You return {length + trained} rows: `length` counts all rows, the {trained} trained ones included."
            )
        expect_tensor(found, right.shape, f"The table of {length} rows made from {trained}")
        found = found.detach()
        suspects = [(wrong(rows, length), sentence) for wrong, sentence in known(longer_table)]
        if not torch.equal(found[:trained], right[:trained]):
            suspects.append(
                (
                    found,
                    f"The first {trained} rows have changed, so texts that worked before get other vectors. They must stay as they are.",
                )
            )
        recognise(found, right, suspects, f"The table of {length} rows made from {trained}")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="Repair a table that is too short",
    task="""
            Make a longer table out of a trained one without training. Texts that fitted before must get the same vectors as before, so the first rows stay.
            After them the trained rows repeat, but without row 0, which belongs to `[CLS]`: with three trained rows a table of eight takes the rows 0, 1, 2, 1, 2, 1, 2, 1.
            """,
    hints=(
        "Ask which trained row each new row copies, and index with that. `torch.where(condition, a, b)` chooses between two tensors of indices.",
        "For a wanted row w that is not below S: the repeating part has S - 1 rows and begins with row 1, so its source is 1 + (w - S) % (S - 1).",
    ),
    paragraph="A text that is longer than the table",
    solution=longer_table,
    check=check_longer,
)
