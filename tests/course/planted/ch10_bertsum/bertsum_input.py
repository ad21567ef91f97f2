"""Answers to `bertsum_input` on which its check is tried."""

import torch

from planted import Answers, named


def input_by_loops(sentences, cls_id, sep_id):
    rows = [[cls_id, *pieces, sep_id] for pieces in sentences]
    places = [sum(map(len, rows[:n])) for n in range(len(rows))]
    return sum(rows, []), [n & 1 for n, row in enumerate(rows) for _ in row], places


def input_read_back(sentences, cls_id, sep_id):
    ids = [token for pieces in sentences for token in (cls_id, *pieces, sep_id)]
    places = [i for i, token in enumerate(ids) if token == cls_id]
    return (
        torch.tensor(ids),
        torch.tensor([(sum(place <= i for place in places) - 1) % 2 for i in range(len(ids))]),
        torch.tensor(places),
    )


def _input(
    tokens=lambda n, pieces, c, s: [c, *pieces, s],
    segment=lambda n, length: [n % 2] * length,
    place=lambda n, ids, tokens: len(ids),
):
    """A planted wrong answer: one of the three parts made in another way."""

    def wrong(sentences, cls_id, sep_id):
        ids, segments, places = [], [], []
        for n, pieces in enumerate(sentences):
            row = tokens(n, pieces, cls_id, sep_id)
            places.append(place(n, ids, row))
            segments += segment(n, len(row))
            ids += row
        return ids, segments, places

    return wrong


input_one_cls = named(
    "input_one_cls", _input(tokens=lambda n, pieces, c, s: [*([] if n else [c]), *pieces, s])
)


input_no_sep = named("input_no_sep", _input(tokens=lambda n, pieces, c, s: [c, *pieces]))


input_swapped = named("input_swapped", _input(tokens=lambda n, pieces, c, s: [s, *pieces, c]))


input_bare = named("input_bare", _input(tokens=lambda n, pieces, c, s: list(pieces)))


input_numbered = named("input_numbered", _input(segment=lambda n, length: [n] * length))


input_as_pair = named("input_as_pair", _input(segment=lambda n, length: [min(n, 1)] * length))


input_from_one = named("input_from_one", _input(segment=lambda n, length: [1 - n % 2] * length))


input_one_segment = named("input_one_segment", _input(segment=lambda n, length: [0] * length))


input_short_segments = named(
    "input_short_segments", _input(segment=lambda n, length: [n % 2] * (length - 2))
)


input_ends = named("input_ends", _input(place=lambda n, ids, tokens: len(ids) + len(tokens) - 1))


input_next = named("input_next", _input(place=lambda n, ids, tokens: len(ids) + len(tokens)))


input_first_piece = named("input_first_piece", _input(place=lambda n, ids, tokens: len(ids) + 1))


input_counts_sentences = named("input_counts_sentences", _input(place=lambda n, ids, tokens: n))


input_counts_pieces = named(
    "input_counts_pieces", _input(place=lambda n, ids, tokens: len(ids) - 2 * n)
)


input_nested = named("input_nested", _input(tokens=lambda n, pieces, c, s: [c, pieces, s]))


input_no_cls = named("input_no_cls", _input(tokens=lambda n, pieces, c, s: [*pieces, s]))


input_two_cls = named("input_two_cls", _input(tokens=lambda n, pieces, c, s: [c, *pieces, c]))


input_halves = named("input_halves", _input(segment=lambda n, length: [n // 2] * length))


input_fractions = named("input_fractions", _input(segment=lambda n, length: [n / 2] * length))


input_thirds = named("input_thirds", _input(segment=lambda n, length: [n % 3] * length))


input_last_segment = named(
    "input_last_segment", _input(segment=lambda n, length: [int(n == 3)] * length)
)


input_lists_of_segments = named(
    "input_lists_of_segments", _input(segment=lambda n, length: [[n % 2] * length] * length)
)


input_one_special = named("input_one_special", _input(place=lambda n, ids, tokens: len(ids) - n))


input_before = named("input_before", _input(place=lambda n, ids, tokens: len(ids) - 1))


input_lengths = named("input_lengths", _input(place=lambda n, ids, tokens: len(tokens)))


input_own_place = named("input_own_place", _input(place=lambda n, ids, tokens: tokens.index(101)))


input_ids_for_places = named("input_ids_for_places", _input(place=lambda n, ids, tokens: tokens[0]))


def input_of_berts_ids(sentences, cls_id, sep_id):
    return input_by_loops(sentences, 101, 102)


def input_that_grows(sentences, cls_id, sep_id):
    for pieces in sentences:
        pieces.append(sep_id)
    return input_by_loops([pieces[:-1] for pieces in sentences], cls_id, sep_id)


ANSWERS = Answers(
    right=(input_by_loops, input_read_back),
    wrong={
        input_one_cls: "1 \\[CLS\\] for 4 sentences",
        input_no_sep: "No sentence of yours ends",
        input_swapped: "begin with \\[SEP\\]",
        input_bare: "no special token at all",
        input_numbered: "a number for each sentence",
        input_as_pair: "1 for all others",
        input_from_one: "begin with 1",
        input_one_segment: "nothing marks where",
        input_short_segments: "8 segments for 16 tokens",
        input_ends: "there stand the \\[SEP\\]s",
        input_next: "one sentence too late",
        input_first_piece: "first piece of each",
        input_counts_sentences: "count tokens",
        input_counts_pieces: "special tokens are not counted",
        input_nested: r"hold lists, \[7, 8, 9\]",
        input_no_cls: "has a \\[CLS\\], and",
        input_two_cls: "end with a \\[CLS\\];",
        input_halves: "rounded down",
        input_fractions: "half of n\\. ",
        input_thirds: "there is a 2",
        input_last_segment: "last sentence alone",
        input_lists_of_segments: "one number, and the stub repeats",
        input_one_special: "one special token a sentence",
        input_before: "last token before",
        input_lengths: "the lengths of the sentences",
        input_own_place: "in its own sentence",
        input_ids_for_places: "what a \\[CLS\\] is",
        input_of_berts_ids: "cls_id 1 and sep_id 2",
        input_that_grows: "changes `sentences`",
    },
)
