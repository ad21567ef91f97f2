"""Rows of tokens for pretraining, cut from a token file: a batch is a pure function of its numbers.

Nothing is remembered between batches. A run that resumes needs the number of its next step; any number of processes
that ask for parts of the same step get parts of the same batch.
"""

import numpy as np
import torch
from torch import Tensor

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


class PairRows:
    """Sentence pairs for next-sentence prediction: [CLS] A [SEP] B [SEP], filled to `length` wherever the text allows.

    An epoch lays a grid over all documents of two sentences or more, a point every `length` - 3 tokens, begun anew
    somewhere else each time. A row is the text from the sentence at a grid point on, cut in two at a sentence
    boundary drawn from those inside. Half of the rows keep their B (label 0); the others get as many tokens from
    another document (label 1). `short_rate` of the rows are cut to a length drawn evenly, as the original's
    `short_seq_prob`: a model that saw full rows only would be lost on a short text.
    """

    def __init__(self, corpus: TokenFile, length: int, cls_id: int, sep_id: int, pad_id: int, seed: int = 0, short_rate: float = 0.1):
        if length < 5:
            raise ValueError(f"length must be at least 5 ([CLS] A [SEP] B [SEP]), not {length}")
        self.corpus, self.length, self.seed, self.short_rate = corpus, length, seed, short_rate
        self.cls_id, self.sep_id, self.pad_id = cls_id, sep_id, pad_id
        bounds = corpus.document_bounds()                               # [documents + 1]
        usable = np.diff(corpus.documents) >= 2
        if usable.sum() < 2:
            raise ValueError(f"{corpus.path} has {usable.sum()} documents of two sentences or more; next-sentence prediction "
                             "needs at least two, because a random next sentence comes from another document")
        self.starts, self.ends = bounds[:-1][usable], bounds[1:][usable]
        self.places = np.concatenate([[0], np.cumsum(self.ends - self.starts)])     # where each usable document begins on the grid
        self.grid = Grid(int(self.places[-1]), length - 3, seed)

    def batch(self, first_row: int, size: int, part: slice = slice(None)) -> dict[str, Tensor]:
        """Rows first_row … first_row + size - 1, counted from 0 through all epochs; of these, `part`.

        -> int64 input_ids, token_type_ids [B, S], boolean attention_mask [B, S] (True = a real token), int64
        next_sentence_label [B] (0 = B follows A, 1 = B is from another document, as in the original).
        A part has the rows that the whole batch would have there, and reads the tokens of no others.
        """
        room = self.length - 3
        points = self.grid.points(first_row, size)[part]                                            # [B]
        draws = np.random.default_rng([self.seed, first_row, size]).random((5, size))[:, part]      # [5, B]
        is_short, short, boundary, is_random, elsewhere = draws                                     # 5 · [B]
        document = np.searchsorted(self.places, points, "right") - 1                                # [B]
        wanted = np.where(is_short < self.short_rate, 2 + (short * (room - 1)).astype(np.int64), room)      # [B]
        first, last = self._window(document, points, wanted)                                        # [B], [B]
        cut = self._boundary(first, last, boundary)                                                 # [B]

        is_random = is_random < 0.5                                                                 # [B]
        own = self.places[document + 1] - self.places[document]                                     # [B], tokens
        elsewhere = (elsewhere * (self.places[-1] - own)).astype(np.int64)                          # [B]
        elsewhere += np.where(elsewhere >= self.places[document], own, 0)                           # [B], jumps over the own document
        other = np.searchsorted(self.places, elsewhere, "right") - 1                                # [B]
        other_first, other_last = self._window(other, elsewhere, last - cut)                        # [B], [B]
        second_first = np.where(is_random, other_first, cut)                                        # [B]
        second_last = np.where(is_random, other_last, last)                                         # [B]
        return self._rows(first, cut, second_first, second_last, is_random)

    def _window(self, document: np.ndarray, point: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From the start of the sentence at a grid point on, `wanted` tokens of its document -> first and last + 1: [B] each.

        Where the document ends before, the window begins some sentences earlier. It begins inside a sentence only where
        that sentence is longer than a row: a B that begins anywhere would give away that it is not the next one.
        """
        token = self.starts[document] + point - self.places[document]           # [B]
        sentence = self._sentence_at(token)                                     # [B]
        sentence = np.where(token - sentence < self.length, sentence, token)    # [B]
        latest = self._sentence_at(np.maximum(self.ends[document] - wanted, self.starts[document]))     # [B]
        first = np.minimum(sentence, latest)                                    # [B]
        return first, np.minimum(first + wanted, self.ends[document])

    def _sentence_at(self, token: np.ndarray) -> np.ndarray:
        """token [B] -> [B], where the sentence of each begins."""
        return self.corpus.sentences[np.searchsorted(self.corpus.sentences, token, "right") - 1]

    def _boundary(self, first: np.ndarray, last: np.ndarray, draw: np.ndarray) -> np.ndarray:
        """A sentence start inside each window, drawn evenly; the middle where there is none."""
        sentences = self.corpus.sentences
        lowest = np.searchsorted(sentences, first, "right")                                         # [B], first start after `first`
        count = np.searchsorted(sentences, last, "left") - lowest                                   # [B]
        chosen = sentences[lowest + (draw * np.maximum(count, 1)).astype(np.int64)]                 # [B]
        return np.where(count > 0, chosen, (first + last) // 2)

    def _rows(self, first, cut, second_first, second_last, is_random) -> dict[str, Tensor]:
        place = np.arange(self.length)[None]                                                        # [1, S]
        a, b = (cut - first)[:, None], (second_last - second_first)[:, None]                        # [B, 1], lengths
        in_a = (place >= 1) & (place <= a)                                                          # [B, S]
        in_b = (place >= a + 2) & (place <= a + b + 1)                                              # [B, S]
        source = np.where(in_a, first[:, None] + place - 1, second_first[:, None] + place - a - 2)  # [B, S]
        ids = np.full(source.shape, self.pad_id, np.int64)                                          # [B, S]
        text = in_a | in_b                                                                          # [B, S]
        ids[text] = self.corpus.tokens[source[text]]
        ids[:, 0] = self.cls_id
        ids[(place == a + 1) | (place == a + b + 2)] = self.sep_id
        real = place <= a + b + 2                                                                   # [B, S]
        return {"input_ids": torch.from_numpy(ids), "token_type_ids": torch.from_numpy((real & (place > a + 1)).astype(np.int64)),
                "attention_mask": torch.from_numpy(real), "next_sentence_label": torch.from_numpy(is_random.astype(np.int64))}


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
