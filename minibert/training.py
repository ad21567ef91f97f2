"""Pretraining: batches in, two losses out, weights moved; the same on one process and on many."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from minibert.data import TextRows, TokenFile, make_rows, mask_tokens
from minibert.data.masking import IGNORE
from minibert.distributed import Processes, accumulate, part_like, whole
from minibert.evaluation import ALL_MASK
from minibert.fast import FastPreTraining, PretrainingSums
from minibert.heads import BertForPreTraining
from minibert.optim import make_optimizers, schedule, set_learning_rate, update
from minibert.tokenization import WordPieceTokenizer

BLOCK = 1024        # tokens of a batch that are masked together: a process draws the masks of its rows, and of few others


@dataclass(frozen=True)
class PretrainingOptions:
    """The recipe of a run; with the model's config and the corpus it decides every number of it."""

    steps: int                              # updates of the weights
    batch_size: int = 64                    # rows in an update, over all processes
    micro_batch: int = 64                   # rows that go through the model at once, in each process
    short_length: int = 32                  # tokens in a row at the beginning: neighbours are found sooner among few tokens
    short_share: float = 0.2                # share of the steps at that length (more rows, as many tokens)
    length: int = 128                       # tokens in a row
    long_length: int = 512                  # tokens in a row at the end, so that late positions learn too
    long_share: float = 0.1                 # share of the steps at that length (fewer rows, as many tokens)
    copy_positions: bool = True             # where rows become longer, the new positions begin as copies of the trained ones
    shift_share: float = 0.0                # share of the rows that begin at any position up to long_length, not at 0
    mask_rate: float = 0.15                 # share of the ordinary tokens to predict
    all_mask: bool = False                  # all of these become [MASK]; or 80%, 10% another token, 10% stay
    next_sentence: bool = True              # rows of pairs and their loss, or rows of running text and none
    pair_weight: float = 1.0                # of the next-sentence loss in the sum of the two
    pair_share: float = 1.0                 # with next_sentence: share of the rows that are pairs; the rest is running text
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
        for name in ("steps", "batch_size", "micro_batch", "short_length", "length", "long_length"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {getattr(self, name)!r}")
        for name in ("warmup", "seed"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 0:
                raise ValueError(f"{name} must be a whole number of at least 0, not {getattr(self, name)!r}")
        for name in ("short_share", "long_share", "shift_share", "mask_rate", "pair_share", "decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share: it must lie between 0 and 1, not {getattr(self, name)!r}")
        for name in ("learning_rate", "matrix_learning_rate", "clip", "pair_weight"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)!r}")
        if not 0 <= self.weight_decay < math.inf:
            raise ValueError(f"weight_decay must be at least 0, not {self.weight_decay!r}")
        for name, choices in (("optimizer", ("muon", "adamw")), ("precision", ("auto", "bfloat16", "float32"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name in ("mask_rate", "pair_share", "decay"):
            if getattr(self, name) == 0:
                raise ValueError(f"{name} must be above 0")
        if self.short_share and self.short_length >= self.length:
            raise ValueError(f"short_length {self.short_length} must be below length {self.length}; or set short_share to 0")
        if self.short_share + self.long_share > 1:
            raise ValueError(f"short_share {self.short_share} and long_share {self.long_share} are shares of one run: together at most 1")

    def stages(self) -> list[tuple[int, int]]:
        """(first step, tokens in a row) of every stage of the run that has any step, in order."""
        short, long = round(self.steps * self.short_share), round(self.steps * self.long_share)
        bounds = [0, short, self.steps - long, self.steps]
        lengths = (self.short_length, self.length, self.long_length)
        return [(first, length) for length, (first, last) in zip(lengths, pairwise(bounds)) if first < last]


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

    @property
    def loss(self) -> float:
        """Both losses together."""
        return self.word_loss + self.pair_loss


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

    Processes share a batch out evenly, and each takes its share through the model in pieces of at most `micro_batch`
    rows. How many processes and pieces there are changes no row.
    """

    def __init__(self, corpus: TokenFile, tokenizer: WordPieceTokenizer, options: PretrainingOptions):
        self.options, self.tokenizer = options, tokenizer
        ids = (tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id)
        self.stages = [(first, make_rows(corpus, length, *ids, seed=options.seed + number, pair_share=options.pair_share * options.next_sentence))
                       for number, (first, length) in enumerate(options.stages())]
        self.corpus = corpus

    def pieces(self, step: int, rank: int = 0, world: int = 1) -> Iterator[tuple[dict[str, Tensor], int]]:
        """Process `rank`'s pieces of a step's batch, `world` processes in all; each with the seed for its dropout.

        All processes have the same number of pieces in a step, because FSDP needs all of them in every pass.
        """
        rows, number, size, micro = self._step(step)
        first, last = rank * size // world, (rank + 1) * size // world
        block = max(1, BLOCK // rows.length)                            # rows
        begin, end = first // block * block, min(size, -(-last // block) * block)       # with the whole of each block
        batch = rows.batch(number * size, size, slice(begin, end))
        masked = [self._mask(ids, self._seed(step, 0, begin + place * block)) for place, ids in enumerate(batch["input_ids"].split(block))]
        batch["input_ids"], batch["labels"] = (torch.cat(part) for part in zip(*masked))
        if self.options.shift_share and rows.length < self.options.long_length:
            batch["position_ids"] = self._positions(step, size, rows.length)[begin:end]
        count = min(size // world, -(-size // (world * micro)))         # enough for the largest share, not too many for the smallest
        bounds = [first + (last - first) * piece // count for piece in range(count + 1)]
        for start, stop in pairwise(bounds):
            yield {name: tensor[start - begin:stop - begin] for name, tensor in batch.items()}, self._seed(step, 1, start)

    def most_processes(self) -> int:
        """How many processes can share every batch out: the rows of the smallest."""
        return min(self._step(first)[2] for first, _ in self.stages)

    def _step(self, step: int) -> tuple[TextRows, int, int, int]:
        """Where a step's rows come from, its number among the steps of that length, rows in its batch and in a piece."""
        begin, rows = next(stage for stage in reversed(self.stages) if step >= stage[0])
        size, micro = (max(1, count * self.options.length // rows.length) for count in (self.options.batch_size, self.options.micro_batch))
        return rows, step - begin, size, micro

    def _mask(self, input_ids: Tensor, seed: int) -> tuple[Tensor, Tensor]:
        shares = {"replace": ALL_MASK} if self.options.all_mask else {}         # not given: as published, so that a reader's own function will do
        return mask_tokens(input_ids, mask_token_id=self.tokenizer.mask_id, vocab_size=self.corpus.vocab_size, special_ids=self.tokenizer.special_ids,
                           rate=self.options.mask_rate, generator=torch.Generator().manual_seed(seed), **shares)

    def _positions(self, step: int, size: int, length: int) -> Tensor:
        """Positions of a batch's rows: from 0 on, or, in `shift_share` of them, from a place drawn evenly -> [size, S].

        Positions that only long rows have are so trained in short ones, and a head that looks at its neighbour learns to
        do so everywhere (Kiyono et al. 2021, who shift every row).
        """
        draw = torch.rand(2, size, generator=torch.Generator().manual_seed(self._seed(step, 2, 0)))         # [2, size]
        first = (draw[1] * (self.options.long_length - length + 1)).long()                                  # [size]
        return torch.where(draw[0] < self.options.shift_share, first, 0)[:, None] + torch.arange(length)    # [size, S]

    def _seed(self, step: int, purpose: int, row: int) -> int:
        return int(np.random.SeedSequence([self.options.seed, step, purpose, row]).generate_state(1, np.uint64)[0] >> 1)


class Pretraining:
    """A run: the model, its optimisers and how many steps they have done. Nothing else decides what comes next.

    Several `processes` take part by making the same run, each of them; every one has its share of the rows. `shard` cuts
    weights, gradients and moments up among them (FSDP), for a model that does not fit; `model` is then not to be called,
    `forward` is.
    """

    def __init__(self, model: BertForPreTraining, corpus: TokenFile, tokenizer: WordPieceTokenizer, options: PretrainingOptions,
                 processes: Processes = Processes(), shard: bool = False):
        if corpus.vocab_size != model.config.vocab_size:
            raise ValueError(f"the corpus {corpus.path} was cut with a vocabulary of {corpus.vocab_size}, the model has {model.config.vocab_size}")
        longest = max(length for _, length in options.stages())
        if longest > model.config.max_position_embeddings:
            raise ValueError(f"rows of {longest} tokens are longer than max_position_embeddings {model.config.max_position_embeddings}")
        if shard and options.optimizer != "adamw":
            raise ValueError(f"a sharded model needs the optimizer adamw, not {options.optimizer}: Muon makes whole matrices orthogonal, "
                             "and no process has a whole one")
        self.model, self.options, self.step, self.processes = model.train(), options, 0, processes
        self.batches = Batches(corpus, tokenizer, options)
        if processes.world > self.batches.most_processes():
            raise ValueError(f"{processes.world} processes cannot share a batch of {self.batches.most_processes()} rows: "
                             f"raise batch_size {options.batch_size}, or start fewer")
        self.device = next(model.parameters()).device
        self.precision = choose_precision(options.precision, self.device)
        processes.check_alike(options=options, config=model.config, corpus=corpus.checksum, vocabulary=tokenizer.vocab, precision=self.precision)
        self.forward = processes.share_out(FastPreTraining(model, self.precision), shard, all_used=options.next_sentence)
        self.optimizers = make_optimizers(model, options.optimizer, options.learning_rate, options.matrix_learning_rate, options.weight_decay)

    @property
    def steps(self) -> int:
        return self.options.steps

    def train_step(self) -> Progress:
        """One update: the losses of all pieces, each divided by the number of predictions in the whole batch.

        A mean over pieces of their means would count a piece with few masked words as much as one with many; so would
        a mean over processes.
        """
        options, processes = self.options, self.processes
        if options.copy_positions:
            self._copy_positions()
        factor = schedule(self.step, options.steps, options.warmup, options.decay)
        set_learning_rate(self.optimizers, factor)
        pieces = list(self.batches.pieces(self.step, processes.rank, processes.world))
        words, pairs, tokens = self._count(pieces)

        totals = torch.zeros(4, dtype=torch.float64)
        for number, (piece, seed) in enumerate(pieces, start=1):
            torch.manual_seed(seed)         # dropout depends on the piece alone, not on how many processes there are
            piece = {name: tensor.to(self.device) for name, tensor in piece.items()}
            with accumulate(self.forward, last=number == len(pieces)):
                sums = self.forward(**piece)
                # DDP and FSDP divide what they add up by the number of processes
                ((sums.word_loss / words + options.pair_weight * sums.pair_loss / pairs) * processes.world).backward()
            totals += _totals(sums)
        norm = update(self.optimizers, options.clip)
        self.step += 1
        word_loss, word_hits, pair_loss, pair_hits = processes.sum(totals).tolist()
        return Progress(self.step, word_loss / words, word_hits / words, pair_loss / pairs, pair_hits / pairs,
                        factor * options.learning_rate, float(whole(norm)), tokens)

    @torch.no_grad()
    def _copy_positions(self) -> None:
        """At the first step with longer rows: positions that no row has had begin as copies of those before, in order.

        What the heads have learned about neighbours then holds at every place at once; fresh vectors would have to
        learn it anew (Beltagy et al. 2020, section 5, who made RoBERTa's 512 positions into 4,096).
        """
        stages = self.options.stages()
        trained = max((length for first, length in stages if first < self.step), default=math.inf)
        positions = getattr(self.model.bert.embeddings, "position_embeddings", None)
        if not isinstance(positions, nn.Embedding) or not any(first == self.step and length > trained for first, length in stages):
            return
        table = positions.weight                                            # [positions, H]
        table.copy_(part_like(whole(table)[torch.arange(len(table)) % trained], table))

    def _count(self, pieces: list[tuple[dict[str, Tensor], int]]) -> tuple[int, int, int]:
        """Masked words, pairs and real tokens of the step, over all processes; at least one of the first two."""
        counts = torch.tensor([(*(int((piece[name] != IGNORE).sum()) if name in piece else 0 for name in ("labels", "next_sentence_label")),
                                int(piece["attention_mask"].sum()), self.step) for piece, _ in pieces]).sum(0)      # [4]
        words, pairs, tokens, steps = self.processes.sum(counts).tolist()
        if steps != self.step * len(pieces) * self.processes.world:
            raise ValueError(f"process {self.processes.rank} is at step {self.step}, others are not: every machine must see the same checkpoints")
        return max(1, words), max(1, pairs), tokens


def _totals(sums: PretrainingSums) -> Tensor:
    values = (sums.word_loss, sums.word_hits, sums.pair_loss, sums.pair_hits)
    return torch.stack([torch.as_tensor(value).detach().cpu().double() for value in values])
