"""Pretraining: batches in, two losses out, weights updated; the same on one process and on many."""

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import nn

from minibert.config import IGNORE, InputError
from minibert.data import TokenFile
from minibert.heads import BertForPreTraining
from minibert.pretraining.batches import Batches, BatchesAhead, MicroBatches
from minibert.pretraining.fused import SUMS, FusedPreTraining, stack_sums
from minibert.pretraining.options import PretrainingOptions
from minibert.tokenization import WordPieceTokenizer
from minibert.training.distributed import ProcessGroup, accumulate, full_tensor, shard_like
from minibert.training.optim import (
    learning_rate_schedule,
    make_optimizers,
    set_learning_rate,
    update,
)
from minibert.training.precision import choose_precision


@dataclass(frozen=True)
class StepMetrics:
    """What one step did: losses and accuracies of its batch before the update."""

    step: int  # updates done
    loss: float  # mlm_loss + nsp_weight · nsp_loss, which the update minimises
    mlm_loss: float  # mean cross-entropy over the masked tokens, nats
    mlm_accuracy: float  # share of the masked tokens
    nsp_loss: float  # mean cross-entropy over the pairs, nats
    nsp_accuracy: float  # share of the pairs
    learning_rate: float  # of AdamW, in this step
    gradient_norm: float  # before clipping
    tokens: int  # tokens in the batch without padding


