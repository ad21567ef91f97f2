"""Answers to `make_batch` on which its check is tried."""

import torch
from torch.nn.utils.rnn import pad_sequence

from minibert.course.exercises.ch01_tokens.make_batch import make_batch
from minibert.course.exercises.mistakes.ch01_tokens.make_batch import KNOWN, _batch
from planted import Answers, patterns


def _make_batch_with_options(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length)


def _make_batch_by_torch(texts, vocab, max_length=512):
    ids, types = [], []
    for first, second in texts:
        if second is None:
            first = first[: max_length - 2]
        elif (over := len(first) + len(second) + 3 - max_length) > 0:
            gap = max(len(first) - len(second), 0)
            lost = min(over, gap) + (over - min(over, gap)) // 2 if gap else 0
            if not gap:
                gap = len(second) - len(first)
                lost = (over - min(over, gap)) // 2
            first, second = first[: len(first) - lost], second[: len(second) - (over - lost)]
        tokens = ["[CLS]", *first, "[SEP]"] + ([*second, "[SEP]"] if second is not None else [])
        ids.append(torch.tensor([vocab[token] for token in tokens]))
        types.append((torch.arange(len(tokens)) > len(first) + 1).long())
    mask = [torch.ones_like(row) for row in ids]
    return {
        "input_ids": pad_sequence(ids, batch_first=True, padding_value=vocab["[PAD]"]),
        "token_type_ids": pad_sequence(types, batch_first=True),
        "attention_mask": pad_sequence(mask, batch_first=True),
    }


def _make_batch_tuple(texts, vocab, max_length=512):
    return tuple(make_batch(texts, vocab, max_length).values())


def _make_batch_floats(texts, vocab, max_length=512):
    return {name: tensor.float() for name, tensor in make_batch(texts, vocab, max_length).items()}


def _make_batch_boolean_mask(texts, vocab, max_length=512):
    made = make_batch(texts, vocab, max_length)
    return {**made, "attention_mask": made["attention_mask"].bool()}


def _make_batch_unpacks_none(texts, vocab, max_length=512):
    return make_batch([(first, [*second]) for first, second in texts], vocab, max_length)


def _make_batch_lists(texts, vocab, max_length=512):
    return {name: tensor.tolist() for name, tensor in make_batch(texts, vocab, max_length).items()}


def _make_batch_one_more_column(texts, vocab, max_length=512):
    made = make_batch(texts, vocab, max_length)
    return {name: torch.nn.functional.pad(tensor, (0, 1)) for name, tensor in made.items()}


def _make_batch_cuts_in_place(texts, vocab, max_length=512):
    for first, second in texts:
        while len(first) + len(second or []) > max_length - 3 + (second is None):
            max(first, second or [], key=len).pop()
    return make_batch(texts, vocab)


def _make_batch_types_before_truncation(texts, vocab, max_length=512):
    made = make_batch(texts, vocab, max_length)
    types = make_batch(texts, vocab)["token_type_ids"]
    return {**made, "token_type_ids": types[:, : made["token_type_ids"].shape[1]]}


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
        _make_batch_cuts_in_place: "changes `texts`, which it was given",
        _make_batch_types_before_truncation: "and max_length=8 your token_type_ids",
    },
)
