"""Rows of tokens for pretraining, cut from a token file: a batch is a pure function of its numbers.

Nothing is remembered between batches. A run that resumes needs the number of its next step; any number of processes
that ask for parts of the same step get parts of the same batch.
"""

import numpy as np
import torch
from torch import Tensor

from minibert.data.masking import IGNORE
from minibert.data.tokens import TokenFile


class Grid:
    """Points every `spacing` tokens over `total` tokens: each epoch visits them all, in an order and from a start of its own."""

    def __init__(self, total: int, spacing: int, seed: int):
        self.total, self.spacing, self.seed = total, spacing, seed
        self.points_per_epoch = max(1, total // spacing)
        self._drawn = (-1, None, 0)         # the epoch last used, its order and its shift: kept because drawing them takes a while

    def points(self, first: int, count: int) -> np.ndarray:
        """The points number first … first + count - 1, counted from 0 through all epochs: [count]."""
        numbers = np.arange(first, first + count)
        epochs, places = np.divmod(numbers, self.points_per_epoch)
        return np.concatenate([self._of_epoch(epoch, places[epochs == epoch]) for epoch in np.unique(epochs)])

    def _of_epoch(self, epoch: int, places: np.ndarray) -> np.ndarray:
        if self._drawn[0] != epoch:
            draw = np.random.default_rng([self.seed, epoch])
            self._drawn = (epoch, draw.permutation(self.points_per_epoch), int(draw.integers(self.spacing)))
        _, order, shift = self._drawn
        return (order[places] * self.spacing + shift) % self.total


class TextRows:
    """Rows of running text for masked words alone: [CLS] text [SEP], filled to `length` wherever the text allows.

    A row is of one document (Liu et al. 2019, section 4.2, "doc-sentences"). An epoch lays a grid over the documents, a
    point for each row, begun anew somewhere else each time; a row is the text from the sentence at a point on.
    `short_rate` of the rows are cut to a length drawn evenly, as the original's `short_seq_prob`: a model that saw full
    rows only would be lost on a short text.
    """

    layout, sentences = "[CLS] text [SEP]", 1       # of a row; the fewest that a document must have to be used

    def __init__(self, corpus: TokenFile, length: int, cls_id: int, sep_id: int, pad_id: int, seed: int = 0, short_rate: float = 0.1):
        shortest, special = len(self.layout.split()), self.layout.count("[")       # tokens
        if length < shortest:
            raise ValueError(f"length must be at least {shortest} ({self.layout}), not {length}")
        self.corpus, self.length, self.seed, self.short_rate = corpus, length, seed, short_rate
        self.cls_id, self.sep_id, self.pad_id = cls_id, sep_id, pad_id
        self.room, self.fewest = length - special, shortest - special   # tokens of text in a row: at most, at least
        bounds = corpus.document_bounds()                               # [documents + 1]
        usable = np.diff(corpus.documents) >= self.sentences
        self.starts, self.ends = bounds[:-1][usable], bounds[1:][usable]
        self.places = np.concatenate([[0], np.cumsum(self.ends - self.starts)])     # where each usable document begins on the grid
        self.grid = Grid(int(self.places[-1]), self.room, seed)

    def batch(self, first_row: int, size: int, part: slice = slice(None)) -> dict[str, Tensor]:
        """Rows first_row … first_row + size - 1, counted from 0 through all epochs; of these, `part`.

        -> int64 input_ids, token_type_ids [B, S], boolean attention_mask [B, S] (True = a real token).
        A part has the rows that the whole batch would have there, and reads the tokens of no others.
        """
        points, (is_short, short) = self._points(first_row, size, part, draws=2)                    # [B], 2 · [B]
        return self._rows(self._window(*self._at(points), self._wanted(is_short, short)))

    def _points(self, first_row: int, size: int, part: slice, draws: int) -> tuple[np.ndarray, np.ndarray]:
        """Where on the grid the rows of a part begin, and even draws from 0 to 1 for each -> [B], [draws, B]."""
        even = np.random.default_rng([self.seed, first_row, size]).random((draws, size))            # [draws, rows of the batch]
        return self.grid.points(first_row, size)[part], even[:, part]

    def _at(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """place on the grid [B] -> [B] and [B], the document there and the token."""
        document = np.searchsorted(self.places, place, "right") - 1                                 # [B]
        return document, self.starts[document] + place - self.places[document]

    def _wanted(self, is_short: np.ndarray, short: np.ndarray) -> np.ndarray:
        """Two draws [B] -> [B], tokens of text that a row should have."""
        return np.where(is_short < self.short_rate, self.fewest + (short * (self.room - self.fewest + 1)).astype(np.int64), self.room)

    def _window(self, document: np.ndarray, token: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From the start of the sentence of a token on, `wanted` tokens of its document -> first and last + 1: [B] each.

        Where the document ends before, the window begins some sentences earlier. It begins inside a sentence only where
        that sentence is longer than a row: the B of a pair that begins anywhere would give away that it is not the next one.
        """
        sentence = self._sentence_at(token)                                     # [B]
        sentence = np.where(token - sentence < self.length, sentence, token)    # [B]
        latest = self._sentence_at(np.maximum(self.ends[document] - wanted, self.starts[document]))     # [B]
        first = np.minimum(sentence, latest)                                    # [B]
        return first, np.minimum(first + wanted, self.ends[document])

    def _sentence_at(self, token: np.ndarray) -> np.ndarray:
        """token [B] -> [B], where the sentence of each begins."""
        return self.corpus.sentences[np.searchsorted(self.corpus.sentences, token, "right") - 1]

    def _rows(self, *texts: tuple[np.ndarray, np.ndarray]) -> dict[str, Tensor]:
        """Texts, each given as first token and last + 1 for every row -> [CLS] text [SEP] text [SEP] … padded; each is a segment."""
        place = np.arange(self.length)[None]                                                        # [1, S]
        ids = np.full((len(texts[0][0]), self.length), self.pad_id, np.int64)                       # [B, S]
        segments = np.zeros_like(ids)                                                               # [B, S]
        ids[:, 0] = self.cls_id
        begin = np.ones((len(ids), 1), np.int64)                                                    # [B, 1]
        for segment, (first, last) in enumerate(texts):
            end = begin + (last - first)[:, None]                                                   # [B, 1], where its [SEP] stands
            inside = (begin <= place) & (place < end)                                               # [B, S]
            ids[inside] = self.corpus.tokens[(first[:, None] + place - begin)[inside]]
            ids[place == end] = self.sep_id
            segments[(begin <= place) & (place <= end)] = segment
            begin = end + 1                                                                         # [B, 1]
        return {"input_ids": torch.from_numpy(ids), "token_type_ids": torch.from_numpy(segments),
                "attention_mask": torch.from_numpy(place < begin)}


class PairRows(TextRows):
    """Sentence pairs for next-sentence prediction: [CLS] A [SEP] B [SEP], filled to `length` wherever the text allows.

    The text of a row, cut in two at a sentence boundary drawn from those inside. Half of the rows keep their B (label
    0); the others get about as many tokens from another document (label 1). Documents of one sentence are left out.

    Nothing but its words may tell the second kind of B from the first. So where a B is the end of its document, as nearly
    all are where rows are longer than documents, it gives way to the end of another document; where a B is cut off by the
    end of the row, to a piece of a document that is long enough to be cut off as well; and where the text had no boundary
    inside, to a piece that begins inside a sentence too.
    """

    layout, sentences = "[CLS] A [SEP] B [SEP]", 2

    def __init__(self, corpus: TokenFile, *arguments, **options):
        super().__init__(corpus, *arguments, **options)
        if len(self.starts) < 2:
            raise ValueError(f"{corpus.path} has {len(self.starts)} documents of two sentences or more; next-sentence prediction "
                             "needs at least two, because a random next sentence comes from another document")
        sizes = self.ends - self.starts                                 # [documents]
        self.by_size = np.argsort(sizes, kind="stable")                 # [documents], the shortest first
        self.rank = np.argsort(self.by_size)                            # [documents]
        self.sizes = sizes[self.by_size]                                # [documents]
        self.before = np.concatenate([[0], np.cumsum(self.sizes)])      # [documents + 1], tokens in all that are before it in that order

    def batch(self, first_row: int, size: int, part: slice = slice(None)) -> dict[str, Tensor]:
        """As TextRows, and the label.

        -> int64 next_sentence_label [B] (0 = B follows A, 1 = B is from another document, as in the original).
        """
        points, (is_short, short, boundary, is_random, elsewhere) = self._points(first_row, size, part, draws=5)    # [B], 5 · [B]
        document, token = self._at(points)                                                          # [B], [B]
        first, last = self._window(document, token, self._wanted(is_short, short))                  # [B], [B]
        cut, inside = self._boundary(first, last, boundary)                                         # [B], [B]

        is_random = is_random < 0.5                                                                 # [B]
        other, token = self._elsewhere(document, last - cut, elsewhere)                             # [B], [B]
        pieces = self._piece(other, token, last - cut, inside)                                      # [B], [B]
        tails = self._tail(other, last - cut, self.room - (cut - first), inside)                    # [B], [B]
        others = [np.where(last == self.ends[document], *both) for both in zip(tails, pieces)]      # 2 · [B]
        second = [np.where(is_random, *both) for both in zip(others, (cut, last))]                  # 2 · [B]
        return self._rows((first, cut), second) | {"next_sentence_label": torch.from_numpy(is_random.astype(np.int64))}

    def _elsewhere(self, document: np.ndarray, tokens: np.ndarray, draw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Another document of so many tokens or more, and a token in it, drawn evenly; of any length where all those are too short: [B], [B]."""
        own = self.ends[document] - self.starts[document]                                           # [B], tokens
        too_short = self.before[np.searchsorted(self.sizes, tokens)]                                # [B], tokens
        too_short = np.where(self.before[-1] - own > too_short, too_short, 0)                       # [B]
        place = too_short + (draw * (self.before[-1] - own - too_short)).astype(np.int64)           # [B]
        place += np.where(place >= self.before[self.rank[document]], own, 0)                        # [B], jumps over the own document
        rank = np.searchsorted(self.before, place, "right") - 1                                     # [B]
        return self.by_size[rank], self.starts[self.by_size[rank]] + place - self.before[rank]

    def _piece(self, document: np.ndarray, token: np.ndarray, tokens: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """So many tokens from the start of a token's sentence on, or from itself where `inside` -> first and last + 1: [B] each."""
        first, _ = self._window(document, token, tokens)                                            # [B]
        first = np.where(inside, np.maximum(np.minimum(token, self.ends[document] - tokens), self.starts[document]), first)     # [B]
        return first, np.minimum(first + tokens, self.ends[document])

    def _tail(self, document: np.ndarray, tokens: np.ndarray, most: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """About so many tokens to the end of a document: whole sentences, at most `most` tokens -> first and last + 1: [B] each.

        Exactly so many, from inside a sentence on, where `inside`, or where the last sentence is too long.
        """
        end = self.ends[document]                                                                   # [B]
        wanted = np.maximum(end - tokens, self.starts[document])                                    # [B]
        earlier = self._sentence_at(wanted)                                                         # [B]
        later = self.corpus.sentences[np.searchsorted(self.corpus.sentences, wanted)]               # [B], the end where none begins any more
        nearest = np.where((wanted - earlier <= later - wanted) | (later == end), earlier, later)   # [B]
        nearest = np.where(end - nearest <= most, nearest, later)                                   # [B]
        return np.where(inside | (nearest == end), wanted, nearest), end

    def _boundary(self, first: np.ndarray, last: np.ndarray, draw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A sentence start inside each window, drawn evenly, or the middle where there is none: [B]; and where there is none: [B]."""
        sentences = self.corpus.sentences
        lowest = np.searchsorted(sentences, first, "right")                                         # [B], first start after `first`
        count = np.searchsorted(sentences, last, "left") - lowest                                   # [B]
        chosen = sentences[lowest + (draw * np.maximum(count, 1)).astype(np.int64)]                 # [B]
        return np.where(count > 0, chosen, (first + last) // 2), count == 0


class MixedRows:
    """Pairs and running text in one batch: of any n rows that follow each other, n · pair_share are pairs, to within one.

    The label of a row of running text is -100: nothing is learned from it about sentences, and all its words are of
    one text, where those of half the pairs are not.
    """

    def __init__(self, corpus: TokenFile, length: int, *ids: int, pair_share: float, seed: int = 0):
        self.length, self.share = length, pair_share
        self.pairs, self.texts = PairRows(corpus, length, *ids, seed=seed), TextRows(corpus, length, *ids, seed=seed)

    def batch(self, first_row: int, size: int, part: slice = slice(None)) -> dict[str, Tensor]:
        """As PairRows; next_sentence_label is -100 for running text."""
        before = np.floor(np.arange(first_row, first_row + size + 1) * self.share).astype(np.int64)     # [B + 1], pairs before each row
        first, last, _ = part.indices(size)
        begin, end, pairs = before[first] - before[0], before[last] - before[0], before[-1] - before[0]
        paired = self.pairs.batch(int(before[0]), int(pairs), slice(begin, end))
        running = self.texts.batch(int(first_row - before[0]), int(size - pairs), slice(first - begin, last - end))
        running["next_sentence_label"] = torch.full((len(running["input_ids"]),), IGNORE)
        order = torch.from_numpy(np.argsort(np.diff(before[first:last + 1]) == 0, kind="stable").argsort())     # [rows of the part]
        return {name: torch.cat((paired[name], running[name]))[order] for name in paired}


def make_rows(corpus: TokenFile, length: int, *ids: int, pair_share: float, seed: int = 0) -> TextRows | PairRows | MixedRows:
    """Rows of pairs, of running text, or of both, by the share that are pairs."""
    if 0 < pair_share < 1:
        return MixedRows(corpus, length, *ids, pair_share=pair_share, seed=seed)
    return (PairRows if pair_share else TextRows)(corpus, length, *ids, seed=seed)


class PackedRows:
    """Full rows for masked words alone: documents as [CLS] text [SEP], one after the other, cut every `length` tokens.

    A row may hold the end of one document and the beginning of the next; `attention_mask` lets nothing
    look from one into another, and each begins at position 0 again.
    """

    def __init__(self, corpus: TokenFile, length: int, cls_id: int, sep_id: int, seed: int = 0):
        self.corpus, self.length, self.seed = corpus, length, seed
        self.cls_id, self.sep_id = cls_id, sep_id
        self.starts = corpus.document_bounds()                          # [documents + 1], in tokens
        self.wrapped = self.starts + 2 * np.arange(len(self.starts))    # [documents + 1], counting [CLS] and [SEP]
        self.grid = Grid(int(self.wrapped[-1]), length, seed)

    def batch(self, first_row: int, size: int) -> dict[str, Tensor]:
        """Rows first_row … first_row + size - 1 -> input_ids, position_ids [size, length], attention_mask [size, length, length]."""
        column = np.arange(self.length)                                                             # [S]
        place = (self.grid.points(first_row, size)[:, None] + column) % self.grid.total             # [B, S]
        document = np.searchsorted(self.wrapped, place, "right") - 1                                # [B, S]
        offset = place - self.wrapped[document]                                                     # [B, S], 0 is [CLS]
        tokens = self.starts[document + 1] - self.starts[document]                                  # [B, S]
        text = (offset > 0) & (offset <= tokens)                                                    # [B, S]
        ids = np.where(offset == 0, self.cls_id, self.sep_id).astype(np.int64)                      # [B, S]
        ids[text] = self.corpus.tokens[(self.starts[document] + offset - 1)[text]]
        begins = np.maximum.accumulate(np.where(offset == 0, column, 0), axis=1)                    # [B, S]
        return {"input_ids": torch.from_numpy(ids), "position_ids": torch.from_numpy(column - begins),
                "attention_mask": torch.from_numpy(document[:, :, None] == document[:, None, :])}
