"""Answers to `decode` on which its check is tried."""

import functools

from minibert.course.exercises.mistakes.ch01_tokens.decode import KNOWN, _text
from planted import Answers, patterns


def _decode_by_replacing(ids, tokens):
    kept = [tokens[i] for i in ids if tokens[i] not in ("[PAD]", "[CLS]", "[SEP]")]
    return " ".join(kept).replace(" ##", "")


def _decode_by_options(ids, tokens):
    return _text([tokens[i] for i in ids])


def _of_ids(wrong):
    """A mistake as the reader would write it: of ids and not of tokens."""

    @functools.wraps(wrong)
    def of_ids(ids, tokens):
        return wrong([tokens[i] for i in ids])

    del of_ids.__wrapped__
    return of_ids


def _decode_list(ids, tokens):
    return _decode_by_replacing(ids, tokens).split()


def _decode_capitals(ids, tokens):
    return _decode_by_replacing(ids, tokens).capitalize()


ANSWERS = Answers(
    right=(_decode_by_replacing, _decode_by_options),
    wrong={
        **patterns((_of_ids(wrong), sentence) for wrong, sentence in KNOWN),
        _decode_list: "expected one string",
        _decode_capitals: "The riverbanks",
    },
)
