"""The models that the speed benchmarks compare, and what one training step of each is.

All get the same shape, and batches of the same kind. `careful` and `default` are `transformers` as a careful user sets it
up and as it comes.
"""

import ctypes
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
import transformers
from torch import Tensor, nn

from minibert import BertConfig, BertForPreTraining
from minibert.pretraining.fused import FusedPreTraining
from minibert.training.memory import keep_freed_memory
from minibert.training.optim import make_optimizers

Batch = dict[str, Tensor]
CLIP = 1.0  # largest norm of all gradients together, for all


def config(
    layers: int, hidden: int, vocab: int, dropout: float = 0.0, positions: int = 128, **changes
) -> BertConfig:
    """A small BERT's shape, with heads 64 wide and 128 positions."""
    return BertConfig(
        vocab_size=vocab,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=hidden // 64,
        intermediate_size=4 * hidden,
        max_position_embeddings=positions,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        **changes,
    )


def peer(shape: BertConfig, attention: str = "sdpa") -> transformers.BertForPreTraining:
    """`transformers`' BertForPreTraining of the same shape."""
    values = shape.to_dict()
    for name in ("position_embedding_type", "norm_first"):
        del values[name]
    return transformers.BertForPreTraining(
        transformers.BertConfig(**values, attn_implementation=attention)
    )


class PlainEncoder(nn.Module):
    """What one writes with PyTorch alone: embeddings, nn.TransformerEncoder, two linear heads on all positions."""

    def __init__(self, shape: BertConfig):
        super().__init__()
        self.words = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.segments = nn.Embedding(2, shape.hidden_size)
        self.positions = nn.Embedding(shape.max_position_embeddings, shape.hidden_size)
        self.norm = nn.LayerNorm(shape.hidden_size)
        layer = nn.TransformerEncoderLayer(
            shape.hidden_size,
            shape.num_attention_heads,
            shape.intermediate_size,
            shape.hidden_dropout_prob,
            "gelu",
            batch_first=True,
        )
        self.encoder = nn.TransformerEncoder(
            layer, shape.num_hidden_layers, enable_nested_tensor=False
        )
        self.decoder = nn.Linear(shape.hidden_size, shape.vocab_size)
        self.pairs = nn.Linear(shape.hidden_size, 2)

    def forward(self, batch: Batch) -> Tensor:
        """The loss of a batch, a scalar."""
        ids = batch["input_ids"]
        x = (
            self.words(ids)
            + self.segments(batch["token_type_ids"])
            + self.positions(torch.arange(ids.size(1), device=ids.device))
        )  # [B, S, H]
        x = self.encoder(self.norm(x), src_key_padding_mask=~batch["attention_mask"])  # [B, S, H]
        words = F.cross_entropy(self.decoder(x).flatten(0, 1), batch["labels"].flatten())
        return words + F.cross_entropy(self.pairs(x[:, 0]), batch["next_sentence_label"])