class Pretraining:
    """A run: the model, its optimisers and the number of steps that they have done.

    Nothing else decides what comes next. Several processes take part when each of them makes the
    same run; each then trains on its share of every batch. `shard` distributes weights, gradients
    and moments among them (FSDP), for a model that does not fit on one device: `forward` may then
    be called, `model` may not.

    Raises an InputError where corpus, model, options and processes do not fit together.
    """

    def __init__(
        self,
        model: BertForPreTraining,
        corpus: TokenFile,
        tokenizer: WordPieceTokenizer,
        options: PretrainingOptions,
        processes: ProcessGroup = ProcessGroup(),  # noqa: B008 (frozen)
        shard: bool = False,
    ) -> None:
        _check_fit(model, corpus, options, shard)
        self.model, self.options, self.step, self.processes = model.train(), options, 0, processes
        self.batches = Batches(corpus, tokenizer, options)
        if processes.world > self.batches.max_processes():
            raise InputError(
                f"{processes.world} processes cannot share a batch of "
                f"{self.batches.max_processes()} sequences: raise batch_size "
                f"{options.batch_size}, or start fewer"
            )
        self.device = next(model.parameters()).device
        self._ahead = (
            BatchesAhead(self.batches, processes.rank, processes.world)
            if self.device.type == "cuda"
            else None
        )
        self.precision = choose_precision(options.precision, self.device)
        processes.check_alike(
            options=options,
            config=model.config,
            corpus=corpus.checksum,
            vocabulary=tokenizer.vocab,
            precision=self.precision,
        )
        self.forward = processes.wrap_parallel(
            FusedPreTraining(model, self.precision), shard, all_used=options.next_sentence
        )
        self.optimizers = make_optimizers(
            model,
            options.optimizer,
            options.learning_rate,
            options.matrix_learning_rate,
            options.weight_decay,
        )

    @property
    def steps(self) -> int:
        """All steps of the run."""
        return self.options.steps

    def train_step(self) -> StepMetrics:
        """One update of the weights.

        The losses of all micro-batches are divided by the number of predictions in the whole batch.
        A mean of their means would give a micro-batch with few masked tokens as much weight as one
        with many; so would a mean over processes.
        """
        options, processes = self.options, self.processes
        if options.copy_positions:
            self._copy_positions()
        factor = learning_rate_schedule(self.step, options.steps, options.warmup, options.decay)
        set_learning_rate(self.optimizers, factor)
        micro_batches = self._micro_batches()
        mlm_count, nsp_count, tokens = self._count(micro_batches)

        measured = []
        with _own_random_numbers(self.device):
            for number, (micro_batch, seed) in enumerate(micro_batches, start=1):
                torch.manual_seed(seed)  # dropout depends on the micro-batch alone
                with accumulate(self.forward, last=number == len(micro_batches)):
                    sums = self.forward(**micro_batch)
                    loss = (
                        sums.mlm_loss / mlm_count + options.nsp_weight * sums.nsp_loss / nsp_count
                    )
                    # DDP and FSDP divide what they add up by the number of processes
                    (loss * processes.world).backward()
                measured.append(stack_sums(sums))
        norm = update(self.optimizers, options.clip)
        self.step += 1

        # all numbers of the step in one copy: the only wait for a GPU
        norm = full_tensor(norm).to(measured[0]).reshape(1)  # [1]
        numbers = torch.cat([*measured, norm]).cpu().double()  # [6 · micro-batches + 1]
        totals = processes.sum(numbers[:-1].view(-1, len(SUMS)).sum(0))  # [6]
        total = dict(zip(SUMS, totals.tolist(), strict=True))
        mlm_loss, nsp_loss = total["mlm_loss"] / mlm_count, total["nsp_loss"] / nsp_count
        return StepMetrics(
            step=self.step,
            loss=mlm_loss + options.nsp_weight * nsp_loss,
            mlm_loss=mlm_loss,
            mlm_accuracy=total["mlm_correct"] / mlm_count,
            nsp_loss=nsp_loss,
            nsp_accuracy=total["nsp_correct"] / nsp_count,
            learning_rate=factor * options.learning_rate,
            gradient_norm=float(numbers[-1]),
            tokens=tokens,
        )

    def _micro_batches(self) -> MicroBatches:
        if self._ahead is not None:
            return self._ahead.micro_batches(self.step)
        processes = self.processes
        return list(self.batches.micro_batches(self.step, processes.rank, processes.world))

    @torch.no_grad()
    def _copy_positions(self) -> None:
        """Before the first step with longer sequences: new positions become copies of trained ones.

        They are copied in order, so that what the heads have learned about neighbours holds at
        every position at once; random vectors would have to learn it anew (Beltagy et al. 2020,
        section 5, who extended RoBERTa's 512 positions to 4,096).
        """
        stages = self.options.stages()
        trained = max((length for first, length in stages if first < self.step), default=math.inf)
        positions = getattr(self.model.bert.embeddings, "position_embeddings", None)
        if not isinstance(positions, nn.Embedding) or not any(
            first == self.step and length > trained for first, length in stages
        ):
            return
        table = positions.weight  # [positions, H]
        source = torch.arange(len(table)) % int(trained)  # [positions]
        table.copy_(shard_like(full_tensor(table)[source], table))

    def _count(self, micro_batches: MicroBatches) -> tuple[int, int, int]:
        """Masked tokens, pairs and real tokens of the step, over all processes.

        The first two are at least 1, because losses are divided by them. Raises an InputError where
        the processes are not at the same step.
        """
        counts = torch.zeros(4, dtype=torch.int64)
        for batch, _ in micro_batches:
            pairs = batch.get("next_sentence_label", torch.empty(0))
            counts += torch.stack(
                [
                    (batch["labels"] != IGNORE).sum(),
                    (pairs != IGNORE).sum(),
                    batch["attention_mask"].sum(),
                    torch.tensor(self.step),
                ]
            )
        mlm_count, nsp_count, tokens, steps = self.processes.sum(counts).tolist()
        if steps != self.step * len(micro_batches) * self.processes.world:
            raise InputError(
                f"process {self.processes.rank} is at step {self.step}, others are not: "
                "every machine must see the same checkpoints"
            )
        return max(1, mlm_count), max(1, nsp_count), tokens


def _check_fit(
    model: BertForPreTraining, corpus: TokenFile, options: PretrainingOptions, shard: bool
) -> None:
    if corpus.vocab_size != model.config.vocab_size:
        raise InputError(
            f"the corpus {corpus.path} was cut with a vocabulary of {corpus.vocab_size}, "
            f"the model has {model.config.vocab_size}"
        )
    longest = max(length for _, length in options.stages())
    if longest > model.config.max_position_embeddings:
        raise InputError(
            f"sequences of {longest} tokens are longer than max_position_embeddings "
            f"{model.config.max_position_embeddings}"
        )
    if options.positions() > model.config.max_position_embeddings:
        raise InputError(
            f"shift_share moves sequences to positions up to long_length {options.long_length}, "
            f"and max_position_embeddings is {model.config.max_position_embeddings}: lower "
            "long_length, or set shift_share to 0"
        )
    if shard and options.optimizer != "adamw":
        raise InputError(
            f"a sharded model needs the optimizer adamw, not {options.optimizer}: Muon makes whole "
            "matrices orthogonal, and no process has a whole one"
        )


def _own_random_numbers(device: torch.device) -> AbstractContextManager[None]:
    """Within it seeds may be set; afterwards the global generators are as they were before."""
    return torch.random.fork_rng([device] if device.type == "cuda" else [])
