"""Documents as token ids: by hand, as the original has them, and windows that read everything once
or twice."""

import random
from collections import Counter

import pytest
import torch
from deviation import deviation
from hypothesis import given, settings
from hypothesis import strategies as st

from minibert import WordPieceTokenizer
from minibert.summarization import (
    EncodedDocument,
    best_places,
    collate,
    encode_document,
    encode_windows,
)

PAD, UNK, CLS, SEP, MASK, A, B, C, MORE = range(9)
TOKENIZER = WordPieceTokenizer(
    {
        token: n
        for n, token in enumerate(
            ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c", "##c")
        )
    }
)

# blank, of control characters, or of one to thirty pieces
SENTENCES = st.lists(
    st.one_of(
        st.sampled_from(["", "  ", "\x00\x01", "\u200b"]),
        st.lists(st.sampled_from(["a", "b", "acc"]), min_size=1, max_size=30).map(" ".join),
    ),
    min_size=1,
    max_size=25,
).filter(lambda sentences: any(TOKENIZER.encode_texts(sentences)))


def words(number):
    return " ".join("abc"[n % 3] for n in range(number))


# ---------------------------------------------------------------- one row


def test_a_document_by_hand():
    assert encode_document(["a b", "c", "acc a"], TOKENIZER) == EncodedDocument(
        input_ids=[CLS, A, B, SEP, CLS, C, SEP, CLS, A, MORE, MORE, A, SEP],
        token_type_ids=[0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0],
        sentence_positions=[0, 4, 7],
        sentences=[0, 1, 2],
        cut=False,
    )


def test_segments_may_be_left_out():
    document = encode_document(["a b", "c", "a"], TOKENIZER, segments=False)
    assert document.token_type_ids == [0] * 10 and document.sentence_positions == [0, 4, 7]


def test_sentences_without_a_piece_are_passed_over_and_the_numbers_tell():
    document = encode_document(["", "a", "\x00 \x01", "b", "\u200b", "c", "  \t"], TOKENIZER)
    assert document.sentences == [1, 3, 5]
    assert document.input_ids == [CLS, A, SEP, CLS, B, SEP, CLS, C, SEP]
    assert document.token_type_ids == [0, 0, 0, 1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    "max_length, ids, sentences, cut",
    [
        (8, [CLS, A, A, SEP, CLS, B, B, SEP], [0, 1], False),
        (7, [CLS, A, A, SEP, CLS, B, SEP], [0, 1], True),  # cut, and still ended by a [SEP]
        (
            6,
            [CLS, A, A, SEP],
            [0],
            False,
        ),  # room for [CLS] and [SEP] alone: a sentence of nothing is none
        (5, [CLS, A, A, SEP], [0], False),
        (4, [CLS, A, A, SEP], [0], False),
        (3, [CLS, A, SEP], [0], True),
    ],
)
def test_where_a_document_ends(max_length, ids, sentences, cut):
    document = encode_document(["a a", "b b"], TOKENIZER, max_length)
    assert (document.input_ids, document.sentences, document.cut) == (ids, sentences, cut)


@settings(deadline=None)
@given(SENTENCES, st.integers(3, 60), st.booleans())
def test_what_holds_for_every_document(sentences, max_length, segments):
    document = encode_document(sentences, TOKENIZER, max_length, segments=segments)
    ids, positions = document.input_ids, document.sentence_positions
    assert 3 <= len(ids) <= max_length and len(document.token_type_ids) == len(ids)
    assert positions == [n for n, token in enumerate(ids) if token == CLS] and positions[0] == 0
    assert ids[-1] == SEP and ids[-2] not in (CLS, SEP)  # nothing dangles
    pieces = [(n, found) for n, found in enumerate(TOKENIZER.encode_texts(sentences)) if found]
    assert document.sentences == [n for n, _ in pieces[: len(positions)]]
    for place, (begin, end) in enumerate(zip(positions, [*positions[1:], len(ids)])):
        assert document.token_type_ids[begin:end] == [place % 2 if segments else 0] * (end - begin)
        whole = [CLS, *pieces[place][1], SEP]
        last = place == len(positions) - 1
        assert ids[begin:end] == (
            whole[: end - begin - 1] + [SEP] if last and document.cut else whole
        )
    assert document.cut == (len(pieces[len(positions) - 1][1]) > len(ids) - positions[-1] - 2)
    if len(positions) < len(pieces):  # as much as fits: no room for one piece more
        assert max_length - len(ids) < 3


# ---------------------------------------------------------------- as the original has it


def reference(sentences, limit, least=6, most=200, least_sentences=3, most_sentences=100):
    """What the original does (BertSum, data_builder.py, `preprocess`): ids, segments, places of
    [CLS]; None where it leaves a document out."""
    kept = [sentence.split()[:most] for sentence in sentences if len(sentence.split()) >= least][
        :most_sentences
    ]
    if len(kept) < least_sentences:
        return None
    ids = [
        CLS,
        *TOKENIZER.encode_texts([" [SEP] [CLS] ".join(" ".join(sentence) for sentence in kept)])[0][
            : limit - 2
        ],
        SEP,
    ]
    segments, segment = [], 0
    for token in ids:
        segments.append(segment)
        segment ^= token == SEP
    return ids, segments, [n for n, token in enumerate(ids) if token == CLS]


