"""The fast form of the pretraining forward: the same modules and parameters as BertForPreTraining, called another way.

What it computes equals the readable model; where the time goes differs:

- the vocabulary is scored at the masked positions only, M rows of scores instead of B · S;
- nothing reads the last layer at the other positions, so there it computes keys and values only;
- queries, keys and values come from one matrix product, and in bfloat16 the whole residual stream is bfloat16
  (the weights stay float32: they are cast where they are used);
- on a CPU attention is written out: there PyTorch's fused kernel has a slow backward pass.
"""

import ctypes
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.encoder import BertLayer
from minibert.heads import IGNORE, BertForPreTraining, class_loss
from minibert.model import extended_mask

PRECISIONS = (torch.float32, torch.bfloat16, torch.float64)


@dataclass
class PretrainingSums:
    """Sums over a batch, so that batches and processes can be added up before anything is divided."""

    word_loss: Tensor           # scalar, float32 or float64: cross-entropy in nats, summed over the masked words
    words: Tensor               # scalar: how many words were masked
    word_hits: Tensor           # scalar: how many of them got the highest score
    pair_loss: Tensor           # scalar: cross-entropy in nats, summed over the pairs; 0 without their labels
    pairs: Tensor               # scalar: how many pairs have a label
    pair_hits: Tensor           # scalar: how many of them were classified correctly


@dataclass
class Wanted:
    """The R positions whose last hidden state is read: the M masked words, then [CLS] of each of the B rows.

    Attention needs them per row again: `place` says where each of them stands in a grid of B rows and K columns.
    """

    rows: Tensor                # [R], positions in B rows of S
    place: Tensor               # [R], positions in B rows of K
    size: int                   # K, the most that one row has

    def grid(self, flat: Tensor, batch: int) -> Tensor:
        """flat [R, …] -> [B, K, …], zeros where a row has fewer than K."""
        empty = flat.new_zeros(batch * self.size, *flat.shape[1:])              # [B · K, …]
        return empty.index_copy(0, self.place, flat).unflatten(0, (batch, self.size))       # [B, K, …]


