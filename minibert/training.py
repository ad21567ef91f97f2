"""Pretraining: batches in, two losses out, weights moved; the same on one process and on many."""

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from minibert.data import PairRows, TokenFile, mask_tokens
from minibert.fast import PretrainingSums, pretraining_sums
from minibert.heads import BertForPreTraining
from minibert.optim import make_optimizers, schedule, set_learning_rate
from minibert.tokenization import WordPieceTokenizer


BLOCK = 1024        # tokens of a batch that are masked together and always stay with one process


@dataclass(frozen=True)
class PretrainingOptions:
    """The recipe of a run; with the model's config and the corpus it decides every number of it."""

    steps: int                              # updates of the weights
    batch_size: int = 64                    # rows in an update, over all processes
    micro_batch: int = 64                   # rows that go through the model at once, in each process
    length: int = 128                       # tokens in a row
    long_length: int = 512                  # tokens in a row at the end, so that late positions learn too
    long_share: float = 0.1                 # share of the steps at that length (a quarter of the rows, as many tokens)
    mask_rate: float = 0.15                 # share of the ordinary tokens to predict
    next_sentence: bool = True              # whether the next-sentence loss counts
    optimizer: str = "muon"                 # "muon" (with AdamW on the rest) or "adamw"
    learning_rate: float = 2e-3             # peak, AdamW
    matrix_learning_rate: float = 4e-3      # peak, Muon
    warmup: int = 100                       # steps over which the learning rate rises
    decay: float = 1.0                      # share of the steps, the last ones, over which it falls to 0
    weight_decay: float = 0.01
    clip: float = 1.0                       # largest norm of all gradients together
    precision: str = "auto"                 # "bfloat16", "float32" or "auto": bfloat16 where the hardware has it
    seed: int = 0

    def __post_init__(self):
        for name in ("steps", "batch_size", "micro_batch", "length", "long_length"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {getattr(self, name)!r}")
        for name in ("long_share", "mask_rate", "decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share: it must lie between 0 and 1, not {getattr(self, name)!r}")
        for name in ("learning_rate", "matrix_learning_rate", "clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)!r}")
        for name, choices in (("optimizer", ("muon", "adamw")), ("precision", ("auto", "bfloat16", "float32"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        if self.mask_rate == 0 or self.decay == 0:
            raise ValueError("mask_rate and decay must be above 0")


@dataclass(frozen=True)
class Progress:
    """What one step did: losses and accuracies of its batch before the update."""

    step: int                               # updates done
    word_loss: float                        # mean cross-entropy over the masked words, nats
    word_accuracy: float
    pair_loss: float                        # mean cross-entropy over the pairs, nats
    pair_accuracy: float
    learning_rate: float                    # of AdamW, in this step
    gradient_norm: float                    # before clipping
    tokens: int                             # real tokens in the batch


def choose_precision(wanted: str, device: torch.device) -> torch.dtype:
    """bfloat16 where the processor or the GPU computes in it, float32 elsewhere; or what was asked for."""
    if wanted != "auto":
        return getattr(torch, wanted)
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    # matrix products in bfloat16 are slower than in float32 on a processor without the instructions
    has_bfloat16 = device.type == "cpu" and torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if has_bfloat16 else torch.float32


class Batches:
    """The batches of a run. What is in a row, and which of its words are masked, depends on its number alone.

    Processes share a batch out in blocks of BLOCK tokens, and each takes its share through the model in pieces of
    `micro_batch` rows. How many processes and pieces there are changes no row.
    """

    def __init__(self, corpus: TokenFile, tokenizer: WordPieceTokenizer, options: PretrainingOptions):
        self.options, self.tokenizer = options, tokenizer
        ids = (tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id)
        self.rows = PairRows(corpus, options.length, *ids, seed=options.seed)
        self.first_long_step = options.steps - round(options.steps * options.long_share)
        if self.first_long_step < options.steps:
            self.long_rows = PairRows(corpus, options.long_length, *ids, seed=options.seed + 1)

    def pieces(self, step: int, rank: int = 0, world: int = 1) -> Iterator[tuple[dict[str, Tensor], int]]:
        """Process `rank`'s pieces of a step's batch, `world` processes in all; each with the seed for its dropout."""
        is_long = step >= self.first_long_step
        rows, number = (self.long_rows, step - self.first_long_step) if is_long else (self.rows, step)
        size, micro = (max(1, count * self.options.length // rows.length) for count in (self.options.batch_size, self.options.micro_batch))
        block = max(1, BLOCK // rows.length)                            # rows
        blocks = -(-size // block)
        first, last = (min(size, end * blocks // world * block) for end in (rank, rank + 1))
        if first == last:
            raise ValueError(f"batch_size {self.options.batch_size} is too small for {world} processes: a step with rows of "
                             f"{rows.length} tokens has {blocks} blocks of {block} rows to share out")
        batch = rows.batch(number * size, size, slice(first, last))
        masked = [self._mask(ids, self._seed(step, 0, first + start)) for start, ids in
                  zip(range(0, last - first, block), batch["input_ids"].split(block))]
        batch["input_ids"], batch["labels"] = (torch.cat(part) for part in zip(*masked))
        if not self.options.next_sentence:
            del batch["next_sentence_label"]
        for start in range(0, last - first, micro):
            yield {name: tensor[start:start + micro] for name, tensor in batch.items()}, self._seed(step, 1, first + start)

    def _mask(self, input_ids: Tensor, seed: int) -> tuple[Tensor, Tensor]:
        return mask_tokens(input_ids, mask_token_id=self.tokenizer.mask_id, vocab_size=self.rows.corpus.vocab_size,
                           special_ids=self.tokenizer.special_ids, rate=self.options.mask_rate, generator=torch.Generator().manual_seed(seed))

    def _seed(self, step: int, purpose: int, row: int) -> int:
        return int(np.random.SeedSequence([self.options.seed, step, purpose, row]).generate_state(1, np.uint64)[0] >> 1)


class Pretraining:
    """A run: the model, its optimisers and how many steps they have done. Nothing else decides what comes next."""

    def __init__(self, model: BertForPreTraining, corpus: TokenFile, tokenizer: WordPieceTokenizer, options: PretrainingOptions):
        if corpus.vocab_size != model.config.vocab_size:
            raise ValueError(f"the corpus {corpus.path} was cut with a vocabulary of {corpus.vocab_size}, the model has {model.config.vocab_size}")
        longest = max(options.length, options.long_length if options.long_share else 0)
        if longest > model.config.max_position_embeddings:
            raise ValueError(f"rows of {longest} tokens are longer than max_position_embeddings {model.config.max_position_embeddings}")
        self.model, self.options, self.step = model.train(), options, 0
        self.batches = Batches(corpus, tokenizer, options)
        self.device = next(model.parameters()).device
        self.precision = choose_precision(options.precision, self.device)
        self.optimizers = make_optimizers(model, options.optimizer, options.learning_rate, options.matrix_learning_rate, options.weight_decay)

    def train_step(self) -> Progress:
        """One update: the losses of all pieces, each divided by the number of predictions in the whole batch.

        A mean over pieces of their means would count a piece with few masked words as much as one with many.
        """
        options = self.options
        factor = schedule(self.step, options.steps, options.warmup, options.decay)
        set_learning_rate(self.optimizers, factor)
        pieces = list(self.batches.pieces(self.step))
        words = max(1, sum(int((piece["labels"] != -100).sum()) for piece, _ in pieces))
        pairs = max(1, sum(len(piece["labels"]) for piece, _ in pieces))
        tokens = sum(int(piece["attention_mask"].sum()) for piece, _ in pieces)

        totals = torch.zeros(4, dtype=torch.float64)
        for piece, seed in pieces:
            torch.manual_seed(seed)         # dropout depends on the piece alone, not on how many processes there are
            piece = {name: tensor.to(self.device) for name, tensor in piece.items()}
            sums = pretraining_sums(self.model, **piece, precision=self.precision)
            (sums.word_loss / words + sums.pair_loss / pairs).backward()
            totals += _totals(sums)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), options.clip)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad()
        self.step += 1
        word_loss, word_hits, pair_loss, pair_hits = totals.tolist()
        return Progress(self.step, word_loss / words, word_hits / words, pair_loss / pairs, pair_hits / pairs,
                        factor * options.learning_rate, float(norm), tokens)


def _totals(sums: PretrainingSums) -> Tensor:
    values = (sums.word_loss, sums.word_hits, sums.pair_loss, sums.pair_hits)
    return torch.stack([torch.as_tensor(value).detach().cpu().double() for value in values])
