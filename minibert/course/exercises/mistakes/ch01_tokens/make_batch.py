"""Wrong answers to `make_batch` that its check recognises, each with the feedback for it."""

import torch


def _longest_first(a, b, room):
    while len(a) + len(b) > room:
        (a if len(a) > len(b) else b).pop()


def _batch(
    texts,
    vocab,
    max_length=512,
    types=None,
    pad=None,
    mask=None,
    left=False,
    cls=True,
    last=True,
    again=False,
    cut=_longest_first,
    special=(2, 3),
    end=None,
):
    """A batch with options, each of which plants a mistake."""
    rows, kinds = [], []
    for first, second in texts:
        first, rest = list(first), list(second or [])
        cut(first, rest, max_length - special[second is not None])
        second = None if second is None else rest
        opening = ["[CLS]"] * cls + [*first, "[SEP]"]
        closing = [] if second is None else ["[CLS]"] * again + [*second] + ["[SEP]"] * last
        tokens = opening + closing
        rows.append([vocab[token] for token in tokens][:end])
        kind = [0] * len(opening) + [1] * len(closing)
        kinds.append((types(tokens, len(opening)) if types else kind)[:end])
    length = max(map(len, rows))

    def filled(row, value):
        gap = [value] * (length - len(row))
        return gap + row if left else row + gap

    fill = vocab["[PAD]"] if pad is None else pad
    input_ids = torch.tensor([filled(row, fill) for row in rows])
    real = torch.tensor([filled([1] * len(row), 0) for row in rows])
    segments = torch.tensor([filled(kind, 0) for kind in kinds])
    return {
        "input_ids": input_ids,
        "token_type_ids": segments,
        "attention_mask": mask(input_ids, real) if mask else real,
    }


def _types_by_halves(texts, vocab, max_length=512):
    def halves(tokens, first):
        half = len(tokens) // 2
        return [0] * half + [1] * (len(tokens) - half)

    return _batch(texts, vocab, max_length, types=halves)


def _first_separator_has_type_one(texts, vocab, max_length=512):
    return _batch(
        texts, vocab, max_length, types=lambda t, n: [0] * (n - 1) + [1] * (len(t) - n + 1)
    )


def _all_types_zero(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, types=lambda t, n: [0] * len(t))


def _types_the_other_way_round(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, types=lambda t, n: [1] * n + [0] * (len(t) - n))


def _padding_has_type_one(texts, vocab, max_length=512):
    made = _batch(texts, vocab, max_length)
    padding = 1 - made["attention_mask"]
    return {**made, "token_type_ids": made["token_type_ids"] + padding}


def _mask_inverted(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, mask=lambda ids, real: 1 - real)


def _mask_all_ones(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, mask=lambda ids, real: torch.ones_like(real))


def _mask_from_ids(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, mask=lambda ids, real: (ids > 0).long())


def _pads_with_zero(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, pad=0)


def _pads_on_the_left(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, left=True)


def _without_cls(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, cls=False)


def _without_last_separator(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, last=False)


def _single_text_has_two_separators(texts, vocab, max_length=512):
    return _batch([(first, second or []) for first, second in texts], vocab, max_length)


def _second_cls(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, again=True)


def _never_truncates(texts, vocab, max_length=512):
    return _batch(texts, vocab)


def _special_tokens_not_counted(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, special=(0, 0))


def _three_special_tokens_always(texts, vocab, max_length=512):
    return _batch(texts, vocab, max_length, special=(3, 3))


def _cuts_the_sequence(texts, vocab, max_length=512):
    return _batch(texts, vocab, end=max_length)


def _second_text_first(texts, vocab, max_length=512):
    def cut(a, b, room):
        while len(a) + len(b) > room:
            (b or a).pop()

    return _batch(texts, vocab, max_length, cut=cut)


def _first_text_first(texts, vocab, max_length=512):
    def cut(a, b, room):
        while len(a) + len(b) > room:
            (a or b).pop()

    return _batch(texts, vocab, max_length, cut=cut)


def _removes_the_beginning(texts, vocab, max_length=512):
    def cut(a, b, room):
        while len(a) + len(b) > room:
            (a if len(a) > len(b) else b).pop(0)

    return _batch(texts, vocab, max_length, cut=cut)


KNOWN = (
    (
        _single_text_has_two_separators,
        "a text without a second one gets two [SEP] from you; a single text has one",
    ),
    (_second_cls, "the second text begins with a [CLS] of its own; there is one for the sequence"),
    (_types_by_halves, "you change the type in the middle; it changes after the first [SEP]"),
    (
        _first_separator_has_type_one,
        "the first [SEP] has type 1 in your batch, but it belongs to the first text",
    ),
    (_all_types_zero, "all your types are 0; the second text has type 1"),
    (_types_the_other_way_round, "your first text has type 1; it has type 0, and the second has 1"),
    (_padding_has_type_one, "your padding has type 1; it has type 0"),
    (_mask_inverted, "your mask has 1 on padding; 1 means a real token"),
    (_mask_all_ones, "your mask is 1 everywhere, also on padding"),
    (
        _mask_from_ids,
        "you derive the mask from ids above 0, but here 0 is an ordinary token and 9 is [PAD]",
    ),
    (_pads_with_zero, "you pad with 0; the id of [PAD] is whatever the vocabulary says, here 9"),
    (_pads_on_the_left, "you pad on the left, and BERT pads on the right"),
    (_without_cls, "[CLS] is missing at the beginning"),
    (_without_last_separator, "the second text has no [SEP] of its own"),
    (_never_truncates, "you do not truncate, and a sequence is longer than that"),
    (
        _special_tokens_not_counted,
        "you count only the pieces, but [CLS] and every [SEP] take a position, too",
    ),
    (
        _three_special_tokens_always,
        "you leave room for three special tokens, but a single text has only two",
    ),
    (
        _cuts_the_sequence,
        "you cut off the end of the finished sequence, and its last [SEP] with it",
    ),
    (_second_text_first, "you shorten the second text, although the first is longer"),
    (_first_text_first, "you shorten the first text, although the second is longer"),
    (_removes_the_beginning, "you remove pieces from the beginning of a text, not from its end"),
)
