"""Training BertSum: a head on sentence vectors that stay as they are (seconds), or BERT with it
(minutes)."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.optim import Optimizer
from tqdm.auto import tqdm

from minibert.config import InputError
from minibert.model import evaluating
from minibert.summarization.documents.windows import EncodedDocument, collate, encode_document
from minibert.summarization.heads import SentenceHead
from minibert.summarization.losses import LOSSES
from minibert.summarization.model import BertSumExt
from minibert.tokenization import WordPieceTokenizer
from minibert.training.loop import drive, random_batches
from minibert.training.optim import (
    learning_rate_schedule,
    make_optimizers,
    set_learning_rate,
    update,
)

WEIGHT_DECAY, CLIP = 0.01, 1.0


@torch.no_grad()
def encode_sentences(
    model: BertSumExt,
    tokenizer: WordPieceTokenizer,
    documents: Sequence[Sequence[str]],
    *,
    batch_size: int = 16,
    bfloat16: bool = False,
    progress: bool = False,
) -> tuple[list[Tensor], list[list[int]]]:
    """The vectors that a head sees, to train it on: for every document one of each sentence, and
    which of its sentences they are.

    As published, a document is read up to the model's max_position_embeddings; later sentences have
    no vector. Documents of about the same length go through BERT together. `bfloat16` computes in
    it, where the processor has it at twice the speed. The model is put into eval mode and back.
    """
    with evaluating(model):
        encoded = [_encode(model, tokenizer, sentences) for sentences in documents]
        vectors: list[Tensor] = [torch.empty(0)] * len(encoded)
        by_length = sorted(range(len(encoded)), key=lambda i: len(encoded[i].input_ids))
        for start in tqdm(
            range(0, len(encoded), batch_size),
            desc="Reading",
            unit=" batches",
            disable=not progress,
        ):
            chosen = by_length[start : start + batch_size]
            batch = _batch(model, tokenizer, [encoded[i] for i in chosen])
            with _precision(model, bfloat16):
                found = model.sentence_vectors(**batch).float()  # [B, N, H]
            for i, row in zip(chosen, found, strict=True):
                vectors[i] = row[: len(encoded[i].sentences)].clone()  # [n, H], without padding
    return vectors, [document.sentences for document in encoded]


def train_head(
    head: SentenceHead,
    vectors: Sequence[Tensor],
    labels: Sequence[Sequence[float]],
    *,
    loss: str = "bce",
    epochs: int = 10,
    batch_size: int = 32,
    learning_rate: float = 1e-3,
    warmup: float = 0.1,
    seed: int = 0,
    progress: bool = False,
) -> list[float]:
    """Train a head on sentence vectors that stay as they are; returns each epoch's mean loss of a
    document.

    vectors     for every document those of its sentences, as `encode_sentences` gives them
    labels      for every document a number for each sentence: with loss "bce" between 0 and 1 (1 =
                belongs in the summary), with "listwise" how good a summary the sentence would be
    warmup      share of the steps over which the learning rate rises to its peak; then it falls to
    0

    AdamW, as in `minibert.training.optim`, on the batch's mean loss of a document (the original
    takes the sum, which Adam does not notice). The same seed gives the same head. The head is left
    in eval mode.

    Raises a ValueError for labels that do not fit the vectors.
    """
    if len(vectors) != len(labels):
        raise InputError(
            f"there are {len(vectors)} documents of vectors, but labels for {len(labels)}"
        )
    for number, (rows, of_document) in enumerate(zip(vectors, labels, strict=True)):
        if rows.dim() != 2 or len(rows) != len(of_document) or not len(rows):
            raise InputError(
                f"document {number} has vectors of the shape {list(rows.shape)} and "
                f"{len(of_document)} labels; "
                "wanted are [sentences, hidden], at least one sentence, and a label for each"
            )

    def logits(chosen: list[int]) -> tuple[Tensor, Tensor]:
        mask = _padded([torch.ones(len(vectors[i]), dtype=torch.bool) for i in chosen])  # [B, N]
        return head.logits(_padded([vectors[i] for i in chosen]), mask), mask  # [B, N]

    optimizers = make_optimizers(head, "adamw", learning_rate, learning_rate, WEIGHT_DECAY)
    head.train()
    lengths = [len(rows) for rows in vectors]
    run = _Run(logits, labels, lengths, optimizers, loss, epochs, batch_size, warmup, seed)
    losses = _fit(run, progress)
    head.eval()
    return losses


def train(
    model: BertSumExt,
    tokenizer: WordPieceTokenizer,
    documents: Sequence[Sequence[str]],
    labels: Sequence[Sequence[float]],
    *,
    loss: str = "bce",
    epochs: int = 2,
    batch_size: int = 16,
    learning_rate: float = 5e-5,
    head_learning_rate: float = 1e-3,
    layers: int | None = None,
    warmup: float = 0.1,
    seed: int = 0,
    bfloat16: bool = False,
    progress: bool = False,
) -> list[float]:
    """Train BERT and the head together on documents, each a list of sentences; the rest as
    `train_head`.

    learning_rate is BERT's peak, and head_learning_rate that of the head, which begins with
    nothing. `layers`: how many of BERT's layers learn, the last ones; None = all, and the
    embeddings. A document is read up to the model's max_position_embeddings; the labels of later
    sentences are left out. The model is left in eval mode.

    Raises a ValueError for labels that do not fit the sentences, or more layers than there are.
    """
    depth = len(model.bert.encoder.layer)
    if layers is not None and not 0 < layers <= depth:
        raise InputError(
            f"layers must lie between 1 and {depth}, or be None for all of BERT, not {layers}"
        )
    if [len(sentences) for sentences in documents] != [len(of_document) for of_document in labels]:
        raise InputError(
            "every sentence of every document wants one label: "
            f"{sum(map(len, documents))} sentences of {len(documents)} documents, "
            f"{sum(map(len, labels))} labels of {len(labels)}"
        )
    encoded = [_encode(model, tokenizer, sentences) for sentences in documents]
    labels = [
        [of_document[n] for n in document.sentences]
        for document, of_document in zip(encoded, labels, strict=True)
    ]

    def logits(chosen: list[int]) -> tuple[Tensor, Tensor]:
        batch = _batch(model, tokenizer, [encoded[i] for i in chosen])
        with _precision(model, bfloat16):
            out = model(**batch).logits.float()  # [B, N]
        return out, batch["sentence_mask"]

    learning = [model.bert] if layers is None else list(model.bert.encoder.layer[depth - layers :])
    optimizers = [
        optimizer
        for module in learning
        for optimizer in make_optimizers(
            module, "adamw", learning_rate, learning_rate, WEIGHT_DECAY
        )
    ]
    optimizers += make_optimizers(
        model.head, "adamw", head_learning_rate, head_learning_rate, WEIGHT_DECAY
    )
    model.requires_grad_(layers is None)
    for module in (*learning, model.head):
        module.train().requires_grad_()  # what does not learn stays in eval mode, without dropout
    lengths = [len(document.input_ids) for document in encoded]
    run = _Run(logits, labels, lengths, optimizers, loss, epochs, batch_size, warmup, seed)
    losses = _fit(run, progress)
    model.eval().requires_grad_()
    return losses


@dataclass(frozen=True)
class StepMetrics:
    """What one update did, as `minibert.training.loop.drive` wants it."""

    step: int  # of the whole run, counted from 1
    loss: float  # mean over the documents of the batch
    gradient_norm: float  # before clipping


class _Run:
    """A training run for `drive`; `logits` gives logits and mask of documents by number."""

    def __init__(
        self,
        logits: Callable[[list[int]], tuple[Tensor, Tensor]],
        labels: Sequence[Sequence[float]],
        lengths: list[int],
        optimizers: list[Optimizer],
        loss: str,
        epochs: int,
        batch_size: int,
        warmup: float,
        seed: int,
    ):
        if loss not in LOSSES:
            raise InputError(f"loss must be one of {', '.join(LOSSES)}, not {loss!r}")
        if not labels:
            raise InputError("there are no documents to learn from")
        self.logits, self.labels, self.lengths = logits, labels, lengths
        self.optimizers, self.loss, self.batch_size = optimizers, LOSSES[loss], batch_size
        self.epoch_steps = math.ceil(len(labels) / batch_size)
        self.step, self.steps = 0, epochs * self.epoch_steps
        self.warmup_steps = math.ceil(warmup * self.steps)
        self.order = torch.Generator().manual_seed(seed)
        self.batches: list[list[int]] = []  # of this epoch, those that are still to come
        self.means: list[float] = []  # of the epochs that are over
        self.total = 0.0  # of this epoch
        torch.manual_seed(seed)  # of dropout

    def train_step(self) -> StepMetrics:
        """Make one update on the next batch."""
        if not self.batches:
            self.batches = random_batches(self.lengths, self.batch_size, self.order)
        chosen = self.batches.pop(0)
        rate = learning_rate_schedule(self.step, self.steps, self.warmup_steps)
        set_learning_rate(self.optimizers, rate)
        found, mask = self.logits(chosen)  # [B, N], [B, N]
        wanted = _padded([torch.tensor(self.labels[i], dtype=torch.float32) for i in chosen])
        loss = self.loss(found, wanted.to(found.device), mask)
        torch.autograd.backward(loss / len(chosen))
        norm = update(self.optimizers, CLIP)
        self.step, total = self.step + 1, loss.item()
        self.total += total
        if not self.batches:
            self.means.append(self.total / len(self.labels))
            self.total = 0.0
        return StepMetrics(self.step, total / len(chosen), norm.item())


def _fit(run: _Run, progress: bool) -> list[float]:
    """Each epoch's mean loss of a document. Raises Diverged when the loss is NaN or infinite."""
    with tqdm(total=run.steps, desc="Training", unit=" steps", disable=not progress) as bar:

        def after_step(metrics: StepMetrics, seconds: float) -> bool:
            bar.update()
            if not run.batches:
                bar.set_postfix(loss=f"{run.means[-1]:.3f}")
            return True

        drive(run, after_step)
    return run.means


def _encode(
    model: BertSumExt, tokenizer: WordPieceTokenizer, sentences: Sequence[str]
) -> EncodedDocument:
    return encode_document(
        sentences, tokenizer, model.config.max_position_embeddings, segments=model.segments
    )


def _batch(
    model: BertSumExt, tokenizer: WordPieceTokenizer, documents: list[EncodedDocument]
) -> dict[str, Tensor]:
    device = next(model.parameters()).device
    return {
        name: tensor.to(device) for name, tensor in collate(documents, tokenizer.pad_id).items()
    }


def _precision(model: BertSumExt, bfloat16: bool) -> AbstractContextManager[object]:
    return (
        torch.autocast(next(model.parameters()).device.type, dtype=torch.bfloat16)
        if bfloat16
        else nullcontext()
    )


def _padded(rows: list[Tensor]) -> Tensor:
    return pad_sequence(rows, batch_first=True)  # [B, N] or [B, N, H]
