"""Attention: every token looks at every other and takes from each as much as it matters.

All masks here are boolean and mean one thing: True = may be looked at. They broadcast over the
heads, and over the queries where all of these may look at the same keys.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig, InputError
from minibert.embeddings import values_are_readable


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention, the readable form.

    Vaswani et al. 2017, equation 1:  softmax(Q K^T / √D) V, over the keys.

    query [B, A, S, D], key and value [B, A, T, D] (T may differ from S). The mask is boolean and
    broadcasts to the shape of the weights: True = may be attended to.

    Returns the mixed values [B, A, S, D] and the weights [B, A, S, T] as they are *before* dropout:
    each row of them sums to 1. A query with nothing to attend to gets the mean of all values.
    """
    query, mask = _open_empty_rows(query, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # [B, A, S, T]
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)  # [B, A, S, T]
    weights = scores.softmax(dim=-1)  # [B, A, S, T], rows sum to 1
    mixed = F.dropout(weights, dropout) if dropout else weights  # [B, A, S, T]
    return mixed @ value, weights  # [B, A, S, D], [B, A, S, T]


def fused_attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> Tensor:
    """The same as `attend` in one call of PyTorch, which never keeps the weights: [B, A, S, D]."""
    query, mask = _open_empty_rows(query, mask)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)


def _open_empty_rows(query: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """Give a query that may look at nothing equal weights on everything.

    A softmax of nothing would be NaN.

    Its row of the mask is opened and its query set to zero, so all its scores are 0, in every
    precision.
    """
    if mask is None:
        return query, None
    empty = ~mask.any(dim=-1, keepdim=True)  # [B or 1, A or 1, S or 1, 1]
    return query.masked_fill(
        empty, 0.0
    ), mask | empty  # [B, A, S, D], [B or 1, A or 1, S or 1, T or 1]


def extended_mask(attention_mask: Tensor | None, input_ids: Tensor) -> Tensor | None:
    """A mask over tokens as attention needs it.

    Boolean, True = may be attended to, broadcasting over heads.

    attention_mask [B, S] or boolean [B, S, S] -> [B, 1, 1, S] or [B, 1, S, S]; the first where
    every query sees the same keys. None stays None. Of input_ids [B, S] only the shape is used.
    """
    if attention_mask is None:
        return None
    if not isinstance(attention_mask, Tensor):
        raise InputError(f"attention_mask must be a tensor, not a {type(attention_mask).__name__}")
    batch, length = input_ids.shape
    shape = list(attention_mask.shape)
    if attention_mask.dim() == 3 and shape == [batch, length, length]:
        if attention_mask.dtype != torch.bool:
            raise InputError(
                f"attention_mask of shape {shape} must be boolean (True = may attend), "
                f"not {attention_mask.dtype}"
            )
        return attention_mask[:, None]  # [B, 1, S, S]
    if shape != [batch, length]:
        raise InputError(
            f"attention_mask must have the shape {[batch, length]} of input_ids, "
            f"or {[batch, length, length]}, not {shape}"
        )
    if attention_mask.dtype.is_floating_point or attention_mask.dtype.is_complex:
        raise InputError(
            f"attention_mask must be boolean or whole numbers, 1 = real token and 0 = padding, "
            f"not {attention_mask.dtype}"
        )
    if attention_mask.dtype != torch.bool and values_are_readable(attention_mask):
        low, high = int(attention_mask.min()), int(attention_mask.max())
        if low < 0 or high > 1:
            raise InputError(
                f"attention_mask holds values from {low} to {high}; "
                "it may hold 1 (real token) and 0 (padding)"
            )
    return attention_mask.bool()[:, None, None, :]  # [B, 1, 1, S]


class BertSelfAttention(nn.Module):
    """A heads side by side, each with queries, keys and values of its own, each H / A wide.

    Vaswani et al. 2017, section 3.2.2: the heads are one linear map each for Q, K and V, cut into A
    pieces.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout_prob = config.attention_probs_dropout_prob

    def split_heads(self, x: Tensor) -> Tensor:
        """x [B, S, H] -> [B, A, S, D].

        H is cut into A heads of D, then heads stand before tokens.
        """
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # [B, A, S, D]

    def forward(
        self, hidden: Tensor, mask: Tensor | None = None, output_attentions: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """hidden [B, S, H], mask [B, 1, 1 or S, S] -> mixed [B, S, H], weights [B, A, S, S].

        The weights are None unless `output_attentions` asks for them.
        """
        query = self.split_heads(self.query(hidden))  # [B, A, S, D]
        key = self.split_heads(self.key(hidden))  # [B, A, S, D]
        value = self.split_heads(self.value(hidden))  # [B, A, S, D]
        dropout = self.dropout_prob if self.training else 0.0
        if output_attentions:
            mixed, weights = attend(query, key, value, mask, dropout)  # [B, A, S, D], [B, A, S, S]
        else:
            mixed, weights = fused_attend(query, key, value, mask, dropout), None  # [B, A, S, D]
        return mixed.transpose(1, 2).flatten(2), weights  # [B, S, H], [B, A, S, S]


class BertSelfOutput(nn.Module):
    """What follows the heads: one linear map that mixes them, dropout, and the residual connection
    with its norm.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.norm_first = config.norm_first

    def forward(self, mixed: Tensor, residual: Tensor) -> Tensor:
        """mixed [B, S, H] and what came in, residual [B, S, H] -> [B, S, H]."""
        out = residual + self.dropout(self.dense(mixed))  # [B, S, H]
        return out if self.norm_first else self.LayerNorm(out)  # [B, S, H]


class BertAttention(nn.Module):
    """Self-attention with its residual connection: the first half of an encoder layer.

    Post-norm, as published: LayerNorm(x + Attention(x)). Pre-norm: x + Attention(LayerNorm(x)).
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.self = BertSelfAttention(config)  # named as in every published checkpoint
        self.output = BertSelfOutput(config)
        self.norm_first = config.norm_first

    def forward(
        self, hidden: Tensor, mask: Tensor | None = None, output_attentions: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """hidden [B, S, H], mask [B, 1, 1 or S, S] -> hidden [B, S, H], weights [B, A, S, S].

        The weights are None unless `output_attentions` asks for them.
        """
        inner = self.output.LayerNorm(hidden) if self.norm_first else hidden  # [B, S, H]
        mixed, weights = self.self(inner, mask, output_attentions)  # [B, S, H], [B, A, S, S]
        return self.output(mixed, hidden), weights  # [B, S, H], [B, A, S, S]
