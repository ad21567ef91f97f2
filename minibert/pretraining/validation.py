"""The validation of a pretraining run: always the same sequences with the same tokens masked.

Its curve therefore has no sampling noise, and all runs on a corpus can be compared.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from minibert.config import InputError
from minibert.data import PairSequences, TokenFile, mask_tokens
from minibert.heads import IGNORE
from minibert.model import evaluating
from minibert.pretraining.fused import SUMS, stack_sums
from minibert.pretraining.mlm_evaluation import pieces_per_word
from minibert.tokenization import WordPieceTokenizer
from minibert.training.distributed import ProcessGroup

SEED = 1_000_003  # of the sequences and the masks, whatever the seed of the run
RATE = 0.15  # of tokens masked, 80/10/10, whatever the rate of the run
BATCH = 64  # sequences that go through the model at once
CHUNK = 1 << 22  # tokens that are counted at once


@dataclass(frozen=True)
class ValidationScores:
    """Means over the validation sequences; losses in nats."""

    mlm_loss: float
    mlm_accuracy: float
    bits_per_word: float  # mlm_loss / ln 2 · pieces per word: comparable between vocabularies
    unigram_loss: float  # of a guess by the frequencies in the training text, without context
    nsp_loss: float
    nsp_accuracy: float


class ValidationSet:
    """Sequences that the run does not train on, and the scores of a model on them.

    `corpus` is the validation text, `training` the text whose token frequencies the unigram guess
    knows (each token counted once more than it occurs, so that none is impossible). Raises an
    InputError where the validation text is too short.
    """

    def __init__(
        self,
        corpus: TokenFile,
        training: TokenFile,
        tokenizer: WordPieceTokenizer,
        length: int,
        sequences: int,
    ) -> None:
        pairs = PairSequences(
            corpus,
            length,
            tokenizer.cls_id,
            tokenizer.sep_id,
            tokenizer.pad_id,
            seed=SEED,
            short_rate=0.0,
        )
        self.batch = pairs.batch(0, sequences)
        plain = self.batch["input_ids"]  # [sequences, S]
        self.pieces_per_word = pieces_per_word(plain, tokenizer)
        self.batch["input_ids"], self.batch["labels"] = mask_tokens(
            plain,
            mask_token_id=tokenizer.mask_id,
            vocab_size=tokenizer.vocab_size,
            special_ids=tokenizer.special_ids,
            rate=RATE,
            generator=torch.Generator().manual_seed(SEED),
        )
        true = self.batch["labels"][self.batch["labels"] != IGNORE]  # [M]
        if not len(true):
            raise InputError(
                f"no token is masked in {sequences} validation sequences: take more of them"
            )
        counts = _smoothed_counts(training, tokenizer)  # [V]
        self.unigram_loss = float(-(counts / counts.sum()).log()[true].mean())

    @torch.no_grad()
    def evaluate(
        self,
        forward: nn.Module,
        processes: ProcessGroup = ProcessGroup(),  # noqa: B008 (frozen)
    ) -> ValidationScores:
        """The scores of a model, given as `Pretraining.forward` is; without dropout.

        Several processes share the sequences.
        """
        with evaluating(forward):
            sequences = len(self.batch["labels"])
            # as many for each process, because FSDP needs all of them in every forward pass
            count = max(1, sequences // (BATCH * processes.world)) * processes.world
            parts = torch.arange(sequences).tensor_split(count)[processes.rank :: processes.world]
            stacked = torch.stack(
                [
                    stack_sums(
                        forward(**{name: tensor[part] for name, tensor in self.batch.items()})
                    )
                    for part in parts
                ]
            )
        totals = processes.sum(stacked.cpu().double().sum(0))
        total = dict(zip(SUMS, totals.tolist(), strict=True))
        mlm_loss = total["mlm_loss"] / total["mlm_count"]
        return ValidationScores(
            mlm_loss=mlm_loss,
            mlm_accuracy=total["mlm_correct"] / total["mlm_count"],
            bits_per_word=mlm_loss / math.log(2) * self.pieces_per_word,
            unigram_loss=self.unigram_loss,
            nsp_loss=total["nsp_loss"] / total["nsp_count"],
            nsp_accuracy=total["nsp_correct"] / total["nsp_count"],
        )


def _smoothed_counts(training: TokenFile, tokenizer: WordPieceTokenizer) -> Tensor:
    """How often each id occurs in a text, plus one; 0 for special tokens: [V] float64."""
    counts = np.ones(tokenizer.vocab_size, np.int64)  # [V]
    for start in range(0, len(training.tokens), CHUNK):
        chunk = training.tokens[start : start + CHUNK]
        counts += np.bincount(chunk, minlength=tokenizer.vocab_size)
    smoothed = torch.from_numpy(counts).double()  # [V]
    smoothed[tokenizer.special_ids] = 0
    return smoothed
