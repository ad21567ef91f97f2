"""Answers to `one_hot_lookup` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.mistakes.ch02_embeddings.one_hot_lookup import (
    _first_text_for_all,
    _id_as_quantity,
    _one_too_early,
    _one_too_late,
    _read_from_below,
    _rows_of_positions,
    _scaled_lookup,
    _zero_for_padding,
)
from planted import Answers, named


def _by_embedding(ids, table):
    return F.embedding(ids, table)


def _by_comparison(ids, table):
    return torch.einsum(
        "bsv,vh->bsh", (ids[..., None] == torch.arange(len(table))).to(table.dtype), table
    )


def _narrow_rows(ids, table):
    return F.one_hot(ids).to(table.dtype) @ table


def _integers_times_table(ids, table):
    return F.one_hot(ids, num_classes=table.size(0)) @ table


def _single_precision(ids, table):
    return F.one_hot(ids, num_classes=table.size(0)).float() @ table.float()


def _one_vector_per_text(ids, table):
    return table[ids].sum(dim=1)


def _eleven_rows(ids, table):
    return F.one_hot(ids, num_classes=11).to(table.dtype) @ table


def _two_texts(ids, table):
    return torch.stack([table[ids[0]], table[ids[1]]])


def _always_double(ids, table):
    return torch.stack([table[row] for row in ids]).double()


def _through_float32(ids, table):
    return table.float()[ids].to(table.dtype)


def _without_gradient(ids, table):
    return F.one_hot(ids, num_classes=table.size(0)).to(table.dtype) @ table.detach()


def _lookup_that_writes(ids, table):
    result = table[ids]
    ids.zero_()
    return result


def _remembered():
    kept = []

    def answer(ids, table):
        if not kept:
            kept.append(table[ids])
        return kept[0]

    return answer


_remembers = named("_remembers", _remembered())


ANSWERS = Answers(
    right=(_by_embedding, _by_comparison),
    wrong={
        _rows_of_positions: "rows 0 to 3: that is where the tokens stand",
        _one_too_early: "one too early: id 7",
        _one_too_late: "one too late: id 7",
        _id_as_quantity: "multiplied one row by the id",
        _narrow_rows: "largest id here is 7.*11",
        _integers_times_table: "two factors of one precision",
        _single_precision: "float32, but the table is torch.float64",
        _zero_for_padding: "vector of id 0 to zero",
        _one_vector_per_text: r"shape \[2, 4, 3\], but it has \[2, 3\]",
        _scaled_lookup: "√H = 1.73",
        _first_text_for_all: "vectors of the first one",
        _read_from_below: "you took row 10",
        _eleven_rows: "as high|as the table is high, 6",
        _two_texts: r"3 texts of 2 tokens should have the shape \[3, 2, 2\], but it has \[2, 2, 2\]",
        _always_double: "torch.float64, but the table is torch.float32",
        _through_float32: "digits only",
        _without_gradient: "no gradient goes through it",
        _lookup_that_writes: "changes `ids`",
        _remembers: "very same object",
    },
)
