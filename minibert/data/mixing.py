"""Batches that mix sentence pairs and running text, and `make_sequences`, which picks the kind."""

import numpy as np
import torch
from torch import Tensor

from minibert.config import IGNORE
from minibert.data.sequences import PairSequences, TextSequences, check_share
from minibert.data.tokens import TokenFile


class MixedSequences:
    """Sentence pairs and running text in one batch: of any n consecutive sequences, n · pair_share
    are pairs, to within one.

    A sequence of running text has the NSP label -100, so the NSP loss ignores it. All its tokens
    come from one document, whereas half of the pairs join text from two documents.
    """

    def __init__(
        self,
        corpus: TokenFile,
        length: int,
        cls_id: int,
        sep_id: int,
        pad_id: int,
        *,
        pair_share: float,
        seed: int = 0,
    ):
        check_share("pair_share", pair_share)
        self.length, self.share = length, pair_share
        self.pairs = PairSequences(corpus, length, cls_id, sep_id, pad_id, seed)
        self.texts = TextSequences(corpus, length, cls_id, sep_id, pad_id, seed)

    def batch(self, first_row: int, size: int, part: slice = slice(None)) -> dict[str, Tensor]:
        """As `PairSequences.batch`; next_sentence_label is -100 for running text."""
        before = np.floor(np.arange(first_row, first_row + size + 1) * self.share).astype(
            np.int64
        )  # [B + 1], pairs before each sequence
        first, last, _ = part.indices(size)
        begin, end, pairs = (
            before[first] - before[0],
            before[last] - before[0],
            before[-1] - before[0],
        )
        paired = self.pairs.batch(int(before[0]), int(pairs), slice(begin, end))
        running = self.texts.batch(
            int(first_row - before[0]), int(size - pairs), slice(first - begin, last - end)
        )
        running["next_sentence_label"] = torch.full((len(running["input_ids"]),), IGNORE)
        order = torch.from_numpy(
            np.argsort(np.diff(before[first : last + 1]) == 0, kind="stable").argsort()
        )  # [rows of the part]
        return {name: torch.cat((paired[name], running[name]))[order] for name in paired}


def make_sequences(
    corpus: TokenFile,
    length: int,
    cls_id: int,
    sep_id: int,
    pad_id: int,
    *,
    pair_share: float,
    seed: int = 0,
) -> TextSequences | MixedSequences:
    """Create sequences of which the share `pair_share` are sentence pairs and the others are
    running text."""
    check_share("pair_share", pair_share)
    ids = cls_id, sep_id, pad_id
    if 0 < pair_share < 1:
        return MixedSequences(corpus, length, *ids, pair_share=pair_share, seed=seed)
    return (PairSequences if pair_share else TextSequences)(corpus, length, *ids, seed=seed)
