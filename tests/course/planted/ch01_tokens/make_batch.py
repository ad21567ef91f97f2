"""Answers to `make_batch` on which its check is tried."""

import torch
from torch.nn.utils.rnn import pad_sequence

from minibert.course.exercises.ch01_tokens.make_batch import make_batch
from minibert.course.exercises.mistakes.ch01_tokens.make_batch import KNOWN, _batch
from planted import Answers, patterns


def _make_batch_with_options(texts, vocab):
    return _batch(texts, vocab)


def _make_batch_by_torch(texts, vocab):
    ids, types = [], []
    for first, second in texts:
        tokens = ["[CLS]", *first, "[SEP]"] + ([*second, "[SEP]"] if second is not None else [])
        ids.append(torch.tensor([vocab[token] for token in tokens]))
        types.append((torch.arange(len(tokens)) > len(first) + 1).long())
    mask = [torch.ones_like(row) for row in ids]
    return {
        "input_ids": pad_sequence(ids, batch_first=True, padding_value=vocab["[PAD]"]),
        "token_type_ids": pad_sequence(types, batch_first=True),
        "attention_mask": pad_sequence(mask, batch_first=True),
    }


def _make_batch_tuple(texts, vocab):
    return tuple(make_batch(texts, vocab).values())


def _make_batch_floats(texts, vocab):
    return {name: tensor.float() for name, tensor in make_batch(texts, vocab).items()}


def _make_batch_boolean_mask(texts, vocab):
    made = make_batch(texts, vocab)
    return {**made, "attention_mask": made["attention_mask"].bool()}


def _make_batch_unpacks_none(texts, vocab):
    return make_batch([(first, [*second]) for first, second in texts], vocab)


def _make_batch_lists(texts, vocab):
    return {name: tensor.tolist() for name, tensor in make_batch(texts, vocab).items()}


def _make_batch_one_more_column(texts, vocab):
    made = make_batch(texts, vocab)
    return {name: torch.nn.functional.pad(tensor, (0, 1)) for name, tensor in made.items()}


ANSWERS = Answers(
    right=(_make_batch_with_options, _make_batch_by_torch),
    wrong={
        **patterns(KNOWN),
        _make_batch_tuple: "you return tuple",
        _make_batch_floats: "expected whole numbers",
        _make_batch_boolean_mask: "torch.bool; expected whole numbers",
        _make_batch_unpacks_none: "for a single text `second` is None",
        _make_batch_lists: "should be a tensor",
        _make_batch_one_more_column: "should have the shape",
    },
)
