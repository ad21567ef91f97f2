"""Exercise `set_back`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, also, expect_tensor, recognise
from minibert.positions import sinusoidal_table


def set_back(table, length, slow=True):
    """The sinusoidal table [S, H], whose slow hands (or fast ones, slow=False) begin again at row `length`."""
    dim = table.size(1)
    # blank from here: find the columns of these hands, and let them repeat rows 0 to length - 1
    wavelength = 2 * math.pi * 10000 ** (torch.arange(0, dim, 2) / dim)  # [H/2]
    hands = (wavelength > length) == slow  # [H/2], True for a hand that is set back
    columns = hands.repeat_interleave(2)  # [H], a sine and a cosine for each hand
    repeated = table[torch.arange(len(table)) % length]  # [S, H]
    return torch.where(columns, repeated, table)  # [S, H]


ROWS, DIM, LENGTH = 40, 16, 20


def check_set_back(answer):
    table = sinusoidal_table(ROWS, DIM).double()  # [S, H]
    found = answer(table, LENGTH)
    expect_tensor(found, (ROWS, DIM), "The table")
    found = found.detach()
    changed = int((found != table).any(dim=0).sum())
    suspects = [
        (wrong(table, LENGTH), sentence.format(changed=changed, dim=DIM, length=LENGTH))
        for wrong, sentence in known(set_back)
    ]
    recognise(found, set_back(table, LENGTH), suspects, "The table")
    recognise(
        answer(table, LENGTH, slow=False).detach(),
        set_back(table, LENGTH, slow=False),
        [
            (
                found,
                "With slow=False you set back the same hands as before. Then it is the turn of the hands that need at most `length` positions for a turn.",
            )
        ],
        "With slow=False, the table",
    )
    if torch.equal(answer(table * 0.1, LENGTH), found):
        raise Mistake(
            "For a table that is 0.1 times as large you return the same numbers: repeat the rows that come in, and do not build them anew."
        )
    also(
        answer,
        set_back,
        (sinusoidal_table(30, 8) * 0.02, 10),
        (sinusoidal_table(70, 32), 64, False),
        (sinusoidal_table(50, 64), 12, True),
        (sinusoidal_table(5, 8), 12, True),
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="Set the slow hands back",
    task="""
            Build the table for this test. A hand is slow if its wavelength is larger than `length`, the number of trained positions. Every slow hand repeats its rows 0 to `length` - 1 from row `length` on, so that it only points where it pointed in training; the other hands stay as they are. With `slow=False` it is the other way round: the fast hands repeat, and the slow ones stay. Return a new table.
            """,
    hints=(
        "The wavelength of hand j is 2π divided by its frequency. Which rows should a repeating hand have at position `length`, and at position `length` + 1? The remainder, `%`, gives the number of the row.",
        "The frequencies are `10000 ** (-torch.arange(0, dim, 2) / dim)`. A comparison gives True or False for each hand, [H/2]; each hand has two columns side by side, and `repeat_interleave(2)` makes them [H]. `torch.where` chooses between two tables.",
    ),
    paragraph="Longer than in training",
    solution=set_back,
    check=check_set_back,
)
