"""Wrong answers to `longer_table` that its check recognises, each with the feedback for it."""

import torch
import torch.nn.functional as F


def with_row_0(rows, length):
    return rows[torch.arange(length) % len(rows)]


def last_row_again(rows, length):
    return rows[torch.arange(length).clamp(max=len(rows) - 1)]


def zeros_after(rows, length):
    return F.pad(rows, (0, 0, 0, length - len(rows)))


def stretched(rows, length):
    return F.interpolate(rows.T[None], size=length, mode="linear", align_corners=True)[0].T


def one_row_late(rows, length):
    wanted, trained = torch.arange(length), len(rows)
    return rows[torch.where(wanted < trained, wanted, 1 + (wanted - trained + 1) % (trained - 1))]


def last_row_missing(rows, length):
    wanted, trained = torch.arange(length), len(rows)
    return rows[torch.where(wanted < trained, wanted, (wanted - trained) % (trained - 1))]


KNOWN = (
    (
        with_row_0,
        "You repeat row 0, too. It belongs to [CLS], and in the middle of a text it would announce a beginning. Repeat the rows from 1 on.",
    ),
    (
        last_row_again,
        "All your new rows are the last trained row, so the model cannot tell their positions apart.",
    ),
    (
        zeros_after,
        "All your new rows are zeros, so the model cannot tell their positions apart.",
    ),
    (
        stretched,
        "You stretch the table, which changes the old rows: a text that worked before gets other vectors.",
    ),
    (one_row_late, "Your repetition begins with row 2: count from w - S, which is 0 for the first new row."),
    (
        last_row_missing,
        "Your repetition runs from row 0 to row S - 2: add 1, so that it leaves out row 0 and holds the last one.",
    ),
)  # fmt: skip
