"""The batches of a pretraining run, the same on any number of processes."""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from minibert.data import MixedSequences, TextSequences, TokenFile, make_sequences, mask_tokens
from minibert.data.masking import ALL_MASK
from minibert.pretraining.options import PretrainingOptions
from minibert.tokenization import WordPieceTokenizer

# Tokens of a batch that are masked together. A process masks the blocks that its sequences lie in;
# few other sequences lie in them too.
BLOCK = 1024
WORKERS = 4  # processes that make batches for a GPU, at most

MicroBatches = list[tuple[dict[str, Tensor], int]]  # each with a seed for dropout


class Batches:
    """The batches of a run. A sequence and its masks depend on its number in the run alone.

    The processes share a batch out evenly. Each takes its share through the model in micro-batches
    of at most `micro_batch` sequences. The number of processes and of micro-batches changes no
    sequence.
    """

    def __init__(
        self, corpus: TokenFile, tokenizer: WordPieceTokenizer, options: PretrainingOptions
    ) -> None:
        self.options, self.tokenizer, self.corpus = options, tokenizer, corpus
        special = (tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id)
        pair_share = options.pair_share * options.next_sentence
        self.stages = [
            (
                first,
                make_sequences(
                    corpus, length, *special, seed=options.seed + number, pair_share=pair_share
                ),
            )
            for number, (first, length) in enumerate(options.stages())
        ]

    def micro_batches(
        self, step: int, rank: int = 0, world: int = 1
    ) -> Iterator[tuple[dict[str, Tensor], int]]:
        """The micro-batches of process `rank` of `world` in a step, each with a seed for dropout.

        All processes have equally many, because FSDP needs all of them in every forward pass.
        """
        sequences, number, size, micro_size = self._step(step)
        first, last = rank * size // world, (rank + 1) * size // world
        block = max(1, BLOCK // sequences.length)  # sequences
        # whole blocks, because their masks are drawn together
        begin, end = first // block * block, min(size, -(-last // block) * block)
        batch = sequences.batch(number * size, size, slice(begin, end))
        masked = [
            self._mask(ids, self._seed(step, 0, begin + place * block))
            for place, ids in enumerate(batch["input_ids"].split(block))
        ]
        batch["input_ids"] = torch.cat([ids for ids, _ in masked])
        batch["labels"] = torch.cat([labels for _, labels in masked])
        if self.options.shift_share and sequences.length < self.options.long_length:
            batch["position_ids"] = self._positions(step, size, sequences.length)[begin:end]
        # enough for the largest share, not too many for the smallest
        count = min(size // world, -(-size // (world * micro_size)))
        bounds = [first + (last - first) * part // count for part in range(count + 1)]
        for start, stop in pairwise(bounds):
            micro_batch = {
                name: tensor[start - begin : stop - begin] for name, tensor in batch.items()
            }
            yield micro_batch, self._seed(step, 1, start)

    def max_processes(self) -> int:
        """How many processes can share every batch out: the sequences of the smallest batch."""
        return min(self._step(first)[2] for first, _ in self.stages)

    def _step(self, step: int) -> tuple[TextSequences | MixedSequences, int, int, int]:
        """The sequences of a step's stage, its number in it, and the batch and micro-batch sizes.

        Longer sequences come in smaller batches, so that each holds about as many tokens.
        """
        begin, sequences = next(stage for stage in reversed(self.stages) if step >= stage[0])
        size, micro_size = (
            max(1, count * self.options.length // sequences.length)
            for count in (self.options.batch_size, self.options.micro_batch)
        )
        return sequences, step - begin, size, micro_size

    def _mask(self, input_ids: Tensor, seed: int) -> tuple[Tensor, Tensor]:
        # not given for the published shares, so that chapter 7 can put a reader's own function here
        shares = {"replace": ALL_MASK} if self.options.all_mask else {}
        return mask_tokens(
            input_ids,
            mask_token_id=self.tokenizer.mask_id,
            vocab_size=self.corpus.vocab_size,
            special_ids=self.tokenizer.special_ids,
            rate=self.options.mask_rate,
            generator=torch.Generator().manual_seed(seed),
            **shares,
        )

    def _positions(self, step: int, size: int, length: int) -> Tensor:
        """The positions of a batch's sequences -> [size, S].

        Of the sequences `shift_share` begin at a position drawn evenly, the others at 0. So the
        positions that only long sequences reach are
        trained in short ones too, and a head that attends to its neighbour learns to do so
        everywhere (Kiyono et al. 2021, who shift every sequence).
        """
        generator = torch.Generator().manual_seed(self._seed(step, 2, 0))
        draw = torch.rand(2, size, generator=generator)  # [2, size]
        first = (draw[1] * (self.options.long_length - length + 1)).long()  # [size]
        first = torch.where(draw[0] < self.options.shift_share, first, 0)  # [size]
        return first[:, None] + torch.arange(length)  # [size, S]

    def _seed(self, step: int, purpose: int, sequence: int) -> int:
        entropy = [self.options.seed, step, purpose, sequence]
        return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> 1)


class BatchesAhead(Dataset[MicroBatches]):
    """The batches of a process, made by other processes while a GPU computes.

    They are those of `Batches.micro_batches`, in memory that a GPU can read without waiting. A
    batch of 131,072 tokens takes about 30 ms on a processor, longer than an H200 needs to train
    `--preset mini` on it.
    """

    def __init__(self, batches: Batches, rank: int = 0, world: int = 1) -> None:
        self.batches, self.rank, self.world = batches, rank, world
        self._loaded: Iterator[MicroBatches] = iter(())
        self._next: int | None = None  # the step whose batch `_loaded` returns next

    def __getitem__(self, step: int) -> MicroBatches:
        return list(self.batches.micro_batches(step, self.rank, self.world))

    def micro_batches(self, step: int) -> MicroBatches:
        """The micro-batches of a step; fastest where the steps come one after the other."""
        if step != self._next:
            self._loaded = iter(
                DataLoader(
                    self,
                    batch_size=None,
                    sampler=range(step, self.batches.options.steps),
                    num_workers=_workers(),
                    multiprocessing_context="fork" if _workers() else None,
                    worker_init_fn=_leave_group,
                    pin_memory=torch.cuda.is_available(),
                    generator=torch.Generator(),  # the global one stays as it was
                )
            )
        self._next = step + 1
        return next(self._loaded)


def _workers() -> int:
    """How many processes make batches; 0: this one does, because it cannot fork or is alone."""
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    return min(WORKERS, (os.cpu_count() or 1) - 1) if can_fork else 0


def _leave_group(worker: int) -> None:
    """In a worker: Ctrl-C and signals to the group of the process that trains do not arrive.

    That process decides when to stop, and ends its workers.
    """
    if sys.platform != "win32":  # where no process forks, so there is no worker
        os.setpgid(0, 0)
