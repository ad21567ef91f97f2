"""Train BertSum: a head alone on fixed sentence vectors (seconds), or BERT and the head together
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

from minibert.config import InputError, check_size
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
    """Compute the sentence vectors of documents, to train a head on them.

    Returns two lists with an entry per document: the sentence vectors (n × H), and the indices of
    the n sentences they belong to. As published, a document is read up to the model's
    max_position_embeddings; later sentences have no vector. Documents of similar length are batched
    together. `bfloat16` runs BERT in that precision, which can be twice as fast on hardware that
    supports it. The model runs in eval mode and gets its previous mode back.
    """
    check_size("batch_size", batch_size)
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
    """Train a head on fixed sentence vectors; return the mean loss per document of each epoch.

    vectors     for each document, its sentence vectors, as returned by `encode_sentences`
    labels      for each document, a number per sentence: with loss "bce" between 0 and 1 (1 =
                belongs in the summary), with "listwise" how good a summary the sentence would be
    warmup      share of the steps over which the learning rate rises to its peak, before it decays
                to 0

    The optimizer is AdamW (see `minibert.training.optim`), and a step minimises the mean loss per
    document of its batch. The original uses the sum, but Adam is invariant to that scale. The same
    seed gives the same head. The head is left in eval mode.

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
                f"{len(of_document)} labels; expected [sentences, hidden] with at least one "
                "sentence, and a label for each"
            )

    def logits(chosen: list[int]) -> tuple[Tensor, Tensor]:
        mask = _padded([torch.ones(len(vectors[i]), dtype=torch.bool) for i in chosen])  # [B, N]
        return head.logits(_padded([vectors[i] for i in chosen]), mask), mask  # [B, N]

    optimizers = make_optimizers(head, "adamw", learning_rate, learning_rate, WEIGHT_DECAY)
    lengths = [len(rows) for rows in vectors]
    run = _Run(logits, labels, lengths, optimizers, loss, epochs, batch_size, warmup, seed)
    head.train()
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
    """Train BERT and the head together on documents, each a list of sentences.

    `learning_rate` is the peak rate of BERT, and `head_learning_rate` that of the head, which is
    usually untrained. Only the last `layers` layers of BERT are trained; None trains all of them
    and the embeddings. A document is read up to the model's max_position_embeddings, and labels of
    later sentences are ignored. The model is left in eval mode. The other arguments and the
    returned losses are those of `train_head`.

    Raises a ValueError for labels that do not fit the sentences, or for more layers than BERT has.
    """
    depth = len(model.bert.encoder.layer)
    if layers is not None and not 0 < layers <= depth:
        raise InputError(
            f"layers must lie between 1 and {depth}, or be None for all of BERT, not {layers}"
        )
    if [len(sentences) for sentences in documents] != [len(of_document) for of_document in labels]:
        raise InputError(
            "every sentence of every document needs one label: "
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
    lengths = [len(document.input_ids) for document in encoded]
    run = _Run(logits, labels, lengths, optimizers, loss, epochs, batch_size, warmup, seed)
    model.requires_grad_(layers is None)
    for module in (*learning, model.head):
        module.train().requires_grad_()  # frozen parts stay in eval mode, without dropout
    losses = _fit(run, progress)
    model.eval().requires_grad_()
    return losses


@dataclass(frozen=True)
class StepMetrics:
    """The metrics of one update, as `minibert.training.loop.drive` expects them."""

    step: int  # of the whole run, counted from 1
    loss: float  # mean over the documents of the batch
    gradient_norm: float  # before clipping


class _Run:
    """A training run for `drive`; `logits` maps document indices to logits and a mask."""

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
        check_size("batch_size", batch_size)
        check_size("epochs", epochs)
        if loss not in LOSSES:
            raise InputError(f"loss must be one of {', '.join(LOSSES)}, not {loss!r}")
        if not labels:
            raise InputError("there are no documents to train on")
        self.logits, self.labels, self.lengths = logits, labels, lengths
        self.optimizers, self.loss, self.batch_size = optimizers, LOSSES[loss], batch_size
        self.epoch_steps = math.ceil(len(labels) / batch_size)
        self.step, self.steps = 0, epochs * self.epoch_steps
        # the last step is never one of the warm-up, whose first has a rate of 0
        self.warmup_steps = min(math.ceil(warmup * self.steps), self.steps - 1)
        self.order = torch.Generator().manual_seed(seed)
        self.batches: list[list[int]] = []  # the remaining batches of this epoch
        self.means: list[float] = []  # the mean loss of each finished epoch
        self.total = 0.0  # the loss of this epoch so far
        self.seed = seed

    def train_step(self) -> StepMetrics:
        """Make one update on the next batch."""
        if not self.batches:
            self.batches = random_batches(self.lengths, self.batch_size, self.order)
        chosen = self.batches.pop(0)
        rate = learning_rate_schedule(self.step, self.steps, self.warmup_steps)
        set_learning_rate(self.optimizers, rate)
        logits, mask = self.logits(chosen)  # [B, N], [B, N]
        labels = _padded([torch.tensor(self.labels[i], dtype=torch.float32) for i in chosen])
        loss = self.loss(logits, labels.to(logits.device), mask)
        torch.autograd.backward(loss / len(chosen))
        norm = update(self.optimizers, CLIP)
        self.step, total = self.step + 1, loss.item()
        self.total += total
        if not self.batches:
            self.means.append(self.total / len(self.labels))
            self.total = 0.0
        return StepMetrics(self.step, total / len(chosen), norm.item())


def _fit(run: _Run, progress: bool) -> list[float]:
    """The mean loss per document of each epoch. Raises Diverged where it is NaN or infinite."""
    with tqdm(total=run.steps, desc="Training", unit=" steps", disable=not progress) as bar:

        def after_step(metrics: StepMetrics, seconds: float) -> bool:
            bar.update()
            if not run.batches:
                bar.set_postfix(loss=f"{run.means[-1]:.3f}")
            return True

        device = run.optimizers[0].param_groups[0]["params"][0].device
        # the global random numbers are afterwards as they were before
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            torch.manual_seed(run.seed)  # for dropout
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
