"""Exercise `padded_batch`: task, hints, solution and check."""

import torch
from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
    expect_tensor,
)


def padded_batch(rows, pad_id):
    """Lists of ids to a batch: input_ids [B, S] and attention_mask [B, S], padding on the right."""
    length = max(len(row) for row in rows)  # blank: S, the number of columns
    filled = [row + [pad_id] * (length - len(row)) for row in rows]  # blank: every row, then padding  # fmt: skip
    mask = [[1] * len(row) + [0] * (length - len(row)) for row in rows]  # blank: 1 on tokens, 0 on padding  # fmt: skip
    return torch.tensor(filled), torch.tensor(mask)  # [B, S], [B, S]


# 0 is an ordinary token here, and 9 is the padding.
BATCH_ROWS, BATCH_PAD = [[2, 5, 6, 3], [2, 5, 6, 8, 5, 0, 3], [2, 3]], 9


def check_padded_batch(answer):
    found = answer([list(row) for row in BATCH_ROWS], BATCH_PAD)
    if not isinstance(found, tuple) or len(found) != 2:
        raise Mistake(
            f"you return a {type(found).__name__}; two tensors are wanted, input_ids and attention_mask."
        )
    input_ids, mask = found
    right_ids, right_mask = padded_batch(BATCH_ROWS, BATCH_PAD)
    lengths = [len(row) for row in BATCH_ROWS]
    for tensor, what in ((input_ids, "input_ids"), (mask, "attention_mask")):
        if isinstance(tensor, Tensor) and tensor.dim() == 2 and tensor.size(1) != max(lengths):
            raise Mistake(
                f"your {what} has {tensor.size(1)} columns; the rows have {lengths} tokens, so the longest needs {max(lengths)}."
            )
        expect_tensor(tensor, right_ids.shape, f"your {what}")
        if tensor.dtype.is_floating_point:
            raise Mistake(
                f"your {what} is {tensor.dtype}; whole numbers are wanted (the model refuses floating point)."
            )
    if torch.equal(
        input_ids.flip(1), padded_batch([row[::-1] for row in BATCH_ROWS], BATCH_PAD)[0]
    ):
        raise Mistake(
            f"your last row is {input_ids[-1].tolist()}: the padding stands on the left, BERT's stands on the right."
        )
    if torch.equal(input_ids, padded_batch(BATCH_ROWS, 0)[0]):
        raise Mistake(
            f"you pad with 0, but pad_id is {BATCH_PAD} here (and 0 is an ordinary token of this vocabulary)."
        )
    if not torch.equal(input_ids, right_ids):
        raise Mistake(f"your input_ids are {input_ids.tolist()}; right is {right_ids.tolist()}.")
    if torch.equal(mask.long(), 1 - right_mask):
        raise Mistake(
            f"your mask for the last row is {mask[-1].long().tolist()}: it has 1 on padding; 1 means a real token."
        )
    if bool(mask.all()):
        raise Mistake(
            f"your mask is 1 everywhere, but {sum(max(lengths) - n for n in lengths)} of the {input_ids.numel()} places are padding."
        )
    if torch.equal(mask.long(), (input_ids > 0).long()):
        raise Mistake(
            f"your mask is 1 where the id is above 0; ids say nothing here: pad_id is {BATCH_PAD} and 0 is an ordinary token."
        )
    if not torch.equal(mask.long(), right_mask):
        raise Mistake(
            f"your attention_mask is {mask.long().tolist()}; right is {right_mask.tolist()}."
        )
    also(
        answer,
        padded_batch,
        ([[4, 1], [7, 7, 7], [5], [6, 2]], 0),
        ([[4, 9, 1], [7]], 9),
        ([[3, 8]], 1),
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=8,
    title="A batch and its mask",
    paragraph="Padding, and the mask that hides it",
    task="""
            `rows` is a list of lists of ids, of different lengths. Make the two tensors that a model takes: `input_ids` [B, S], every row filled up
            with `pad_id` on the right until it is as long as the longest one, and `attention_mask` [B, S], 1 on real tokens and 0 on padding.
        """,
    hints=(
        "A row of 4 tokens in a batch whose longest row has 7 needs 3 times `pad_id`. In Python `[pad_id] * 3` is a list of three.",
        "`row + [pad_id] * (length - len(row))` is one row of ids; the row of the mask is `[1] * len(row)` and then as many zeros.",
    ),
    solution=padded_batch,
    check=check_padded_batch,
)