class FastLayer(nn.Module):
    """One BertLayer, called the fast way; a module of its own, so that FSDP can wrap it."""

    def __init__(self, layer: BertLayer):
        super().__init__()
        self.layer = layer

    def forward(self, hidden: Tensor, bias: Tensor | None = None, empty: Tensor | None = None,
                wanted: Wanted | None = None) -> Tensor:
        """hidden [B, S, H] -> [B, S, H], or [R, H] at the `wanted` positions only.

        bias  [B, 1, 1 or S, S]: 0 where a query may look at a key, minus infinity elsewhere
        empty [B, 1, 1 or S, 1]: True for a query that may look at nothing; it gets the mean of all values
        """
        attention, heads = self.layer.attention, self.layer.attention.self.num_heads
        batch = hidden.size(0)
        inner = _norm(attention.output.LayerNorm, hidden) if self.layer.norm_first else hidden      # [B, S, H]
        query, key, value = self._project(inner, wanted)                        # [B, S or K, H], 2 · [B, S, H]
        if wanted is not None:
            hidden = hidden.flatten(0, 1).index_select(0, wanted.rows)          # [R, H]
            bias, empty = (_rows_of(mask, wanted, batch) for mask in (bias, empty))     # [B, 1, 1 or K, S or 1]
        query, key, value = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (query, key, value))  # [B, A, S or K, D], 2 · [B, A, S, D]
        if empty is not None:
            query = query.masked_fill(empty, 0.0)                               # [B, A, S or K, D]
        dropout = attention.self.dropout_prob if self.layer.training else 0.0
        mixed = _attend(query, key, value, bias, dropout).transpose(1, 2).flatten(2)        # [B, S or K, H]
        if wanted is not None:
            mixed = mixed.flatten(0, 1).index_select(0, wanted.place)           # [R, H]
        hidden = self._close(attention.output, mixed, hidden)                   # [B, S, H] or [R, H]
        inner = _norm(self.layer.output.LayerNorm, hidden) if self.layer.norm_first else hidden     # [B, S, H] or [R, H]
        wide = self.layer.intermediate.activation(_linear(self.layer.intermediate.dense, inner))    # [B, S, I] or [R, I]
        return self._close(self.layer.output, wide, hidden)                     # [B, S, H] or [R, H]

    def _project(self, inner: Tensor, wanted: Wanted | None) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, already divided by √D, keys and values; all in one matrix product where all are needed everywhere."""
        this = self.layer.attention.self
        scale = 1 / math.sqrt(inner.size(-1) // this.num_heads)
        maps = [(this.query.weight * scale, this.query.bias * scale),
                (this.key.weight, this.key.bias), (this.value.weight, this.value.bias)]
        if wanted is None:
            return _joint_linear(maps, inner)                                   # 3 · [B, S, H]
        asking = inner.flatten(0, 1).index_select(0, wanted.rows)               # [R, H]
        query, = _joint_linear(maps[:1], asking)                                # [R, H]
        return wanted.grid(query, inner.size(0)), *_joint_linear(maps[1:], inner)           # [B, K, H], 2 · [B, S, H]

    def _close(self, output: nn.Module, x: Tensor, residual: Tensor) -> Tensor:
        """Linear map, dropout, residual connection, norm: BertSelfOutput or BertOutput."""
        out = residual + output.dropout(_linear(output.dense, x))               # [B, S, H] or [R, H]
        return out if self.layer.norm_first else _norm(output.LayerNorm, out)   # [B, S, H] or [R, H]


class FastPreTraining(nn.Module):
    """A BertForPreTraining whose forward gives the sums that training needs, the fast way.

    It holds the modules of `model`, not copies: gradients arrive at the parameters of `model`, and what is saved is
    `model`. DDP wraps it as it is; FSDP wraps every one of `layers`, then the whole.
    """

    def __init__(self, model: BertForPreTraining, precision: torch.dtype = torch.float32):
        super().__init__()
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(map(str, PRECISIONS))}, not {precision}")
        self.precision = precision
        self.check_ids = model.bert._check_ids
        self.embeddings = model.bert.embeddings
        self.layers = nn.ModuleList(FastLayer(layer) for layer in model.bert.encoder.layer)
        self.norm = model.bert.encoder.norm if model.config.norm_first else None
        self.pooler = model.bert.pooler
        self.heads = model.cls

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None, attention_mask: Tensor | None, labels: Tensor,
                next_sentence_label: Tensor | None = None, position_ids: Tensor | None = None) -> PretrainingSums:
        """The arguments of BertForPreTraining, with the same checks."""
        self.check_ids(input_ids, token_type_ids, position_ids)
        if labels.shape != input_ids.shape:
            raise ValueError(f"labels must have the shape {list(input_ids.shape)} of input_ids, not {list(labels.shape)}")
        masked = labels.flatten() != IGNORE                                     # [B · S]
        wanted = _find_wanted(masked.view_as(labels))
        words = int(masked.sum())                                               # M
        bias, empty = _bias(extended_mask(attention_mask, input_ids), self.precision)
        hidden = self.embeddings(input_ids, token_type_ids, position_ids).to(self.precision)  # [B, S, H]
        for layer in self.layers[:-1]:
            hidden = layer(hidden, bias, empty)                                 # [B, S, H]
        hidden = self.layers[-1](hidden, bias, empty, wanted)                   # [R, H]
        if self.norm is not None:
            hidden = _norm(self.norm, hidden)                                   # [R, H]
        word_scores = self._word_scores(hidden[:words])                         # [M, V]
        word_sums = _loss_and_hits(word_scores, labels.flatten()[masked], "labels")
        if next_sentence_label is None:
            zero = word_sums[0].new_zeros(())
            return PretrainingSums(*word_sums, zero, *word_sums[1].new_zeros(2))
        pooled = _linear(self.pooler.dense, hidden[words:]).tanh()              # [B, H]
        pair_scores = _linear(self.heads.seq_relationship, pooled)              # [B, 2]
        return PretrainingSums(*word_sums, *_loss_and_hits(pair_scores, next_sentence_label, "next_sentence_label"))

    def _word_scores(self, hidden: Tensor) -> Tensor:
        """[M, H] -> [M, V]: PredictionTransform, then the word table."""
        head, table = self.heads.predictions, self.embeddings.word_embeddings.weight
        inner = head.transform.activation(_linear(head.transform.dense, hidden))            # [M, H]
        inner = _norm(head.transform.LayerNorm, inner)                          # [M, H]
        return F.linear(inner, table.to(inner.dtype), head.bias.to(inner.dtype))            # [M, V]


def pretraining_sums(model: BertForPreTraining, input_ids: Tensor, token_type_ids: Tensor | None,
                     attention_mask: Tensor | None, labels: Tensor, next_sentence_label: Tensor | None = None,
                     precision: torch.dtype = torch.float32, position_ids: Tensor | None = None) -> PretrainingSums:
    """FastPreTraining in one call."""
    return FastPreTraining(model, precision)(input_ids, token_type_ids, attention_mask, labels, next_sentence_label, position_ids)


def keep_freed_memory() -> None:
    """Ask the C library to keep the memory that large tensors give back, instead of returning it to the system.

    Every step needs about the same amount again, and fetching it page by page costs time. Linux with glibc; elsewhere, and
    when it is called twice, nothing happens.
    """
    if mallopt := _c_library("mallopt"):
        for option, value in ((-4, 0), (-1, 2 ** 31 - 1), (-2, 2 ** 26)):       # M_MMAP_MAX, M_TRIM_THRESHOLD, M_TOP_PAD
            mallopt(option, value)


def return_freed_memory() -> None:
    """Return to the system what `keep_freed_memory` keeps and no tensor uses at this moment, about a fifth of a second's work.

    No two steps mask equally many words. Among memory that is never returned, gaps of the wrong size then add up: a
    run of hours would come to hold several times what a step needs. Linux with glibc; elsewhere nothing happens.
    """
    if malloc_trim := _c_library("malloc_trim"):
        malloc_trim(0)


def _c_library(name: str) -> Callable[..., int] | None:
    """A function of glibc by its name; None elsewhere."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None


