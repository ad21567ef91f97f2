"""Answers to `token_types` on which its check is tried."""

from minibert.course.exercises.ch01_tokens.token_types import token_types
from planted import Answers


def _token_types_walking(tokens):
    types, segment = [], 0
    for token in tokens:
        types.append(0 if token == "[PAD]" else segment)
        if token == "[SEP]":
            segment = 1
    return types


def _token_types_counting(tokens):
    return [
        int("[SEP]" in tokens[:place] and token != "[PAD]") for place, token in enumerate(tokens)
    ]


def _token_types_middle(tokens):
    half = len(tokens) // 2
    return [0] * half + [1] * (len(tokens) - half)


def _token_types_sep_opens(tokens):
    first = tokens.index("[SEP]")
    return [0 if place < first or token == "[PAD]" else 1 for place, token in enumerate(tokens)]


def _token_types_padding_one(tokens):
    first = tokens.index("[SEP]") + 1
    return [0] * first + [1] * (len(tokens) - first)


def _token_types_turned_round(tokens):
    return [0 if token == "[PAD]" else 1 - kind for token, kind in zip(tokens, token_types(tokens))]


def _token_types_all_zero(tokens):
    return [0] * len(tokens)


def _token_types_from_one(tokens):
    return [kind + 1 for kind in token_types(tokens)]


def _token_types_without_padding(tokens):
    return token_types([token for token in tokens if token != "[PAD]"])


def _token_types_last_sep_zero(tokens):
    return [0 if token == "[SEP]" else kind for token, kind in zip(tokens, token_types(tokens))]


def _token_types_two_seps(tokens):
    first = tokens.index("[SEP]") + 1
    second = tokens.index("[SEP]", first) + 1 - first
    return [0] * first + [1] * second + [0] * (len(tokens) - first - second)


def _token_types_cls_one(tokens):
    return [1, *token_types(tokens)[1:]]


ANSWERS = Answers(
    right=(_token_types_walking, _token_types_counting),
    wrong={
        _token_types_middle: "after 6 of 12 tokens, in the middle",
        _token_types_sep_opens: "closes the first text",
        _token_types_padding_one: "your padding has type 1",
        _token_types_turned_round: "not the other way round",
        _token_types_all_zero: "all your 12 types are 0",
        _token_types_from_one: r"you have \[1, 2\]",
        _token_types_without_padding: "10 types for 12 tokens",
        _token_types_two_seps: "has only one",
        _token_types_cls_one: r"token \[CLS\] at place 0",
        _token_types_last_sep_zero: r"token \[SEP\] at place 9 should have type 1",
    },
)
