"""Answers to `padded_batch` on which its check is tried."""

import torch

from minibert.course.exercises.ch01_tokens.padded_batch import padded_batch
from planted import Answers


def _padded_batch_filled(rows, pad_id):
    input_ids = torch.full((len(rows), max(map(len, rows))), pad_id)
    attention_mask = torch.zeros_like(input_ids)
    for number, row in enumerate(rows):
        input_ids[number, : len(row)] = torch.tensor(row)
        attention_mask[number, : len(row)] = 1
    return input_ids, attention_mask


def _padded_batch_by_library(rows, pad_id):
    input_ids = torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(row) for row in rows], batch_first=True, padding_value=pad_id
    )
    lengths = torch.tensor([len(row) for row in rows])
    return input_ids, torch.arange(input_ids.size(1)) < lengths[:, None]


def _padded_batch_left(rows, pad_id):
    input_ids, attention_mask = padded_batch([row[::-1] for row in rows], pad_id)
    return input_ids.flip(1), attention_mask.flip(1)


def _padded_batch_mask_turned_round(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    return input_ids, 1 - attention_mask


def _padded_batch_zeros(rows, pad_id):
    return padded_batch(rows, 0)


def _padded_batch_shortest(rows, pad_id):
    return padded_batch([row[: min(map(len, rows))] for row in rows], pad_id)


def _padded_batch_all_ones(rows, pad_id):
    input_ids, _ = padded_batch(rows, pad_id)
    return input_ids, torch.ones_like(input_ids)


def _padded_batch_guessed_mask(rows, pad_id):
    input_ids, _ = padded_batch(rows, pad_id)
    return input_ids, (input_ids > 0).long()


def _padded_batch_floats(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    return input_ids, attention_mask.float()


def _padded_batch_float_ids(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    return input_ids.float(), attention_mask


def _padded_batch_in_place(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    for row in rows:
        row += [pad_id] * (input_ids.size(1) - len(row))
    return input_ids, attention_mask


def _padded_batch_512(rows, pad_id):
    return padded_batch([*rows, [1] * 512], pad_id)[0][:-1], padded_batch(
        [*rows, [1] * 512], pad_id
    )[1][:-1]


def _padded_batch_mask_of_ids(rows, pad_id):
    input_ids, _ = padded_batch(rows, pad_id)
    return input_ids, (input_ids != pad_id).long()


def _padded_batch_ids_only(rows, pad_id):
    return padded_batch(rows, pad_id)[0]


ANSWERS = Answers(
    right=(_padded_batch_filled, _padded_batch_by_library),
    wrong={
        _padded_batch_left: "padding stands on the left",
        _padded_batch_mask_turned_round: "it has 1 on padding",
        _padded_batch_zeros: "you pad with 0, but pad_id is 9",
        _padded_batch_shortest: "has 2 columns",
        _padded_batch_all_ones: "1 everywhere, but 8 of the 21",
        _padded_batch_guessed_mask: "where the id is above 0",
        _padded_batch_floats: "attention_mask is torch.float32",
        _padded_batch_float_ids: "input_ids is torch.float32",
        _padded_batch_in_place: "changes `rows`.*it had 4 entries and has 7",
        _padded_batch_512: "has 512 columns",
        _padded_batch_ids_only: "you return a Tensor",
        _padded_batch_mask_of_ids: r"\[\[4, 9, 1\], \[7\]\], 9 you have 0",
    },
)
