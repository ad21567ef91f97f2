"""Exercise `one_hot_lookup`: task, hints, solution and check."""

import re

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch02_embeddings.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    recognise,
)


def one_hot_lookup(ids, table):
    """The row of every id, by a matrix product: ids [B, S], table [V, H] -> [B, S, H]."""
    one_hot = F.one_hot(ids, num_classes=table.size(0))  # blank: a row of V zeros and ones for every id: [B, S, V]  # fmt: skip
    return one_hot.to(table.dtype) @ table  # blank: ones and zeros, in the table's precision, times the table  # fmt: skip


def check_one_hot_lookup(answer) -> None:
    generator = torch.Generator().manual_seed(1)
    for ids, rows, width, dtype in (
        ([[7, 0, 2, 7], [4, 1, 1, 5]], 11, 3, torch.float64),
        ([[2, 4], [0, 3], [1, 2]], 6, 2, torch.float32),
    ):
        table = torch.randn(
            rows, width, dtype=dtype, generator=generator, requires_grad=True
        )  # [V, H]
        _check_lookup(answer, torch.tensor(ids), table)  # [B, S]


def _check_lookup(answer, ids, table) -> None:
    try:
        found = answer(ids, table)
    except RuntimeError as error:
        if "dtype" in str(error) or "expected" in str(error):
            raise Mistake(
                f"your matrix product needs two factors of one precision: the table is {table.dtype}, and your rows are not (F.one_hot alone gives torch.int64)."
            ) from None
        sizes = re.search(r"\(\d+x(\d+) and (\d+)x\d+\)", str(error))
        yours = (
            f"your left factor is {sizes[1]} wide and your right one {sizes[2]} high: "
            if sizes
            else ""
        )
        raise Mistake(
            f"your two factors do not fit each other: {yours}the one-hot rows stand on the left (F.one_hot alone makes them only {int(ids.max()) + 1} long, since the "
            f"largest id here is {int(ids.max())}), and must be as long as the table is high, {table.size(0)}; the table stands on the right as it is, {list(table.shape)}."
        ) from None
    what = f"your result for {len(ids)} texts of {ids.size(1)} tokens"
    if (
        isinstance(found, Tensor)
        and found.shape == ids.shape + table.shape[1:]
        and found.dtype != table.dtype
    ):
        raise Mistake(
            f"your result is {found.dtype}, but the table is {table.dtype}: turn the ones and zeros into the table's precision, not the other way round."
        )
    given, right = int(ids[0, 0]), table.detach()[ids]  # [B, S, H]
    recognise(
        found,
        right,
        [
            (
                wrong(ids, table.detach()),
                sentence.format(
                    last=ids.size(1) - 1,
                    id=given,
                    bottom=table.size(0) - 1,
                    root=table.size(1) ** 0.5,
                ),
            )
            for wrong, sentence in known(one_hot_lookup)
        ],
        what,
        tolerance=1e-12,
    )
    if not found.requires_grad:
        raise Mistake(
            f"{what} has the right numbers, but no gradient goes through it to the table (a detach, or numbers copied out of it), so no row could ever learn."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="A lookup is a matrix product",
    task="""Write `one_hot_lookup(ids, table)`: turn every id into a row of zeros with a single one, and multiply
        those rows by the table. The result must be what `table[ids]` gives.""",
    hints=(
        "`F.one_hot(ids, num_classes=…)` makes the rows. How long must a row be, so that it can be multiplied by the table `[V, H]`?",
        "`num_classes=table.size(0)`. The result holds whole numbers; `.to(table.dtype)` makes them fit for a product with the table: `… @ table`.",
    ),
    paragraph="One-hot times a table is a row",
    solution=one_hot_lookup,
    check=check_one_hot_lookup,
)
