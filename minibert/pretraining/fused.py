"""The forward pass of pretraining, rearranged for speed.

It uses the modules and parameters of BertForPreTraining, and its result is the same. What differs:

- the vocabulary is scored at the M masked positions only, not at all B · S;
- the last layer computes keys and values everywhere, the rest only where a head reads it;
- queries, keys and values come from one matrix product, and in bfloat16 the whole residual stream
  is bfloat16 (the weights stay float32 and are cast where they are used);
- on a CPU attention is written out: the backward pass of PyTorch's fused kernel is slow there;
- decisions that depend on the values of a batch are made where the batch is. With a batch on the
  CPU the forward pass never waits for a GPU.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.attention import extended_mask
from minibert.config import IGNORE, InputError
from minibert.embeddings import check_inputs
from minibert.encoder import BertLayer
from minibert.heads import BertForPreTraining
from minibert.heads.base import check_classes, whole_labels
from minibert.model import BertPooler
from minibert.pretraining.fused_layer import (
    FusedLayer,
    QueryPositions,
    layer_norm,
    linear,
    send,
)

PRECISIONS = (torch.float32, torch.bfloat16, torch.float64)
SUMS = ("mlm_loss", "mlm_count", "mlm_correct", "nsp_loss", "nsp_count", "nsp_correct")


@dataclass
class PretrainingSums:
    """Sums over a batch, not means, so that batches and processes can be added up."""

    mlm_loss: Tensor  # scalar, float32 or float64: cross-entropy in nats, over masked tokens
    mlm_count: Tensor  # scalar: masked tokens
    mlm_correct: Tensor  # scalar: masked tokens whose true id got the highest score
    nsp_loss: Tensor  # scalar: cross-entropy in nats, over the pairs; 0 without labels
    nsp_count: Tensor  # scalar: pairs with a label
    nsp_correct: Tensor  # scalar: pairs that were classified correctly


def stack_sums(sums: PretrainingSums) -> Tensor:
    """The six sums in the order of SUMS, without gradients, on their device: [6]."""
    return torch.stack([getattr(sums, name).detach() for name in SUMS])


def add_sums(stacked: Tensor) -> Tensor:
    """The totals of stacked sums, in float64 on the CPU: the one wait for the device."""
    totals = torch.zeros(len(SUMS), dtype=torch.float64)
    for row in stacked.cpu().double():
        totals += row
    return totals


class FusedPreTraining(nn.Module):
    """A BertForPreTraining whose forward pass returns the sums that training needs.

    It holds the modules of `model`, not copies: gradients arrive at the parameters of `model`, and
    `model` is what is saved. DDP wraps it whole; FSDP wraps each of `layers`, then the whole.
    """

    def __init__(self, model: BertForPreTraining, precision: torch.dtype = torch.float32) -> None:
        super().__init__()
        if precision not in PRECISIONS:
            raise InputError(
                f"precision must be one of {', '.join(map(str, PRECISIONS))}, not {precision}"
            )
        self.precision = precision
        self.check_ids = partial(check_inputs, model.config)
        self.embeddings = model.bert.embeddings
        layers: Iterable[BertLayer] = model.bert.encoder.layer  # type: ignore[assignment]
        self.layers = nn.ModuleList(FusedLayer(layer) for layer in layers)
        self.norm = model.bert.encoder.norm if model.config.norm_first else None
        assert model.bert.pooler is not None  # a BertForPreTraining always has one
        self.pooler: BertPooler = model.bert.pooler
        self.heads = model.cls

    def forward(
        self,
        input_ids: Tensor,
        *,
        labels: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
        next_sentence_label: Tensor | None = None,
    ) -> PretrainingSums:
        """The arguments of BertForPreTraining, on the CPU or the model's device, with its checks.

        Raises an InputError for ids, masks or labels that BertForPreTraining would refuse.
        """
        self.check_ids(input_ids, token_type_ids, position_ids)
        if labels.shape != input_ids.shape:
            raise InputError(
                f"labels must have the shape {list(input_ids.shape)} of input_ids, "
                f"not {list(labels.shape)}"
            )
        table = self.embeddings.word_embeddings.weight  # [V, H]
        device = table.device
        labels = whole_labels("labels", labels)  # [B, S]
        masked = labels != IGNORE  # [B, S]
        mlm_labels = labels[masked]  # [M]
        check_classes("labels", mlm_labels, len(table))
        if next_sentence_label is not None:
            next_sentence_label = whole_labels("next_sentence_label", next_sentence_label)  # [B]
            _check_pairs(next_sentence_label, len(input_ids))
        queries = QueryPositions.find(masked).to(device)
        bias, empty = attention_bias(extended_mask(attention_mask, input_ids), self.precision)

        ids, segments, positions = (
            None if tensor is None else send(tensor, device)
            for tensor in (input_ids, token_type_ids, position_ids)
        )
        bias, empty = (None if mask is None else send(mask, device) for mask in (bias, empty))
        embedded = self.embeddings(
            ids, token_type_ids=segments, position_ids=positions
        )  # [B, S, H]
        hidden = embedded.to(self.precision)  # [B, S, H]
        for layer in self.layers[:-1]:
            hidden = layer(hidden, bias, empty)  # [B, S, H]
        hidden = self.layers[-1](hidden, bias, empty, queries)  # [R, H]
        if self.norm is not None:
            hidden = layer_norm(self.norm, hidden)  # [R, H]
        mlm_count = len(mlm_labels)  # M
        mlm_scores = self._mlm_scores(hidden[:mlm_count])  # [M, V]
        mlm_sums = _sums(mlm_scores, send(mlm_labels, device))
        if next_sentence_label is None:
            zero = mlm_sums[0].new_zeros(())
            return PretrainingSums(*mlm_sums, zero, *mlm_sums[1].new_zeros(2))
        pooled = linear(self.pooler.dense, hidden[mlm_count:]).tanh()  # [B, H]
        nsp_scores = linear(self.heads.seq_relationship, pooled)  # [B, 2]
        return PretrainingSums(*mlm_sums, *_sums(nsp_scores, send(next_sentence_label, device)))

    def _mlm_scores(self, hidden: Tensor) -> Tensor:
        """[M, H] -> [M, V]: PredictionTransform, then the table of word embeddings."""
        head, table = self.heads.predictions, self.embeddings.word_embeddings.weight
        inner = head.transform.activation(linear(head.transform.dense, hidden))  # [M, H]
        inner = layer_norm(head.transform.LayerNorm, inner)  # [M, H]
        return F.linear(inner, table.to(inner.dtype), head.bias.to(inner.dtype))  # [M, V]


def pretraining_sums(
    model: BertForPreTraining,
    input_ids: Tensor,
    *,
    labels: Tensor,
    attention_mask: Tensor | None = None,
    token_type_ids: Tensor | None = None,
    position_ids: Tensor | None = None,
    next_sentence_label: Tensor | None = None,
    precision: torch.dtype = torch.float32,
) -> PretrainingSums:
    """FusedPreTraining in one call."""
    sums: PretrainingSums = FusedPreTraining(model, precision)(
        input_ids,
        labels=labels,
        attention_mask=attention_mask,
        token_type_ids=token_type_ids,
        position_ids=position_ids,
        next_sentence_label=next_sentence_label,
    )
    return sums


def attention_bias(mask: Tensor | None, dtype: torch.dtype) -> tuple[Tensor | None, Tensor | None]:
    """A mask [B, 1, 1 or S, S] as numbers to add to the scores, and the queries without any key.

    Both are None where they would change nothing. A query without keys gets equal scores
    everywhere, as in `minibert.attention.attend`.
    """
    if mask is None or mask.all():
        return None, None
    empty = ~mask.any(dim=-1, keepdim=True)  # [B, 1, 1 or S, 1]
    bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)  # [B, 1, 1 or S, S]
    bias = bias.masked_fill(~(mask | empty), -math.inf)  # [B, 1, 1 or S, S]
    return bias, empty if empty.any() else None


def _check_pairs(labels: Tensor, batch: int) -> None:
    """Raise an InputError for next-sentence labels that are not (B) zeros and ones, or IGNORE."""
    if labels.shape != (batch,):
        raise InputError(
            f"next_sentence_label must have the shape {[batch]}, not {list(labels.shape)}"
        )
    check_classes("next_sentence_label", labels, 2)


def _sums(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The summed cross-entropy, how many labels count, and how many are predicted correctly."""
    if logits.dtype == torch.bfloat16:
        logits = logits.float()
    loss = F.cross_entropy(logits, labels.long(), ignore_index=IGNORE, reduction="sum")
    counted = (labels != IGNORE).sum()
    return loss, counted, (logits.detach().argmax(dim=-1) == labels).sum()
