"""The run that trains a sentence encoder: batches of texts in, one loss out, weights updated."""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from minibert.attention import extended_mask
from minibert.config import InputError
from minibert.encoder import BertLayer
from minibert.finetuning.evaluation import check_length
from minibert.finetuning.sentence_vectors.bag import CONSTANT, fit_bag, start_from_bag
from minibert.finetuning.sentence_vectors.objectives import (
    Loss,
    contrastive_loss,
    distillation_loss,
)
from minibert.finetuning.sentence_vectors.options import OF_PAIRS, SentenceOptions
from minibert.finetuning.sentence_vectors.preparation import Texts
from minibert.finetuning.sentence_vectors.teacher import Targets
from minibert.finetuning.sentence_vectors.validation import (
    EncoderValidation,
    JudgedPair,
)
from minibert.inference.sentence_embeddings import mean_pool
from minibert.model import BertModel
from minibert.pretraining.fused import attention_bias
from minibert.pretraining.fused_layer import FusedLayer, layer_norm
from minibert.tokenization import WordPieceTokenizer
from minibert.training.distributed import ProcessGroup
from minibert.training.loop import random_batches
from minibert.training.optim import (
    cosine_schedule,
    learning_rate_schedule,
    make_optimizers,
    set_learning_rate,
    update,
)
from minibert.training.precision import choose_precision

ORDER, DROPOUT, FRESH = 0, 1, 2  # what a seed is for


@dataclass(frozen=True)
class SentenceStep:
    """What one step did, measured before the update."""

    step: int  # updates done
    loss: float  # what the update minimises
    measures: dict[str, float]  # see objectives
    learning_rate: float  # in this step
    gradient_norm: float  # before clipping
    tokens: int  # tokens in the batch without padding


class TextBatches:
    """The batches of a run: each step's texts as token ids, whatever was done before.

    Every epoch goes through all texts in a new random order, in batches of similar lengths. The
    last `held_out` texts are left out.
    """

    def __init__(
        self,
        corpus: Texts,
        tokenizer: WordPieceTokenizer,
        options: SentenceOptions,
        held_out: int = 0,
    ) -> None:
        self.corpus, self.tokenizer, self.options = corpus, tokenizer, options
        items = corpus.items[: len(corpus.items) - held_out]
        texts = [text for item in items for text in item]
        room = options.max_length - 2  # for [CLS] and [SEP]
        self._ids = [
            [tokenizer.cls_id, *ids[:room], tokenizer.sep_id]
            for ids in tokenizer.encode_texts(texts)
        ]
        self._width = len(items[0])  # texts in an item
        self.epoch_steps = math.ceil(len(items) / options.batch_size)
        self._epoch, self._order = -1, list[list[int]]()

    def pieces(self) -> list[list[int]]:
        """The ids of all first texts that are trained on, cut, without [CLS] and [SEP]."""
        return [ids[1:-1] for ids in self._ids[:: self._width]]

    def indices(self, step: int) -> list[int]:
        """The numbers of the items in a step's batch."""
        epoch, number = divmod(step, self.epoch_steps)
        if epoch != self._epoch:
            width = self._width
            lengths = [
                max(map(len, self._ids[first : first + width]))
                for first in range(0, len(self._ids), width)
            ]
            generator = torch.Generator().manual_seed(_seed(self.options.seed, ORDER, epoch))
            self._order = random_batches(lengths, self.options.batch_size, generator)
            self._epoch = epoch
        return self._order[number]

    def tensors(self, indices: Sequence[int], member: int = 0) -> dict[str, Tensor]:
        """Token ids and attention mask (B × S) of the texts of some items.

        `member` 1 is the partner.
        """
        rows = [self._ids[index * self._width + member] for index in indices]
        longest = max(map(len, rows))
        ids = torch.full((len(rows), longest), self.tokenizer.pad_id)  # [B, S]
        mask = torch.zeros_like(ids)  # [B, S]
        for row, found in enumerate(rows):
            ids[row, : len(found)] = torch.tensor(found)
            mask[row, : len(found)] = 1
        return {"input_ids": ids, "attention_mask": mask}  # [B, S] each


