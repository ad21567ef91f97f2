"""Exercise `odd_rows`: task, hints, solution and check."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw


def odd_rows(table, count):
    """The numbers of the `count` rows of table [S, H] that are least like their neighbours, the oddest first."""
    unit = F.normalize(table, dim=1)  # [S, H], every row with length 1
    step = (unit[:-1] * unit[1:]).sum(dim=1)  # blank: [S - 1], the cosine of each row with the next
    before = torch.cat((step[:1], step))  # [S], with the row before; row 0 has none, so it takes the row after  # fmt: skip
    after = torch.cat((step, step[-1:]))  # [S], with the row after
    likeness = (before + after) / 2  # blank: [S], how like its neighbours each row is
    return likeness.argsort()[:count].tolist()  # blank: the numbers of the `count` oddest rows


def walk(length, odd, seed):
    """A table [length, 24] whose rows turn slowly and have different lengths, with `odd` rows that do not fit."""
    start, steps = draw(24, seed=seed), draw(length, 24, seed=seed + 50)
    table = F.normalize(4 * start + steps.cumsum(dim=0), dim=1)  # [S, H]
    for row in odd:
        table[row] = F.normalize(draw(24, seed=seed + 100 + row), dim=0)
    size = 2 + torch.arange(length).double().sin()  # [S], from 1 to 3
    size[list(odd)], size[length // 2] = 2.0, 0.2
    return table * size[:, None]


CASES = ((walk(40, (0, 17, 39), 1), 3), (walk(30, (12, 29), 2), 2), (walk(25, (8,), 3), 1))


def check_odd_rows(answer):
    found = []
    for table, count in CASES:
        rows = answer(table.clone(), count)
        rows = rows.tolist() if isinstance(rows, torch.Tensor) else list(rows)
        if any(row != int(row) for row in rows):
            raise Mistake(f"You return {rows[0]:.2f}: a cosine. Return the numbers of the rows.")
        if len(rows) != count:
            raise Mistake(f"You return {len(rows)} rows where {count} should come back.")
        found.append([int(row) for row in rows])
    right = [odd_rows(*case) for case in CASES]
    if found == right:
        return
    wrong = next(n for n, rows in enumerate(right) if found[n] != rows)
    given = f"In a table of {len(CASES[wrong][0])} rows you find {found[wrong]}, not {right[wrong]}"
    for mistake, sentence in known(odd_rows):
        if [mistake(*case) for case in CASES] == found:
            raise Mistake(f"{given}: {sentence}")
    raise Mistake(f"{given}. Print the cosines of the row that you missed with its neighbours.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="Find the rows that do not fit",
    task="""
            Write a detector for odd rows of a position table. Each row gets the mean of its cosines with the row before and the row after;
            the first and the last row have one neighbour only. Return the numbers of the `count` rows with the lowest mean, the lowest first.
            """,
    hints=(
        "Rows of length 1 have their cosine as dot product. `unit[:-1]` are all rows but the last and `unit[1:]` all but the first: multiply the two and sum over the columns.",
        "`before` and `after` hold the two cosines of each row, so the mean needs no loop. `argsort()` gives the row numbers in the order of their values, lowest first.",
    ),
    paragraph="What MiniLM's table contains",
    solution=odd_rows,
    check=check_odd_rows,
)
