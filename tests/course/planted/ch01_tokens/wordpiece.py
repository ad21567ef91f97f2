"""Answers to `wordpiece` on which its check is tried."""

from minibert.course.exercises.mistakes.ch01_tokens.wordpiece import (
    _cut,
    _wordpiece_asks_without_marks,
    _wordpiece_from_the_right,
    _wordpiece_shortest_first,
)
from planted import Answers


def _wordpiece_recursive(word, vocab, prefix=""):
    if len(word) > 100:
        return ["[UNK]"]
    for cut in range(len(word), 0, -1):
        if prefix + word[:cut] in vocab:
            rest = _wordpiece_recursive(word[cut:], vocab, "##") if word[cut:] else []
            return ["[UNK]"] if rest == ["[UNK]"] else [prefix + word[:cut], *rest]
    return ["[UNK]"]


def _wordpiece_shrinking(word, vocab):
    pieces, rest = [], word
    while rest and len(word) <= 100:
        piece = ("##" if pieces else "") + rest
        while piece not in vocab and piece not in ("", "#", "##"):
            piece = piece[:-1]
        if piece not in vocab:
            return ["[UNK]"]
        rest = rest[len(piece) - 2 * bool(pieces) :]
        pieces.append(piece)
    return pieces if len(word) <= 100 else ["[UNK]"]


def _wordpiece_without_marks(word, vocab):
    return _cut(word, vocab, prefix="")


def _wordpiece_marks_everywhere(word, vocab):
    return _cut(word, vocab, first="##")


def _wordpiece_keeps_the_known_part(word, vocab):
    return _cut(word, vocab, unknown="rest")


def _wordpiece_skips_characters(word, vocab):
    return _cut(word, vocab, unknown="skip")


def _wordpiece_gives_nothing(word, vocab):
    return _cut(word, vocab, unknown="nothing")


def _wordpiece_without_limit(word, vocab):
    return _cut(word, vocab, limit=10**6)


def _wordpiece_limit_too_low(word, vocab):
    return _cut(word, vocab, limit=99)


def _wordpiece_goes_back(word, vocab, start=0):
    if len(word) > 100:
        return ["[UNK]"]
    for end in range(len(word), start, -1):
        piece = "##" * (start > 0) + word[start:end]
        rest = _wordpiece_goes_back(word, vocab, end) if piece in vocab and end < len(word) else []
        if piece in vocab and rest != ["[UNK]"]:
            return [piece, *rest]
    return ["[UNK]"]


def _wordpiece_never_one_letter(word, vocab):
    pieces, start = [], 0
    while start < len(word) <= 100:
        mark = "##" if start else ""
        end = next(
            (end for end in range(len(word), start + 1, -1) if mark + word[start:end] in vocab),
            None,
        )
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def _wordpiece_loses_a_letter(word, vocab):
    pieces, start = [], 0
    while start < len(word) <= 100:
        mark = "##" if start else ""
        end = next(
            (end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), None
        )
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end + 1
    return pieces


def _wordpiece_numbers(word, vocab):
    return [vocab[piece] for piece in _cut(word, vocab)]


def _wordpiece_first_piece_only(word, vocab):
    return _cut(word, vocab)[:1]


def _wordpiece_stands_still(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next(
            (end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), start
        )
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def _wordpiece_string(word, vocab):
    return " ".join(_cut(word, vocab))


ANSWERS = Answers(
    right=(_wordpiece_recursive, _wordpiece_shrinking),
    wrong={
        _wordpiece_without_marks: "must be looked up with ## before it",
        _wordpiece_asks_without_marks: "look it up without",
        _wordpiece_marks_everywhere: "first piece of a word carries no ##",
        _wordpiece_shortest_first: "shortest piece that fits",
        _wordpiece_keeps_the_known_part: "whole word becomes",
        _wordpiece_skips_characters: "leave out the 'x' without a trace",
        _wordpiece_gives_nothing: "leaves one token",
        _wordpiece_without_limit: "more than 100 characters",
        _wordpiece_limit_too_low: "exactly 100 characters are still allowed",
        _wordpiece_from_the_right: "cut from the end of the word",
        _wordpiece_first_piece_only: "rest of the word is missing",
        _wordpiece_stands_still: "20,000 times",
        _wordpiece_string: "you return a str",
        _wordpiece_goes_back: "go back to a shorter first piece",
        _wordpiece_never_one_letter: "it can be cut",
        _wordpiece_loses_a_letter: "begins just where",
        _wordpiece_numbers: "not their numbers",
    },
)