def _find_wanted(masked: Tensor) -> Wanted:
    """masked [B, S], True = a word is predicted here."""
    batch, length = masked.shape
    row, column = masked.nonzero(as_tuple=True)                                 # [M], [M]
    per_row = masked.sum(1)                                                     # [B]
    rank = torch.arange(row.numel(), device=row.device) - (per_row.cumsum(0) - per_row)[row]        # [M] from 0 in every row
    each = torch.arange(batch, device=row.device)                               # [B]
    size = int(per_row.max()) + 1
    return Wanted(rows=torch.cat((row * length + column, each * length)),       # [R]
                  place=torch.cat((row * size + rank, each * size + per_row)), size=size)           # [R]


def _bias(mask: Tensor | None, dtype: torch.dtype) -> tuple[Tensor | None, Tensor | None]:
    """A mask [B, 1, 1 or S, S] as numbers to add to the scores, and the queries that may look at nothing, None if there are none.

    As in `attend`: such a query gets equal scores everywhere.
    """
    if mask is None or mask.all():
        return None, None
    empty = ~mask.any(dim=-1, keepdim=True)                                     # [B, 1, 1 or S, 1]
    bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)             # [B, 1, 1 or S, S]
    return bias.masked_fill(~(mask | empty), -math.inf), empty if empty.any() else None             # [B, 1, 1 or S, S], [B, 1, 1 or S, 1]


def _rows_of(mask: Tensor | None, wanted: Wanted, batch: int) -> Tensor | None:
    """mask [B, 1, S or 1, S or 1] -> [B, 1, K or 1, S or 1], at the wanted queries; what holds for all of them stays."""
    if mask is None or mask.size(2) == 1:
        return mask
    return wanted.grid(mask.flatten(0, 2).index_select(0, wanted.rows), batch)[:, None]             # [B, 1, K, S or 1]


def _attend(query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, dropout: float) -> Tensor:
    """softmax(Q K^T + bias) V for queries that are already divided by √D: [B, A, S or K, D]."""
    if query.is_cuda:
        return F.scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=dropout, scale=1.0)
    scores = query @ key.transpose(-2, -1)                                      # [B, A, S or K, S]
    if bias is not None:
        scores = scores + bias                                                  # [B, A, S or K, S]
    weights = scores.softmax(dim=-1)                                            # [B, A, S or K, S]
    return (F.dropout(weights, dropout) if dropout else weights) @ value        # [B, A, S or K, D]


def _linear(dense: nn.Linear, x: Tensor) -> Tensor:
    return F.linear(x, dense.weight.to(x.dtype), dense.bias.to(x.dtype))        # […, outputs]


def _joint_linear(maps: list[tuple[Tensor, Tensor]], x: Tensor) -> tuple[Tensor, ...]:
    """Several linear maps (weight, bias) of the same x in one matrix product."""
    weights, biases = zip(*maps)
    return F.linear(x, torch.cat(weights).to(x.dtype), torch.cat(biases).to(x.dtype)).chunk(len(maps), dim=-1)      # […, outputs] each


def _norm(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    """LayerNorm with its own float32 weights; in bfloat16 CPUs take the mixture as it is, GPUs do not."""
    if x.is_cuda:
        return norm(x.to(norm.weight.dtype)).to(x.dtype)
    return norm(x)                                                              # […, H]


def _loss_and_hits(logits: Tensor, labels: Tensor, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """Summed cross-entropy of logits [rows, classes] against labels [rows], how many of these count, how many are right."""
    if logits.dtype == torch.bfloat16:
        logits = logits.float()
    mean = class_loss(logits, labels, name)
    counted = (labels != IGNORE).sum()
    return mean * counted, counted, (logits.detach().argmax(dim=-1) == labels).sum()