def encoded(sentences, limit):
    try:
        document = encode_document(sentences, TOKENIZER, limit, reference_quirks=True)
    except ValueError:
        return None
    return document.input_ids, document.token_type_ids, document.sentence_positions


@pytest.mark.parametrize(
    "limit, end, segments",
    [
        (24, [B, C, SEP], [0, 0, 0]),  # the last sentence is whole
        (23, [A, B, SEP], [0, 0, 0]),  # a piece less
        (19, [SEP, CLS, A, SEP], [1, 0, 0, 0]),
        (18, [SEP, CLS, SEP], [1, 0, 0]),  # a [CLS] with nothing behind it
        (17, [C, SEP, SEP], [1, 1, 0]),  # a second [SEP], of the next sentence's segment
        (16, [B, C, SEP], [1, 1, 1]),
    ],
)
@deviation(
    "The end of a long document",
    original="cut at 510 pieces, perhaps behind a [CLS] whose sentence is gone",
    here="such a [CLS] is left out; longer documents are read in windows that overlap",
    why="a sentence that nobody has read should have no score",
)
def test_the_originals_end(limit, end, segments):
    sentences = [words(6)] * 3  # 8 tokens each
    document = encode_document(sentences, TOKENIZER, limit, reference_quirks=True)
    assert document.input_ids[-len(end) :] == end and len(document.input_ids) == limit
    assert document.token_type_ids[-len(end) :] == segments
    assert encoded(sentences, limit) == reference(sentences, limit)


@deviation(
    "Short and long sentences",
    original="fewer than six words: dropped; more than 200 words: cut; more than 100 sentences: "
    "dropped",
    here="nothing is dropped; with `reference_quirks=True` as the original",
    why="the reader of a summary expects every sentence to have had its chance",
)
def test_the_originals_filters():
    sentences = [words(5), words(6), words(201), words(3), words(7), words(8)]
    document = encode_document(sentences, TOKENIZER, reference_quirks=True)
    assert document.sentences == [1, 2, 4, 5]  # six words at least
    assert document.sentence_positions == [0, 8, 8 + 202, 8 + 202 + 9]  # 200 words at most
    assert encode_document(sentences, TOKENIZER).sentences == [
        0,
        1,
        2,
        3,
        4,
        5,
    ]  # ours leaves nothing out
    with pytest.raises(ValueError, match="fewer than 3 sentences of more than 5 words; this has 2"):
        encode_document(sentences[:4], TOKENIZER, reference_quirks=True)
    assert (
        len(encode_document([words(6)] * 150, TOKENIZER, 5000, reference_quirks=True).sentences)
        == 100
    )


def test_the_original_on_many_documents_around_its_limit():
    rng = random.Random(0)
    ends = set()
    for _ in range(1500):
        limit = rng.choice((40, 64))
        sentences = [words(rng.randint(4, 14)) for _ in range(rng.randint(2, 9))] + rng.choice(
            ([], ["\x00 " * 6], [" acc" * 7])
        )
        rng.shuffle(sentences)
        wanted = reference(sentences, limit)
        assert encoded(sentences, limit) == wanted, sentences
        ends.add(
            wanted and (tuple(wanted[0][-3:]) if wanted[0][-2] in (CLS, SEP) else "whole or cut")
        )
    assert {None, "whole or cut", (SEP, CLS, SEP)} < ends and len(
        ends
    ) > 3  # among them every kind of end


# ---------------------------------------------------------------- windows


@settings(deadline=None)
@given(SENTENCES, st.integers(3, 60), st.booleans())
def test_windows_read_every_sentence(sentences, max_length, segments):
    windows = encode_windows(sentences, TOKENIZER, max_length, segments=segments)
    pieces = {n: found for n, found in enumerate(TOKENIZER.encode_texts(sentences)) if found}
    seen = set()
    for window in windows:
        assert len(window.input_ids) <= max_length and window.input_ids[-1] == SEP
        assert set(window.sentences) - seen, "every window reads something new"
        seen |= set(window.sentences)
        assert window.sentences == [
            n for n in pieces if window.sentences[0] <= n <= window.sentences[-1]
        ]
        too_long = len(pieces[window.sentences[0]]) + 2 > max_length
        assert window.cut == too_long and (len(window.sentences) == 1 or not too_long)
        assert window == encode_document(
            [text if n in window.sentences else "" for n, text in enumerate(sentences)],
            TOKENIZER,
            max_length,
            segments=segments,
        )
    assert seen == pieces.keys()
    assert len(windows) <= len(pieces)
    assert max(Counter(n for window in windows for n in window.sentences).values()) <= 3


