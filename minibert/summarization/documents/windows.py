"""Encode documents for BertSum: a [CLS] before every sentence, a [SEP] after it, and alternating
segments.

Liu 2019, section 2.2; nlpyang/BertSum, src/prepro/data_builder.py, class BertData.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from minibert.config import InputError
from minibert.tokenization import WordPieceTokenizer

LEAST = 3  # tokens of a sentence: [CLS], a piece, [SEP]
# The limits of the original program (minimum, maximum): shorter input is dropped, longer input is
# truncated.
REFERENCE_WORDS = (6, 200)  # of a sentence
REFERENCE_SENTENCES = (3, 100)  # of a document


@dataclass(frozen=True)
class EncodedDocument:
    """A document, or a window of one, as token ids."""

    input_ids: list[int]  # [S]
    token_type_ids: list[int]  # [S], 0 for the first sentence, 1 for the second, 0 for the third, …
    sentence_positions: list[int]  # [N], the index of each sentence's [CLS]
    sentences: list[int]  # [N], the indices of the sentences in the input
    cut: bool  # whether the last sentence was truncated


def encode_document(
    sentences: Sequence[str],
    tokenizer: WordPieceTokenizer,
    max_length: int = 512,
    *,
    segments: bool = True,
    reference_quirks: bool = False,
) -> EncodedDocument:
    """Encode the beginning of a document, as much as fits into `max_length` tokens.

    [CLS] first sentence [SEP] [CLS] second sentence [SEP] … A sentence that does not fit is
    truncated and keeps its [SEP]; if not even one token of it fits, it is dropped with its [CLS]. A
    sentence without tokens (blanks, control characters) is dropped. Without `segments`, all tokens
    have segment 0.

    `reference_quirks` reproduces the original program: sentences of five words or fewer are
    dropped, sentences are truncated to 200 words and documents to 100 sentences, fewer than three
    sentences raise a ValueError, and a [CLS] whose sentence does not fit stays in the input.

    Raises a ValueError if nothing is left to read, or if `max_length` has no room for a sentence.
    """
    if not reference_quirks:
        ids = tokenize_sentences(sentences, tokenizer)
        return first_window(ids, tokenizer, max_length, segments)
    _check(sentences)
    least, most = REFERENCE_WORDS
    kept = [n for n, sentence in enumerate(sentences) if len(sentence.split()) >= least]
    kept = kept[: REFERENCE_SENTENCES[1]]
    if len(kept) < REFERENCE_SENTENCES[0]:
        raise InputError(
            f"the original leaves out documents with fewer than {REFERENCE_SENTENCES[0]} "
            f"sentences of more than {least - 1} words; this has {len(kept)}"
        )
    short = tokenizer.encode_texts([" ".join(sentences[n].split()[:most]) for n in kept])
    pieces = list(zip(kept, short, strict=True))
    return _join(pieces, tokenizer, max_length, segments, dangling=True)


def encode_windows(
    sentences: Sequence[str],
    tokenizer: WordPieceTokenizer,
    max_length: int = 512,
    *,
    segments: bool = True,
) -> list[EncodedDocument]:
    """Encode the whole document in windows of `max_length` tokens that overlap by about half.

    Windows hold whole sentences; a sentence longer than a window is truncated and gets a window of
    its own. Each window contains at least one new sentence. `best_places` tells which window to
    take a sentence's vector from. Raises the same errors as `encode_document`.
    """
    ids = tokenize_sentences(sentences, tokenizer)
    return all_windows(ids, tokenizer, max_length, segments)


def tokenize_sentences(sentences: Sequence[str], tokenizer: WordPieceTokenizer) -> list[list[int]]:
    """Return the token ids of every sentence, without special tokens. Raises an InputError if
    `sentences` is not a list of strings."""
    _check(sentences)
    return tokenizer.encode_texts(sentences) if sentences else []


def first_window(
    sentence_ids: Sequence[list[int]],
    tokenizer: WordPieceTokenizer,
    max_length: int,
    segments: bool,
) -> EncodedDocument:
    """`encode_document` for sentences that are tokenized already, without special tokens."""
    return _join(_with_text(sentence_ids), tokenizer, max_length, segments)


def all_windows(
    sentence_ids: Sequence[list[int]],
    tokenizer: WordPieceTokenizer,
    max_length: int,
    segments: bool,
) -> list[EncodedDocument]:
    """`encode_windows` for sentences that are tokenized already, without special tokens."""
    pieces = _with_text(sentence_ids)
    sizes = [min(len(ids) + 2, max_length) for _, ids in pieces]
    windows: list[EncodedDocument] = []
    start = 0
    while True:
        end, tokens = start, 0
        while end < len(pieces) and tokens + sizes[end] <= max_length:
            tokens += sizes[end]
            end += 1
        windows.append(_join(pieces[start:end], tokenizer, max_length, segments))
        if end == len(pieces):
            return windows
        # The next window begins at half of this one, or later if the next sentence needs the room.
        start, left = start + 1, tokens - sizes[start]
        while start < end and (left > tokens / 2 or left + sizes[end] > max_length):
            start, left = start + 1, left - sizes[start]


def best_places(windows: Sequence[EncodedDocument]) -> dict[int, tuple[int, int]]:
    """Map each sentence to the window in which it has the most context, and to its index there.

    The context is the smaller of the token counts before and after the sentence.
    """
    best: dict[int, tuple[int, int, int]] = {}
    for number, window in enumerate(windows):
        ends = [*window.sentence_positions[1:], len(window.input_ids)]
        for place, (n, begin, end) in enumerate(
            zip(window.sentences, window.sentence_positions, ends, strict=True)
        ):
            around = min(begin, len(window.input_ids) - end)  # tokens
            if n not in best or around > best[n][0]:
                best[n] = (around, number, place)
    return {n: (number, place) for n, (_, number, place) in best.items()}


def collate(documents: Sequence[EncodedDocument], pad_id: int = 0) -> dict[str, Tensor]:
    """A padded batch, as BertSumExt takes it.

    -> integer input_ids, token_type_ids and attention_mask [B, S], sentence_positions [B, N] (0 at
    padding), boolean sentence_mask [B, N] (True = a sentence). Raises a ValueError where there is
    no document.
    """
    if not documents:
        raise InputError("documents is empty: a batch needs at least one")

    def padded(rows: list[list[int]], value: int) -> Tensor:
        longest = max(map(len, rows))
        return torch.tensor([row + [value] * (longest - len(row)) for row in rows])

    ids, types = (
        [getattr(document, name) for document in documents]
        for name in ("input_ids", "token_type_ids")
    )
    positions = [document.sentence_positions for document in documents]
    return {
        "input_ids": padded(ids, pad_id),  # [B, S]
        "token_type_ids": padded(types, 0),  # [B, S]
        "attention_mask": padded([[1] * len(row) for row in ids], 0),  # [B, S]
        "sentence_positions": padded(positions, 0),  # [B, N]
        "sentence_mask": padded([[1] * len(row) for row in positions], 0).bool(),  # [B, N]
    }


def _join(
    pieces: Sequence[tuple[int, list[int]]],
    tokenizer: WordPieceTokenizer,
    max_length: int,
    segments: bool,
    dangling: bool = False,
) -> EncodedDocument:
    """Join sentences (index, token ids) until `max_length` is full.

    `dangling` follows the original, which joins everything, truncates to `max_length` - 1 tokens
    and then adds a last [SEP], even after a [CLS] or another [SEP].
    """
    if max_length < LEAST:
        raise InputError(
            f"max_length must be at least {LEAST}, room for [CLS], a piece and [SEP], not "
            f"{max_length}"
        )
    ids, types, positions, cut = list[int](), list[int](), list[int](), False
    for place, (_, piece) in enumerate(pieces):
        room, segment = (
            max_length - len(ids) - 2,
            place % 2 if segments else 0,
        )  # tokens, beside [CLS] and [SEP]
        if dangling and room == -1:
            ids, types = [*ids, tokenizer.sep_id], [*types, segment]
        if room < (0 if dangling else 1):
            break
        positions.append(len(ids))
        ids += [tokenizer.cls_id, *piece[:room], tokenizer.sep_id]
        types += [segment] * (len(ids) - len(types))
        cut = len(piece) > room
    return EncodedDocument(ids, types, positions, [n for n, _ in pieces[: len(positions)]], cut)


def _check(sentences: Sequence[str]) -> None:
    if isinstance(sentences, str):
        raise InputError(
            "sentences must be a list of sentences, not one text: "
            "minibert.data.sentences.split_sentences makes one"
        )
    if wrong := [sentence for sentence in sentences if not isinstance(sentence, str)]:
        raise InputError(f"a sentence must be a str, not {type(wrong[0]).__name__}: {wrong[0]!r}")


def _with_text(sentence_ids: Sequence[list[int]]) -> list[tuple[int, list[int]]]:
    """Return (index, token ids) for the sentences that have any tokens."""
    pieces = [(n, ids) for n, ids in enumerate(sentence_ids) if ids]
    if not pieces:
        raise InputError(
            f"the document has no text: {len(sentence_ids)} sentences, and none with a word in it"
        )
    return pieces
