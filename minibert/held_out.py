"""The held-out evaluation of a pretraining run: always the same rows with the same words masked, so that its curve has no noise of the draw."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from minibert.data import PairRows, TokenFile, mask_tokens
from minibert.distributed import Processes
from minibert.evaluation import pieces_per_word
from minibert.heads import IGNORE
from minibert.tokenization import WordPieceTokenizer

SEED = 1_000_003            # of the rows and the masks, whatever the run's own seed is: all runs on a corpus can be compared
RATE = 0.15                 # of words masked, 80/10/10, whatever the run's own rate is
BATCH = 64                  # rows that go through the model at once
CHUNK = 1 << 22             # tokens that are counted at once


@dataclass(frozen=True)
class HeldOutScores:
    """Means over the held-out rows; losses in nats."""

    word_loss: float
    word_accuracy: float
    bits_per_word: float        # word_loss / ln 2 · pieces per word: comparable between vocabularies
    unigram_loss: float         # of a guess that knows how often each piece occurs in the training text, and no context
    pair_loss: float
    pair_accuracy: float


class HeldOut:
    """Rows of text that the run does not train on, and how a model does on them.

    `corpus` is the held-out text, `training` the text whose word frequencies the unigram guess knows (each piece counted
    once more than it occurs, so that none is impossible). Raises a ValueError where the held-out text is too small.
    """

    def __init__(self, corpus: TokenFile, training: TokenFile, tokenizer: WordPieceTokenizer, length: int, rows: int):
        pairs = PairRows(corpus, length, tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id, seed=SEED, short_rate=0.0)
        self.batch = pairs.batch(0, rows)
        plain = self.batch["input_ids"]                                                     # [rows, S]
        self.pieces_per_word = pieces_per_word(plain, tokenizer)
        self.batch["input_ids"], self.batch["labels"] = mask_tokens(
            plain, mask_token_id=tokenizer.mask_id, vocab_size=tokenizer.vocab_size, special_ids=tokenizer.special_ids,
            rate=RATE, generator=torch.Generator().manual_seed(SEED))
        true = self.batch["labels"][self.batch["labels"] != IGNORE]                         # [M]
        if not len(true):
            raise ValueError(f"no word is masked in {rows} held-out rows: take more of them")
        counts = 1 + sum(np.bincount(training.tokens[start:start + CHUNK], minlength=tokenizer.vocab_size)
                         for start in range(0, len(training.tokens), CHUNK))                # [V]
        counts = torch.from_numpy(counts).double()
        counts[tokenizer.special_ids] = 0
        self.unigram_loss = float(-(counts / counts.sum()).log()[true].mean())

    @torch.no_grad()
    def evaluate(self, forward: nn.Module, processes: Processes = Processes()) -> HeldOutScores:
        """The scores of a model, given as `Pretraining.forward` is; without dropout. Several processes share the rows."""
        device, was_training = next(forward.parameters()).device, forward.training
        forward.eval()
        rows = len(self.batch["labels"])
        count = max(1, rows // (BATCH * processes.world)) * processes.world     # as many for each process, because FSDP needs all of them
        totals = torch.zeros(6, dtype=torch.float64)
        for piece in torch.arange(rows).tensor_split(count)[processes.rank::processes.world]:
            sums = forward(**{name: tensor[piece].to(device) for name, tensor in self.batch.items()})
            totals += torch.stack([value.double().cpu() for value in vars(sums).values()])
        forward.train(was_training)
        word_loss, words, word_hits, pair_loss, pairs, pair_hits = processes.sum(totals).tolist()
        return HeldOutScores(word_loss / words, word_hits / words, word_loss / words / math.log(2) * self.pieces_per_word,
                             self.unigram_loss, pair_loss / pairs, pair_hits / pairs)
