"""Training sequences cut from a token file. A batch is a pure function of its first row and size.

No state is kept between batches. A resumed run needs only the number of its next step, and
processes that ask for parts of the same step get parts of the same batch.
"""

from collections.abc import Sequence
from numbers import Real
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any

import numpy as np
import torch
from torch import Tensor

from minibert.config import InputError
from minibert.data.grid import Grid
from minibert.data.tokens import TokenFile


def check_share(name: str, value: Any) -> None:
    """Raise an InputError for what is no number from 0 to 1."""
    number: Any = Real  # float and int, also those of numpy
    if isinstance(value, bool) or not isinstance(value, number) or not 0 <= value <= 1:
        raise InputError(f"{name} must be a number from 0 to 1, not {shown(value)}")


class TextSequences:
    """Sequences of running text for the MLM loss only: [CLS] text [SEP], filled to `length` if the
    document is long enough.

    A sequence comes from one document (Liu et al. 2019, section 4.2, "doc-sentences"). Each epoch
    lays a grid over the documents, with a new random offset and one point for each sequence. A
    sequence begins with the sentence that contains its point. The share `short_rate` of the
    sequences is cut to a length drawn uniformly at random, like `short_seq_prob` in the original:
    a model trained only on full sequences would perform badly on short texts.
    """

    layout, sentences = (
        "[CLS] text [SEP]",
        1,
    )  # of a sequence; the minimum that a document needs to be used

    def __init__(
        self,
        corpus: TokenFile,
        length: int,
        cls_id: int,
        sep_id: int,
        pad_id: int,
        seed: int = 0,
        short_rate: float = 0.1,
    ):
        shortest, special = len(self.layout.split()), self.layout.count("[")  # tokens
        if length < shortest:
            raise InputError(f"length must be at least {shortest} ({self.layout}), not {length}")
        check_share("short_rate", short_rate)
        self.corpus, self.length, self.seed, self.short_rate = corpus, length, seed, short_rate
        self.cls_id, self.sep_id, self.pad_id = cls_id, sep_id, pad_id
        self.room, self.fewest = (
            length - special,
            shortest - special,
        )  # tokens of text in a sequence: at most, at least
        bounds = corpus.document_bounds()  # [documents + 1]
        usable = np.diff(corpus.documents) >= self.sentences
        self.starts, self.ends = bounds[:-1][usable], bounds[1:][usable]
        self.places = np.concatenate(
            [[0], np.cumsum(self.ends - self.starts)]
        )  # where each usable document begins on the grid
        self.grid = Grid(int(self.places[-1]), self.room, seed)

    def batch(self, first_row: int, size: int, part: slice = slice(None)) -> dict[str, Tensor]:
        """The slice `part` of the sequences first_row … first_row + size - 1, numbered from 0
        through all epochs.

        -> int64 input_ids, token_type_ids [B, S], boolean attention_mask [B, S] (True = a real
        token). A part has the same sequences as the whole batch at these rows, and reads only their
        tokens.
        """
        points, (is_short, short) = self._points(first_row, size, part, draws=2)  # [B], 2 · [B]
        return self._rows(self._window(*self._at(points), self._wanted(is_short, short)))

    def _points(
        self, first_row: int, size: int, part: slice, draws: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Grid points of a part's sequences, and uniform draws for each -> [B], [draws, B]."""
        even = np.random.default_rng([self.seed, first_row, size]).random(
            (draws, size)
        )  # [draws, rows of the batch]
        return self.grid.points(first_row, size)[part], even[:, part]

    def _at(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """place on the grid [B] -> [B] and [B], the document and the token at that place."""
        document = np.searchsorted(self.places, place, "right") - 1  # [B]
        return document, self.starts[document] + place - self.places[document]

    def _wanted(self, is_short: np.ndarray, short: np.ndarray) -> np.ndarray:
        """Two draws [B] -> [B], the number of tokens of text that a sequence should have."""
        return np.where(
            is_short < self.short_rate,
            self.fewest + (short * (self.room - self.fewest + 1)).astype(np.int64),
            self.room,
        )

    def _window(
        self, document: np.ndarray, token: np.ndarray, wanted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """A window of `wanted` tokens that starts with the sentence of a token -> first and
        last + 1: [B] each.

        If the document ends before that, the window begins some sentences earlier. It begins inside
        a sentence only if that sentence is longer than a sequence: a random B that began inside a
        sentence would reveal that it is not the next text.
        """
        sentence = self._sentence_at(token)  # [B]
        sentence = np.where(token - sentence < self.length, sentence, token)  # [B]
        latest = self._sentence_at(
            np.maximum(self.ends[document] - wanted, self.starts[document])
        )  # [B]
        first = np.minimum(sentence, latest)  # [B]
        return first, np.minimum(first + wanted, self.ends[document])

    def _sentence_at(self, token: np.ndarray) -> np.ndarray:
        """token [B] -> [B], the first token of its sentence."""
        return self.corpus.sentences[np.searchsorted(self.corpus.sentences, token, "right") - 1]

    def _rows(self, *texts: Sequence[np.ndarray]) -> dict[str, Tensor]:
        """Texts, each given as first token and last + 1 for every row -> [CLS] text [SEP] text
        [SEP] …, padded. Each text is one segment."""
        place = np.arange(self.length)[None]  # [1, S]
        ids = np.full((len(texts[0][0]), self.length), self.pad_id, np.int64)  # [B, S]
        segments = np.zeros_like(ids)  # [B, S]
        ids[:, 0] = self.cls_id
        begin = np.ones((len(ids), 1), np.int64)  # [B, 1]
        for segment, (first, last) in enumerate(texts):
            end = begin + (last - first)[:, None]  # [B, 1], where its [SEP] is
            inside = (begin <= place) & (place < end)  # [B, S]
            ids[inside] = self.corpus.tokens[(first[:, None] + place - begin)[inside]]
            ids[place == end] = self.sep_id
            segments[(begin <= place) & (place <= end)] = segment
            begin = end + 1  # [B, 1]
        return {
            "input_ids": torch.from_numpy(ids),
            "token_type_ids": torch.from_numpy(segments),
            "attention_mask": torch.from_numpy(place < begin),
        }


class PairSequences(TextSequences):
    """Sentence pairs for next-sentence prediction: [CLS] A [SEP] B [SEP], filled to `length` if the
    document is long enough.

    The text of a sequence is cut in two at a random sentence boundary inside it. Half of the
    sequences keep their B (label 0); in the others, B is replaced by about as many tokens from
    another document (label 1). Documents of one sentence are left out.

    Only its words may distinguish a random B from the true one. Therefore a B that is the end of
    its document (nearly every B is, if sequences are longer than documents) is replaced by the end
    of another document. A B that is cut off by the end of the sequence is replaced by text from a
    document that is long enough to be cut off as well. If the text has no sentence boundary inside,
    its random B also begins inside a sentence.
    """

    layout, sentences = "[CLS] A [SEP] B [SEP]", 2

    def __init__(
        self,
        corpus: TokenFile,
        length: int,
        cls_id: int,
        sep_id: int,
        pad_id: int,
        seed: int = 0,
        short_rate: float = 0.1,
    ):
        super().__init__(corpus, length, cls_id, sep_id, pad_id, seed, short_rate)
        if len(self.starts) < 2:
            raise InputError(
                f"{corpus.path} has {len(self.starts)} documents of two sentences or more; "
                "next-sentence prediction needs at least two, because a random next sentence "
                "comes from another document. In a .txt file, two blank lines end a document; in "
                "one with a sentence per line (--sentence-per-line), one blank line does; in a "
                ".jsonl file, each line is a document"
            )
        sizes = self.ends - self.starts  # [documents]
        self.by_size = np.argsort(sizes, kind="stable")  # [documents], the shortest first
        self.rank = np.argsort(self.by_size)  # [documents]
        self.sizes = sizes[self.by_size]  # [documents]
        self.before = np.concatenate(
            [[0], np.cumsum(self.sizes)]
        )  # [documents + 1], tokens in all documents before it in that order

    def batch(self, first_row: int, size: int, part: slice = slice(None)) -> dict[str, Tensor]:
        """As `TextSequences.batch`, and the NSP label.

        -> int64 next_sentence_label [B] (0 = B follows A, 1 = B is from another document, as in the
        original).
        """
        points, (is_short, short, boundary, is_random, elsewhere) = self._points(
            first_row, size, part, draws=5
        )  # [B], 5 · [B]
        document, token = self._at(points)  # [B], [B]
        first, last = self._window(document, token, self._wanted(is_short, short))  # [B], [B]
        cut, inside = self._boundary(first, last, boundary)  # [B], [B]

        is_random = is_random < 0.5  # [B]
        other, token = self._elsewhere(document, last - cut, elsewhere)  # [B], [B]
        pieces = self._piece(other, token, last - cut, inside)  # [B], [B]
        tails = self._tail(other, last - cut, self.room - (cut - first), inside)  # [B], [B]
        others = [
            np.where(last == self.ends[document], *both) for both in zip(tails, pieces, strict=True)
        ]  # 2 · [B]
        second = [
            np.where(is_random, *both) for both in zip(others, (cut, last), strict=True)
        ]  # 2 · [B]
        return self._rows((first, cut), second) | {
            "next_sentence_label": torch.from_numpy(is_random.astype(np.int64))
        }

    def _elsewhere(
        self, document: np.ndarray, tokens: np.ndarray, draw: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Another document of at least `tokens` tokens, or of any length if all others are too
        short, and a token in it, drawn uniformly: [B], [B]."""
        own = self.ends[document] - self.starts[document]  # [B], tokens
        too_short = self.before[np.searchsorted(self.sizes, tokens)]  # [B], tokens
        too_short = np.where(self.before[-1] - own > too_short, too_short, 0)  # [B]
        place = too_short + (draw * (self.before[-1] - own - too_short)).astype(np.int64)  # [B]
        place += np.where(
            place >= self.before[self.rank[document]], own, 0
        )  # [B], skips the own document
        rank = np.searchsorted(self.before, place, "right") - 1  # [B]
        return self.by_size[rank], self.starts[self.by_size[rank]] + place - self.before[rank]

    def _piece(
        self, document: np.ndarray, token: np.ndarray, tokens: np.ndarray, inside: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """`tokens` tokens from the start of a token's sentence, or from the token where `inside` ->
        first and last + 1: [B] each."""
        first, _ = self._window(document, token, tokens)  # [B]
        first = np.where(
            inside,
            np.maximum(np.minimum(token, self.ends[document] - tokens), self.starts[document]),
            first,
        )  # [B]
        return first, np.minimum(first + tokens, self.ends[document])

    def _tail(
        self, document: np.ndarray, tokens: np.ndarray, most: np.ndarray, inside: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The last sentences of a document, about `tokens` and at most `most` tokens -> first and
        last + 1: [B] each.

        It is exactly the last `tokens` tokens, regardless of sentence boundaries, where `inside`,
        or where the last sentence is too long.
        """
        end = self.ends[document]  # [B]
        wanted = np.maximum(end - tokens, self.starts[document])  # [B]
        earlier = self._sentence_at(wanted)  # [B]
        later = self.corpus.sentences[
            np.searchsorted(self.corpus.sentences, wanted)
        ]  # [B], the document's end if no sentence begins after that
        nearest = np.where(
            (wanted - earlier <= later - wanted) | (later == end), earlier, later
        )  # [B]
        nearest = np.where(end - nearest <= most, nearest, later)  # [B]
        return np.where(inside | (nearest == end), wanted, nearest), end

    def _boundary(
        self, first: np.ndarray, last: np.ndarray, draw: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """A random sentence start inside each window, or the middle of a window that has none:
        (B); and whether it has none: (B)."""
        sentences = self.corpus.sentences
        lowest = np.searchsorted(sentences, first, "right")  # [B], first start after `first`
        count = np.searchsorted(sentences, last, "left") - lowest  # [B]
        chosen = sentences[lowest + (draw * np.maximum(count, 1)).astype(np.int64)]  # [B]
        return np.where(count > 0, chosen, (first + last) // 2), count == 0