@dataclass
class Contestant:
    """A model in training: one step is the loss, its gradients, clipping and an update."""

    model: nn.Module
    loss: Callable[[Batch], Tensor]
    optimizers: list[torch.optim.Optimizer]
    keeps_memory: bool = (
        True  # whether the C library keeps freed memory, as `keep_freed_memory` asks it to
    )

    def step(self, batch: Batch) -> float:
        """One step, and its loss; it waits for a GPU."""
        return self.update(batch).item()

    def update(self, batch: Batch) -> Tensor:
        """One step, and its loss as a scalar on the model's device; it does not wait for a GPU."""
        loss = self.loss(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad()
        return loss.detach()


def ours(
    shape: BertConfig,
    optimizer: str = "adamw",
    precision: torch.dtype = torch.bfloat16,
    rates: tuple[float, float] = (1e-3, 4e-3),
    device: str = "cpu",
) -> Contestant:
    """minibert: the fast forward, bfloat16, fused AdamW or Muon. Its batches stay on the CPU."""
    model = BertForPreTraining(shape).to(device)
    loss = mean_loss(FusedPreTraining(model, precision))
    return Contestant(model, loss, make_optimizers(model, optimizer, *rates, weight_decay=0.01))


def mean_loss(fast: FusedPreTraining) -> Callable[[Batch], Tensor]:
    """The loss of a batch by the fast forward: a mean over masked tokens plus a mean over pairs."""

    def loss(batch: Batch) -> Tensor:
        sums = fast(**batch)
        return sums.mlm_loss / sums.mlm_count + sums.nsp_loss / sums.nsp_count

    return loss


def careful(
    shape: BertConfig,
    optimizer: str = "adamw",
    attention: str = "sdpa",
    rates: tuple[float, float] = (1e-3, 4e-3),
    device: str = "cpu",
) -> Contestant:
    """`transformers` as a careful user sets it up: bfloat16 by autocast, no dropout, a fused optimiser, full rows.

    It has the same groups of parameters, and freed memory is kept for it too. `attention` "sdpa" is what it chooses by
    itself; "eager" is faster on a CPU in bfloat16, which its documentation does not say. Its batches have to be on `device`.
    """
    model = peer(shape, attention).to(device)

    def loss(batch: Batch) -> Tensor:
        with torch.autocast(torch.device(device).type, torch.bfloat16):
            return model(**batch).loss

    return Contestant(model, loss, make_optimizers(model, optimizer, *rates, weight_decay=0.01))


def default(shape: BertConfig) -> Contestant:
    """`transformers` as it comes: float32, dropout 0.1, AdamW with no argument but the learning rate."""
    model = peer(shape)
    return Contestant(
        model,
        lambda batch: model(**batch).loss,
        [torch.optim.AdamW(model.parameters(), lr=1e-3)],
        keeps_memory=False,
    )


def plain(shape: BertConfig) -> Contestant:
    """nn.TransformerEncoder, float32, dropout 0.1, AdamW with no argument but the learning rate."""
    model = PlainEncoder(shape)
    return Contestant(
        model, model, [torch.optim.AdamW(model.parameters(), lr=1e-3)], keeps_memory=False
    )


def set_allocator(keeps_memory: bool) -> None:
    """Keep freed memory, or do what glibc by itself comes to after the first large tensors were freed."""
    if keeps_memory:
        keep_freed_memory()
    elif sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        # M_MMAP_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_TOP_PAD: malloc(3), the dynamic threshold at its upper end
        for option, value in ((-4, 65536), (-3, 32 << 20), (-1, 64 << 20), (-2, 128 << 10)):
            libc.mallopt(option, value)


def random_batch(
    vocab: int, rows: int, length: int, fill: list[int] | None, seed: int, rate: float = 0.15
) -> Batch:
    """Random words, `rate` of them with a label; row i has fill[i % len(fill)] real tokens, all have without `fill`."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, vocab, (rows, length), generator=generator)  # [B, S]
    lengths = (
        torch.full((rows,), length)
        if fill is None
        else torch.tensor([fill[i % len(fill)] for i in range(rows)])
    )  # [B]
    real = torch.arange(length) < lengths[:, None]  # [B, S]
    chosen = real & (torch.rand(rows, length, generator=generator) < rate)  # [B, S]
    batch = {
        "input_ids": ids * real,
        "token_type_ids": (torch.arange(length) >= lengths[:, None] // 2).long() * real,
        "labels": torch.where(chosen, ids, -100),
        "next_sentence_label": torch.randint(2, (rows,), generator=generator),
    }
    return batch | {"attention_mask": real if fill else None}


def even_lengths(length: int, fill: float) -> list[int]:
    """32 row lengths spread evenly around `fill` · `length`, none above `length`."""
    spread = math.floor(min(fill, 1 - fill) * length)
    return [round(fill * length + spread * (2 * i / 31 - 1)) for i in range(32)]
