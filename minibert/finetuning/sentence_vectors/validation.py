"""What an encoder of sentences is scored by: judged pairs of texts, and texts that are held out."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from minibert.config import InputError
from minibert.data.files import read_lines
from minibert.finetuning.metrics import spearman
from minibert.finetuning.tables.values import as_float
from minibert.hub.find_pretrained import expanded
from minibert.inference.checks import unknown_words_ignored
from minibert.inference.sentence_embeddings import embed
from minibert.tokenization import WordPieceTokenizer
from minibert.training.distributed import ProcessGroup


@dataclass(frozen=True)
class JudgedPair:
    """Two texts and how alike people found them; only the order of the scores matters."""

    one: str
    other: str
    score: float


@dataclass(frozen=True)
class EncoderScores:
    """What a validation finds; None where it has nothing to find it by."""

    spearman: float | None  # rank correlation of the cosines with the judgements
    cosine: float | None  # mean cosine with the targets of texts that are not trained on


class EncoderValidation:
    """The validation of a sentence encoder. For reports only: nothing is chosen by it.

    pairs     judged pairs, or none
    texts     texts that are not trained on, or none
    targets   what their vectors should be, of length 1 (N × H)
    """

    def __init__(
        self,
        tokenizer: WordPieceTokenizer,
        pairs: Sequence[JudgedPair] = (),
        texts: Sequence[str] = (),
        targets: Tensor | None = None,
    ) -> None:
        if len(texts) != (0 if targets is None else len(targets)):
            raise InputError(f"{len(texts)} held-out texts need as many targets")
        self.tokenizer, self.pairs, self.texts, self.targets = tokenizer, pairs, texts, targets

    def evaluate(self, forward: Any, processes: ProcessGroup) -> EncoderScores:
        """The scores of a model, in float32 and without dropout."""
        texts = {text for pair in self.pairs for text in (pair.one, pair.other)} | {*self.texts}
        ordered = sorted(texts, key=lambda text: (len(text), text))  # little padding
        with unknown_words_ignored():
            vectors = dict(zip(ordered, embed(forward, self.tokenizer, ordered).cpu(), strict=True))
        correlation = cosine = None
        if len({pair.score for pair in self.pairs}) > 1:
            cosines = [float(vectors[pair.one] @ vectors[pair.other]) for pair in self.pairs]
            correlation = spearman(cosines, [pair.score for pair in self.pairs])
        if self.targets is not None:
            found = torch.stack([vectors[text] for text in self.texts])  # [N, H]
            cosine = float((found * self.targets).sum(dim=-1).mean())
        return EncoderScores(correlation, cosine)


def read_judged_pairs(path: str | Path) -> list[JudgedPair]:
    """The pairs in a file of the form of the STS benchmark: text, text, judgement on each line.

    The columns are separated by commas in a .csv, where quotes have a meaning, and by tabs in every
    other file; the file may be compressed (.gz, .xz). A first line without a number in its third
    column names the columns and is skipped.

    Raises an InputError that names the file and the line, for a file that cannot be read, a line
    that is not of this form, and fewer than two pairs.
    """
    path = expanded(path)
    lines = (f"{line}\n" for line in read_lines(path))  # a quoted text may have several
    if ".csv" in path.suffixes:
        reader = csv.reader(lines)
    else:
        reader = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    pairs = []
    try:
        for number, row in enumerate(reader):
            if not row:
                continue
            where = f"{path}, line {reader.line_num}"
            if len(row) != 3:
                raise InputError(
                    f"{where}: expected three columns (text, text, number), found {len(row)}"
                )
            score = _number(row[2])
            if score is None and number == 0:
                continue
            if score is None or not math.isfinite(score):
                raise InputError(f"{where}: the third column is {row[2]!r}, expected a number")
            if not (row[0].strip() and row[1].strip()):
                raise InputError(f"{where}: a text is empty, expected at least one word")
            pairs.append(JudgedPair(row[0], row[1], score))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from error
    if len(pairs) < 2:
        raise InputError(f"{path} has {len(pairs)} judged pairs: a correlation needs at least two")
    return pairs


def _number(text: str) -> float | None:
    try:
        return as_float(text)
    except ValueError:
        return None