@settings(deadline=None)
@given(SENTENCES, st.integers(3, 60))
def test_the_best_place_is_the_one_with_the_most_on_its_poorer_side(sentences, max_length):
    windows = encode_windows(sentences, TOKENIZER, max_length)
    places = best_places(windows)
    assert places.keys() == {n for window in windows for n in window.sentences}
    around = {}
    for number, window in enumerate(windows):
        ends = [*window.sentence_positions[1:], len(window.input_ids)]
        for place, n in enumerate(window.sentences):
            around[number, place] = (
                n,
                min(window.sentence_positions[place], len(window.input_ids) - ends[place]),
            )
    for n, chosen in places.items():
        assert around[chosen][0] == n
        assert around[chosen][1] == max(tokens for other, tokens in around.values() if other == n)


def test_one_window_is_the_whole_document_where_it_fits():
    sentences = ["a b", "", "c", "acc"]
    assert encode_windows(sentences, TOKENIZER, 13) == [encode_document(sentences, TOKENIZER, 13)]
    assert len(encode_windows(sentences, TOKENIZER, 11)) == 2


def test_windows_overlap_by_about_half():
    sentences = [words(8)] * 1000
    windows = encode_windows(sentences, TOKENIZER, 100)
    assert [window.sentences for window in windows[:3]] == [
        list(range(10)),
        list(range(5, 15)),
        list(range(10, 20)),
    ]
    places = best_places(windows)
    assert places[4] == (0, 4) and places[7] in ((0, 7), (1, 2)) and places[9] == (1, 4)
    poorer = [min(place, 9 - place) for n, (_, place) in places.items() if 10 <= n < 990]
    assert min(poorer) >= 2  # sentences on the poorer side, but for the document's ends


def test_no_window_for_what_was_read_already():
    """Before a sentence as long as a window, one window is enough."""
    windows = encode_windows([*["a"] * 10, words(98), *["b"] * 3], TOKENIZER, 100)
    assert [window.sentences for window in windows] == [list(range(10)), [10], [11, 12, 13]]


def test_a_sentence_longer_than_the_window_is_cut_and_stands_alone():
    windows = encode_windows(["a", words(40), "b"], TOKENIZER, 20)
    assert [(window.sentences, window.cut, len(window.input_ids)) for window in windows] == [
        ([0], False, 3),
        ([1], True, 20),
        ([2], False, 3),
    ]
    assert not encode_windows(["a", words(18), "b"], TOKENIZER, 20)[1].cut


def test_ten_thousand_sentences_are_read_twice_and_not_more():
    sentences = [words(3 + n % 20) for n in range(10_000)]
    windows = encode_windows(sentences, TOKENIZER, 512)
    tokens = sum(len(sentence.split()) + 2 for sentence in sentences)
    assert 1.9 * tokens < sum(len(window.input_ids) for window in windows) < 2.1 * tokens
    assert len(best_places(windows)) == 10_000


# ---------------------------------------------------------------- a batch


def test_a_batch_by_hand():
    batch = collate(
        [encode_document(["a b", "c"], TOKENIZER), encode_document(["a"], TOKENIZER)], pad_id=MASK
    )
    assert batch["input_ids"].tolist() == [
        [CLS, A, B, SEP, CLS, C, SEP],
        [CLS, A, SEP, MASK, MASK, MASK, MASK],
    ]
    assert batch["token_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1, 1], [0] * 7]
    assert batch["attention_mask"].tolist() == [[1] * 7, [1, 1, 1, 0, 0, 0, 0]]
    assert batch["sentence_positions"].tolist() == [[0, 4], [0, 0]]
    assert (
        batch["sentence_mask"].tolist() == [[True, True], [True, False]]
        and batch["sentence_mask"].dtype == torch.bool
    )
    assert collate([encode_document(["a"], TOKENIZER)])["input_ids"].tolist() == [[CLS, A, SEP]]


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize("encode", [encode_document, encode_windows])
@pytest.mark.parametrize(
    "sentences, max_length, said",
    [
        ([], 512, "the document has no text: 0 sentences"),
        (
            ["", " ", "\x00"],
            512,
            "the document has no text: 3 sentences, and none with a word in it",
        ),
        ("a b. c.", 512, "sentences must be a list of sentences, not one text"),
        (["a", 7], 512, "a sentence must be a str, not int: 7"),
        (["a", None], 512, "a sentence must be a str, not NoneType"),
        (["a"], 2, "max_length must be at least 3, .* not 2"),
    ],
)
def test_documents_that_cannot_be(encode, sentences, max_length, said):
    with pytest.raises(ValueError, match=said):
        encode(sentences, TOKENIZER, max_length)


def test_an_empty_batch():
    with pytest.raises(ValueError, match="documents is empty"):
        collate([])


@pytest.mark.parametrize(
    "text",
    [
        "東京は日本の首都です",
        "Ω≈ç√∫",
        "🦊" * 300,
        "no stop at all " * 200,
        "\x07bell\x1b[0m",
        "a\u0301" * 50,
    ],
)
def test_other_scripts_and_odd_characters(text):
    windows = encode_windows([text, "a"], TOKENIZER, 64)
    assert {n for window in windows for n in window.sentences} == {0, 1}
