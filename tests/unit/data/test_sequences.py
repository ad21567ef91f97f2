"""Rows against loops that cut them one by one: the same rows for ever, so that a run goes on with
the rows it would have had."""

import itertools

import numpy as np
import pytest
import torch

from minibert.config import IGNORE, InputError
from minibert.data import (
    MixedSequences,
    PackedSequences,
    PairSequences,
    TextSequences,
    TokenFile,
    make_sequences,
    write_tokens,
)
from minibert.data.grid import Grid

PAD, CLS, SEP = 0, 2, 3
# Sentences of these lengths; the third document has one only, and of the fourth one is longer than
# a row.
DOCUMENTS = [
    (4, 7, 3, 6, 9, 5),
    (8, 2),
    (12,),
    (3, 40, 4),
    (2, 2, 2, 2, 2, 2, 2),
    (1, 1),
    (15, 6, 10, 4, 8, 1, 5),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Every token has an id of its own: id - 5 is its place."""
    number = itertools.count(5)
    path = tmp_path_factory.mktemp("rows") / "text.tokens"
    write_tokens(
        path, [[[next(number) for _ in range(size)] for size in sizes] for sizes in DOCUMENTS], 1000
    )
    return TokenFile(path)


# -- the grid --------------------------------------------------------------------------------------


@pytest.mark.parametrize("total, spacing", [(100, 7), (10, 10), (3, 10), (1, 1), (64, 8)])
def test_every_epoch_visits_all_points_in_an_order_and_from_a_start_of_its_own(total, spacing):
    each = max(1, total // spacing)
    grid = Grid(total, spacing, seed=3)
    epochs = grid.points(0, 4 * each).reshape(4, each)
    for epoch, points in enumerate(epochs):
        draw = np.random.default_rng([3, epoch])
        order, start = draw.permutation(each), draw.integers(spacing)
        assert points.tolist() == [(place * spacing + start) % total for place in order]
        assert total < spacing or len(set(points.tolist())) == each
    if each > 5:
        assert len({tuple(points) for points in epochs}) == 4


def test_points_are_the_same_in_whatever_pieces_they_are_asked_for():
    whole = Grid(100, 7, seed=1).points(0, 60)
    grid = Grid(100, 7, seed=1)
    assert np.array_equal(
        whole, np.concatenate([grid.points(first, 5) for first in range(0, 60, 5)])
    )
    assert np.array_equal(whole[20:33], grid.points(20, 13)) and np.array_equal(
        whole[:9], grid.points(0, 9)
    )
    assert not np.array_equal(whole, Grid(100, 7, seed=2).points(0, 60))


# -- running text ----------------------------------------------------------------------------------


def sentence_starts():
    return [0, *itertools.accumulate(size for sizes in DOCUMENTS for size in sizes)]


def places(sentences):
    """Every token of the documents of so many sentences or more: (first of its document, last + 1),
    token."""
    ends = list(itertools.accumulate(map(sum, DOCUMENTS)))
    usable = [
        (end - sum(sizes), end) for sizes, end in zip(DOCUMENTS, ends) if len(sizes) >= sentences
    ]
    return [(document, token) for document in usable for token in range(*document)]


def window(document, token, wanted, length):
    """From the start of the sentence with `token` on, `wanted` tokens of its document."""
    starts = sentence_starts()
    sentence = max(start for start in starts if start <= token)
    if token - sentence >= length:
        sentence = token  # inside a sentence that no row can hold
    latest = max(start for start in starts if start <= max(document[1] - wanted, document[0]))
    first = min(sentence, latest)
    return first, min(first + wanted, document[1])


def texts_by_hand(length, seed, first_row, size, short_rate):
    """The text of each row, as a range of tokens."""
    flat, room = places(1), length - 2
    points = Grid(len(flat), room, seed).points(first_row, size)
    for point, (is_short, short) in zip(
        points, np.random.default_rng([seed, first_row, size]).random((2, size)).T, strict=True
    ):
        yield window(*flat[point], 1 + int(short * room) if is_short < short_rate else room, length)


@pytest.mark.parametrize(
    "length, seed, first_row, size, short_rate",
    [
        (16, 0, 0, 300, 0.1),
        (24, 5, 700, 300, 0.0),
        (3, 1, 0, 100, 1.0),
        (60, 2, 10, 100, 0.5),
        (11, 3, 64, 64, 0.3),
    ],
)
def test_texts_equal_those_cut_by_hand(corpus, length, seed, first_row, size, short_rate):
    batch = TextSequences(corpus, length, CLS, SEP, PAD, seed, short_rate).batch(first_row, size)
    for row, text in enumerate(texts_by_hand(length, seed, first_row, size, short_rate)):
        ids = [CLS, *(token + 5 for token in range(*text)), SEP]
        padding = length - len(ids)
        assert batch["input_ids"][row].tolist() == ids + [PAD] * padding
        assert batch["attention_mask"][row].tolist() == [True] * len(ids) + [False] * padding
    assert not batch["token_type_ids"].any()
    assert {name: tensor.dtype for name, tensor in batch.items()} == {
        "input_ids": torch.int64,
        "token_type_ids": torch.int64,
        "attention_mask": torch.bool,
    }


# -- pairs -----------------------------------------------------------------------------------------


def tail(document, tokens, most, inside):
    """Whole sentences to the end of a document, as near to so many tokens as they come, but no more
    than `most`."""
    end, wanted = document[1], max(document[1] - tokens, document[0])
    starts = [start for start in sentence_starts() if document[0] <= start < end]
    earlier = [start for start in starts if start <= wanted and end - start <= most][-1:]
    later = [start for start in starts if start >= wanted][:1]
    return (
        wanted
        if inside
        else min(earlier + later, key=lambda start: abs(start - wanted), default=wanted)
    ), end


def elsewhere(document, tokens, draw):
    """A token of another document that is long enough, if one is; drawn among all tokens of those,
    the shortest document first."""
    others = sorted(
        (found for found in dict.fromkeys(found for found, _ in places(2)) if found != document),
        key=lambda found: found[1] - found[0],
    )
    enough = [found for found in others if found[1] - found[0] >= tokens] or others
    flat = [(found, token) for found in enough for token in range(*found)]
    return flat[int(draw * len(flat))]


def pairs_by_hand(length, seed, first_row, size, short_rate):
    """(A, B, label) of each row, as ranges of tokens."""
    starts, flat, room = sentence_starts(), places(2), length - 3
    points = Grid(len(flat), room, seed).points(first_row, size)
    for point, draws in zip(
        points, np.random.default_rng([seed, first_row, size]).random((5, size)).T, strict=True
    ):
        is_short, short, boundary, is_random, place = draws
        document, token = flat[point]
        first, last = window(
            document, token, 2 + int(short * (room - 1)) if is_short < short_rate else room, length
        )
        inside = [start for start in starts if first < start < last]
        cut = inside[int(boundary * len(inside))] if inside else (first + last) // 2
        second, tokens = (cut, last), last - cut
        if is_random < 0.5:
            other, token = elsewhere(document, tokens, place)
            if last == document[1]:
                second = tail(other, tokens, room - (cut - first), not inside)
            elif not inside:
                begin = max(min(token, other[1] - tokens), other[0])
                second = begin, min(begin + tokens, other[1])
            else:
                second = window(other, token, tokens, length)
        yield (first, cut), second, int(is_random < 0.5)


@pytest.mark.parametrize(
    "length, seed, first_row, size, short_rate",
    [
        (16, 0, 0, 300, 0.1),
        (24, 5, 700, 300, 0.0),
        (5, 1, 0, 100, 1.0),
        (60, 2, 10, 100, 0.5),
        (11, 3, 64, 64, 0.3),
    ],
)
def test_pairs_equal_those_cut_by_hand(corpus, length, seed, first_row, size, short_rate):
    batch = PairSequences(corpus, length, CLS, SEP, PAD, seed, short_rate).batch(first_row, size)
    for row, (first, second, label) in enumerate(
        pairs_by_hand(length, seed, first_row, size, short_rate)
    ):
        a, b = ([token + 5 for token in range(*part)] for part in (first, second))
        ids = [CLS, *a, SEP, *b, SEP]
        padding = length - len(ids)
        assert batch["input_ids"][row].tolist() == ids + [PAD] * padding
        assert (
            batch["token_type_ids"][row].tolist()
            == [0] * (len(a) + 2) + [1] * (len(b) + 1) + [0] * padding
        )
        assert batch["attention_mask"][row].tolist() == [True] * len(ids) + [False] * padding
        assert batch["next_sentence_label"][row] == label
    assert [tensor.dtype for tensor in batch.values()] == [
        torch.int64,
        torch.int64,
        torch.bool,
        torch.int64,
    ]


@pytest.mark.parametrize("kind", [TextSequences, PairSequences])
def test_a_tenth_of_the_rows_is_short_by_default(corpus, kind):
    assert all(
        torch.equal(one, other)
        for one, other in zip(
            kind(corpus, 16, CLS, SEP, PAD).batch(0, 200).values(),
            kind(corpus, 16, CLS, SEP, PAD, 0, 0.1).batch(0, 200).values(),
        )
    )


@pytest.mark.parametrize("pair_share", [0.0, 0.4, 1.0])
def test_a_part_has_the_rows_of_the_whole(corpus, pair_share):
    rows = make_sequences(corpus, 16, CLS, SEP, PAD, pair_share=pair_share)
    whole = rows.batch(22, 30)  # of the mixture, the first is a pair
    for part in (slice(0, 10), slice(10, 30), slice(29, 30)):
        assert all(
            torch.equal(tensor, whole[name][part])
            for name, tensor in rows.batch(22, 30, part).items()
        )


def test_the_shortest_row_has_a_word_in_each_text(corpus):
    assert (
        PairSequences(corpus, 5, CLS, SEP, PAD, short_rate=0.0).batch(0, 3)["attention_mask"].all()
    )
    with pytest.raises(
        ValueError, match=r"length must be at least 5 \(\[CLS\] A \[SEP\] B \[SEP\]\), not 4"
    ):
        PairSequences(corpus, 4, CLS, SEP, PAD)
    assert (
        TextSequences(corpus, 3, CLS, SEP, PAD, short_rate=0.0).batch(0, 3)["attention_mask"].all()
    )
    with pytest.raises(
        ValueError, match=r"length must be at least 3 \(\[CLS\] text \[SEP\]\), not 2"
    ):
        TextSequences(corpus, 2, CLS, SEP, PAD)


@pytest.mark.parametrize(
    "documents, said", [([[[5]], [[6]]], "0 documents"), ([[[5], [6]], [[7]]], "1 documents")]
)
def test_two_documents_are_needed_for_a_random_next_text(tmp_path, documents, said):
    write_tokens(tmp_path / "few", documents, 10)
    with pytest.raises(ValueError, match=f"few has {said} of two sentences or more"):
        PairSequences(TokenFile(tmp_path / "few"), 16, CLS, SEP, PAD)


def test_two_documents_of_two_sentences_are_enough(tmp_path):
    write_tokens(tmp_path / "two", [[[5], [6]], [[7], [8]]], 10)
    ids = PairSequences(TokenFile(tmp_path / "two"), 5, CLS, SEP, PAD, short_rate=0.0).batch(0, 50)[
        "input_ids"
    ]
    assert {tuple(row) for row in ids[:, [1, 3]].tolist()} <= {
        (5, 6),
        (7, 8),
        (5, 7),
        (5, 8),
        (7, 5),
        (7, 6),
    } and len(ids.unique(dim=0)) > 3


# -- both ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair_share", [0.3, 0.5, 0.9])
def test_mixed_rows_are_those_of_both_kinds_in_turn(corpus, pair_share):
    """Dealt out over three batches: all the pairs that PairSequences has, in its order, and all the
    texts of TextSequences."""
    mixed = MixedSequences(corpus, 16, CLS, SEP, PAD, pair_share=pair_share, seed=3)
    pairs, texts = (
        PairSequences(corpus, 16, CLS, SEP, PAD, 3),
        TextSequences(corpus, 16, CLS, SEP, PAD, 3),
    )
    taken = 0  # pairs before the batch
    for first_row in (0, 30, 60):
        batch = mixed.batch(first_row, 30)
        is_pair = batch["next_sentence_label"] != IGNORE
        sums = taken + is_pair.cumsum(0)
        assert (
            (sums - torch.arange(first_row + 1, first_row + 31) * pair_share).abs() < 1
        ).all()  # nowhere more, nowhere fewer
        for rows, first, chosen in ((pairs, taken, is_pair), (texts, first_row - taken, ~is_pair)):
            for name, tensor in rows.batch(first, int(chosen.sum())).items():
                assert torch.equal(batch[name][chosen], tensor), name
        taken = int(sums[-1])
    assert taken == pytest.approx(90 * pair_share, abs=1)


def test_rows_of_one_kind_are_no_mixture(corpus):
    one, other = (
        MixedSequences(corpus, 16, CLS, SEP, PAD, pair_share=0.5, **seed).batch(0, 20)["input_ids"]
        for seed in ({}, {"seed": 0})
    )
    assert torch.equal(one, other)
    assert [
        type(make_sequences(corpus, 16, CLS, SEP, PAD, pair_share=share))
        for share in (0.0, 0.01, 1.0)
    ] == [TextSequences, MixedSequences, PairSequences]


@pytest.mark.parametrize("share", [2, -0.1, float("nan"), "0.5", None])
def test_a_share_lies_between_0_and_1(corpus, share):
    for kind in (TextSequences, PairSequences):
        with pytest.raises(InputError, match="short_rate must be a number from 0 to 1, not"):
            kind(corpus, 16, CLS, SEP, PAD, short_rate=share)
    for kind in (MixedSequences, make_sequences):
        with pytest.raises(InputError, match="pair_share must be a number from 0 to 1, not"):
            kind(corpus, 16, CLS, SEP, PAD, pair_share=share)


# -- packed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "length, seed, first_row, size", [(16, 0, 0, 100), (9, 1, 33, 50), (300, 2, 0, 3)]
)
def test_packed_rows_equal_those_cut_by_hand(corpus, length, seed, first_row, size):
    """The stream is every document behind a [CLS] and before a [SEP]; its end is followed by its
    beginning."""
    number, stream = itertools.count(5), []
    for document, sizes in enumerate(DOCUMENTS):
        stream += [
            (document, CLS),
            *((document, next(number)) for _ in range(sum(sizes))),
            (document, SEP),
        ]
    batch = PackedSequences(corpus, length, CLS, SEP, seed).batch(first_row, size)
    for row, point in enumerate(Grid(len(stream), length, seed).points(first_row, size)):
        tokens = [stream[(point + column) % len(stream)] for column in range(length)]
        assert batch["input_ids"][row].tolist() == [token for _, token in tokens]
        positions = []
        for _, token in tokens:
            positions.append(0 if token == CLS or not positions else positions[-1] + 1)
        assert batch["position_ids"][row].tolist() == positions
        assert batch["attention_mask"][row].tolist() == [
            [one == other for other, _ in tokens] for one, _ in tokens
        ]
    assert [tensor.dtype for tensor in batch.values()] == [torch.int64, torch.int64, torch.bool]
