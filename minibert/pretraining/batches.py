"""The batches of a pretraining run, the same on any number of processes."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from minibert.data import MixedSequences, TextSequences, TokenFile, make_sequences, mask_tokens
from minibert.data.masking import ALL_MASK
from minibert.pretraining.options import PretrainingOptions
from minibert.tokenization import WordPieceTokenizer

# Tokens of a batch that are masked together. A process masks the blocks that its sequences lie in;
# few other sequences lie in them too.
BLOCK = 1024


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
