"""Packed sequences: several documents in one sequence, which cannot attend to each other."""

import numpy as np
import torch
from torch import Tensor

from minibert.data.grid import Grid
from minibert.data.tokens import TokenFile


class PackedSequences:
    """Full sequences without padding, for the MLM loss only: documents as [CLS] text [SEP], one
    after the other, cut every `length` tokens.

    A sequence may contain the end of one document and the beginning of the next. `attention_mask`
    prevents attention between documents, and the positions of each document start at 0.
    """

    def __init__(self, corpus: TokenFile, length: int, cls_id: int, sep_id: int, seed: int = 0):
        self.corpus, self.length, self.seed = corpus, length, seed
        self.cls_id, self.sep_id = cls_id, sep_id
        self.starts = corpus.document_bounds()  # [documents + 1], in tokens
        self.wrapped = self.starts + 2 * np.arange(
            len(self.starts)
        )  # [documents + 1], counting [CLS] and [SEP]
        self.grid = Grid(int(self.wrapped[-1]), length, seed)

    def batch(self, first_row: int, size: int) -> dict[str, Tensor]:
        """Sequences first_row … first_row + size - 1 -> input_ids, position_ids [size, length],
        attention_mask [size, length, length]."""
        column = np.arange(self.length)  # [S]
        place = (self.grid.points(first_row, size)[:, None] + column) % self.grid.total  # [B, S]
        document = np.searchsorted(self.wrapped, place, "right") - 1  # [B, S]
        offset = place - self.wrapped[document]  # [B, S], 0 is [CLS]
        tokens = self.starts[document + 1] - self.starts[document]  # [B, S]
        text = (offset > 0) & (offset <= tokens)  # [B, S]
        ids = np.where(offset == 0, self.cls_id, self.sep_id).astype(np.int64)  # [B, S]
        ids[text] = self.corpus.tokens[(self.starts[document] + offset - 1)[text]]
        begins = np.maximum.accumulate(np.where(offset == 0, column, 0), axis=1)  # [B, S]
        return {
            "input_ids": torch.from_numpy(ids),
            "position_ids": torch.from_numpy(column - begins),
            "attention_mask": torch.from_numpy(document[:, :, None] == document[:, None, :]),
        }
