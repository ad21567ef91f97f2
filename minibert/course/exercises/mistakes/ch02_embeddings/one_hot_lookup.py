"""Wrong answers to `one_hot_lookup` that its check recognises, each with the feedback for it."""

import torch


def _rows_of_positions(ids, table):
    return table[torch.arange(ids.size(1))].expand(ids.size(0), -1, -1)


def _one_too_early(ids, table):
    return table[ids - 1]


def _one_too_late(ids, table):
    return table.roll(-1, 0)[ids]


def _id_as_quantity(ids, table):
    return ids[..., None] * table[0]


def _zero_for_padding(ids, table):
    return table[ids] * (ids != 0)[..., None]


def _scaled_lookup(ids, table):
    return table[ids] * table.size(1) ** 0.5


def _first_text_for_all(ids, table):
    return table[ids[:1]].expand(*ids.shape, -1)


def _read_from_below(ids, table):
    return table.flip(0)[ids]


LOOKUP_MISTAKES = (
    (
        _rows_of_positions,
        "you took the rows 0 to {last}: that is where the tokens stand; the row to take is the id, {id} for the first token.",
    ),
    (
        _one_too_early,
        "every row is one too early: id {id} is row {id}, because rows are counted from 0.",
    ),
    (_one_too_late, "every row is one too late: id {id} is row {id}, counted from 0."),
    (
        _id_as_quantity,
        "you multiplied one row by the id, as if token {id} were {id} times token 1; an id only says which row.",
    ),
    (
        _zero_for_padding,
        "you set the vector of id 0 to zero; a lookup copies whatever stands in row 0.",
    ),
    (
        _read_from_below,
        "you read the table from below: id 0 is its first row, and you took row {bottom}.",
    ),
    (_scaled_lookup, "you multiply the rows by √H = {root:.2f}; a lookup copies them as they are."),
    (_first_text_for_all, "every text of yours has the vectors of the first one."),
)


KNOWN = LOOKUP_MISTAKES