class SentenceTraining:
    """A run: the encoder, its optimiser and the number of steps that they have done.

    Nothing else decides what comes next. Raises an InputError where texts, encoder, targets and
    options do not fit together.
    """

    step: int
    processes: ProcessGroup

    def __init__(
        self,
        model: BertModel,
        texts: Texts,
        tokenizer: WordPieceTokenizer,
        options: SentenceOptions,
        targets: Targets | None = None,
    ) -> None:
        self.check(model, texts, options)
        if (targets is None) == (options.objective == "distill"):
            raise InputError(
                f"the objective {options.objective} "
                f"{'needs a teacher' if targets is None else 'has no use for a teacher'}"
            )
        if targets is not None:
            _check_targets(targets, texts, model)
        self.model, self.forward, self.options = model.train(), model, options
        layers: Iterable[BertLayer] = model.encoder.layer  # type: ignore[assignment]
        self.layers = [FusedLayer(layer) for layer in layers]
        self.targets, self.step, self.processes = targets, 0, ProcessGroup()
        count = len(texts.items)
        # they were shuffled when they were chosen: the last ones are a random sample
        held_out = min(options.held_out, count // 10) if targets is not None else 0
        self.held_out = range(count - held_out, count)
        self.batches = TextBatches(texts, tokenizer, options, held_out)
        self.device = next(model.parameters()).device
        self.precision = choose_precision(options.precision, self.device)
        rate = options.learning_rate
        positions = getattr(model.embeddings, "position_embeddings", None)
        if isinstance(positions, nn.Embedding):
            positions.requires_grad_(options.positions)
        self.optimizers = make_optimizers(model, "adamw", rate, rate, options.weight_decay)

    @staticmethod
    def check(model: BertModel, texts: Texts, options: SentenceOptions) -> None:
        """Raise an InputError where encoder, texts and options do not fit together."""
        check_length(model, options.max_length)
        if options.start_from_bag and not model.config.norm_first:
            raise InputError(
                "start_from_bag needs a pre-norm trunk, and this one has post-norm layers: give "
                "--no-start-from-bag, or another trunk"
            )
        if options.objective != "distill" and len(texts.items) < 2:
            raise InputError(
                f"the objective {options.objective} needs at least two texts, and there is "
                f"{len(texts.items)}"
            )

    @property
    def steps(self) -> int:
        """All steps of the run."""
        if self.options.steps is not None:
            return self.options.steps
        return max(1, round(self.options.epochs * self.batches.epoch_steps))

    def validation(self, pairs: Sequence[JudgedPair]) -> EncoderValidation | None:
        """The validation on judged pairs and on the texts that are held out; None without both."""
        tokenizer, held_out = self.batches.tokenizer, self.held_out
        if self.targets is not None and held_out:
            texts = [self.batches.corpus.items[i][0] for i in held_out]
            return EncoderValidation(tokenizer, pairs, texts, self.targets.rows(held_out))
        return EncoderValidation(tokenizer, pairs) if pairs else None

    def start_from_bag(self) -> None:
        """Before the first step: make the encoder compute the best bag of words."""
        assert self.targets is not None
        width = self.model.config.hidden_size - CONSTANT
        table = fit_bag(
            self.batches.pieces(),
            self.targets.reduced()[: self.held_out.start, :width],  # [N, K]
            self.model.config.vocab_size,
            self.options.ridge,
        )  # [V, K]
        with torch.random.fork_rng([self.device] if self.device.type == "cuda" else []):
            torch.manual_seed(_seed(self.options.seed, FRESH))
            start_from_bag(self.model, table.to(self.device))

    def train_step(self) -> SentenceStep:
        """One update of the weights."""
        options = self.options
        schedule = cosine_schedule if options.schedule == "cosine" else learning_rate_schedule
        factor = schedule(self.step, self.steps, options.warmup)
        set_learning_rate(self.optimizers, factor)
        indices = self.batches.indices(self.step)
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            torch.manual_seed(_seed(options.seed, DROPOUT, self.step))
            loss, tokens = self._loss(indices)
            loss.total.backward()
        norm = update(self.optimizers, options.clip)
        self.step += 1
        return SentenceStep(
            self.step,
            loss.total.item(),
            {name: value.item() for name, value in loss.measures.items()},
            factor * options.learning_rate,
            float(norm),
            tokens,
        )

    def _loss(self, indices: list[int]) -> tuple[Loss, int]:
        """The loss of a batch, and its tokens without padding."""
        options, batch = self.options, self.batches.tensors(indices)
        vectors = self.encode(batch)  # [B, H]
        tokens = int(batch["attention_mask"].sum())
        if self.targets is not None:
            target = self.targets.rows(indices).to(self.device)  # [B, H]
            return distillation_loss(vectors, target, options.relational_weight), tokens
        if options.objective in OF_PAIRS:
            batch = self.batches.tensors(indices, member=1)
        partners = self.encode(batch)  # [B, H], in SimCSE with other dropout masks
        tokens += int(batch["attention_mask"].sum())
        return contrastive_loss(vectors, partners, options.temperature), tokens

    def encode(self, batch: dict[str, Tensor]) -> Tensor:
        """The mean vectors of a batch of texts, in the precision of the run -> [B, H] float32.

        The layers are computed as in pretraining, see `minibert.pretraining.fused`.
        """
        batch = {name: tensor.to(self.device) for name, tensor in batch.items()}
        ids, mask = batch["input_ids"], batch["attention_mask"]  # [B, S] each
        bias, empty = attention_bias(extended_mask(mask, ids), self.precision)
        hidden = self.model.embeddings(ids).to(self.precision)  # [B, S, H]
        for layer in self.layers:
            hidden = layer(hidden, bias, empty)  # [B, S, H]
        if self.model.config.norm_first:
            hidden = layer_norm(self.model.encoder.norm, hidden)
        return mean_pool(hidden.float(), mask)  # [B, H]


def keep_layers(model: BertModel, layers: int | None) -> BertModel:
    """The model with its first layers only; all of them for None.

    Raises an InputError where it has fewer.
    """
    depth = model.config.num_hidden_layers
    if layers is None or layers == depth:
        return model
    if layers > depth:
        raise InputError(f"layers is {layers}, but the trunk has {depth} layers")
    model.encoder.layer = model.encoder.layer[:layers]
    model.config = dataclasses.replace(model.config, num_hidden_layers=layers)
    return model


def _check_targets(targets: Targets, texts: Texts, model: BertModel) -> None:
    rows, size = len(targets.vectors), targets.projection.size(1)
    if rows != len(texts.items):
        raise InputError(f"there are targets for {rows} texts, but {len(texts.items)} texts")
    if size != model.config.hidden_size:
        raise InputError(
            f"the targets have {size} dimensions, the encoder {model.config.hidden_size}"
        )


def _seed(*entropy: int) -> int:
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> 1)
