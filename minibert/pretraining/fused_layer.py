"""One encoder layer, rearranged for speed, and the positions at which the last layer is read."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.attention import BertSelfOutput
from minibert.encoder import BertLayer, BertOutput


@dataclass
class QueryPositions:
    """The R positions whose last hidden state is read: M masked tokens, then [CLS] of B sequences.

    In attention they form a grid of B sequences and K columns; `cells` holds their places in it.
    """

    positions: Tensor  # [R], positions in the B sequences of S tokens, laid end to end
    cells: Tensor  # [R], positions in the B rows of the grid, laid end to end
    columns: int  # K, the most positions that one sequence has

    @classmethod
    def find(cls, masked: Tensor) -> "QueryPositions":
        """The positions for masked [B, S], where True means that the token is predicted."""
        batch, length = masked.shape
        row, column = masked.nonzero(as_tuple=True)  # [M], [M]
        per_row = masked.sum(1)  # [B]
        first = per_row.cumsum(0) - per_row  # [B], masked tokens in the sequences before
        rank = torch.arange(row.numel(), device=row.device) - first[row]  # [M], from 0 in each
        each = torch.arange(batch, device=row.device)  # [B]
        columns = int(per_row.max()) + 1
        positions = torch.cat((row * length + column, each * length))  # [R]
        cells = torch.cat((row * columns + rank, each * columns + per_row))  # [R]
        return cls(positions, cells, columns)

    def grid(self, flat: Tensor, batch: int) -> Tensor:
        """flat [R, …] -> [B, K, …], zeros where a sequence has fewer than K positions."""
        empty = flat.new_zeros(batch * self.columns, *flat.shape[1:])  # [B · K, …]
        filled = empty.index_copy(0, self.cells, flat)  # [B · K, …]
        return filled.unflatten(0, (batch, self.columns))  # [B, K, …]

    def to(self, device: torch.device) -> "QueryPositions":
        """The same positions, with their tensors on `device`."""
        return QueryPositions(send(self.positions, device), send(self.cells, device), self.columns)


class FusedLayer(nn.Module):
    """One BertLayer, called the fast way; a module of its own, so that FSDP can wrap it."""

    def __init__(self, layer: BertLayer) -> None:
        super().__init__()
        self.layer = layer

    def forward(
        self,
        hidden: Tensor,
        bias: Tensor | None = None,
        empty: Tensor | None = None,
        queries: QueryPositions | None = None,
    ) -> Tensor:
        """hidden [B, S, H] -> [B, S, H], or [R, H] at the query positions only.

        bias  [B, 1, 1 or S, S]: 0 where a query may attend to a key, minus infinity elsewhere
        empty [B, 1, 1 or S, 1]: True for a query without any key; it gets the mean of all values
        """
        attention, heads = self.layer.attention, self.layer.attention.self.num_heads
        batch = hidden.size(0)
        inner = self._before(attention.output.LayerNorm, hidden)  # [B, S, H]
        query, key, value = self._project(inner, queries)  # [B, S or K, H], 2 · [B, S, H]
        if queries is not None:
            hidden = hidden.flatten(0, 1).index_select(0, queries.positions)  # [R, H]
            bias = mask_of_queries(bias, queries, batch)  # [B, 1, 1 or K, S]
            empty = mask_of_queries(empty, queries, batch)  # [B, 1, 1 or K, 1]
        query = query.unflatten(-1, (heads, -1)).transpose(1, 2)  # [B, A, S or K, D]
        key = key.unflatten(-1, (heads, -1)).transpose(1, 2)  # [B, A, S, D]
        value = value.unflatten(-1, (heads, -1)).transpose(1, 2)  # [B, A, S, D]
        if empty is not None:
            query = query.masked_fill(empty, 0.0)  # [B, A, S or K, D]
        dropout = attention.self.dropout_prob if self.layer.training else 0.0
        mixed = attend_with_bias(query, key, value, bias, dropout)  # [B, A, S or K, D]
        mixed = mixed.transpose(1, 2).flatten(2)  # [B, S or K, H]
        if queries is not None:
            mixed = mixed.flatten(0, 1).index_select(0, queries.cells)  # [R, H]
        hidden = self._close(attention.output, mixed, hidden)  # [B, S, H] or [R, H]
        inner = self._before(self.layer.output.LayerNorm, hidden)  # [B, S, H] or [R, H]
        wide = linear(self.layer.intermediate.dense, inner)  # [B, S, I] or [R, I]
        wide = self.layer.intermediate.activation(wide)  # [B, S, I] or [R, I]
        return self._close(self.layer.output, wide, hidden)  # [B, S, H] or [R, H]

    def _before(self, norm: nn.LayerNorm, hidden: Tensor) -> Tensor:
        """What a sub-layer reads: in a pre-norm layer the normalised residual stream."""
        return layer_norm(norm, hidden) if self.layer.norm_first else hidden

    def _project(
        self, inner: Tensor, queries: QueryPositions | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, already divided by √D, keys and values: one matrix product where possible."""
        this = self.layer.attention.self
        scale = 1 / math.sqrt(inner.size(-1) // this.num_heads)
        maps = [
            (this.query.weight * scale, this.query.bias * scale),
            (this.key.weight, this.key.bias),
            (this.value.weight, this.value.bias),
        ]
        if queries is None:
            query, key, value = _joint_linear(maps, inner)  # 3 · [B, S, H]
            return query, key, value
        asking = inner.flatten(0, 1).index_select(0, queries.positions)  # [R, H]
        (query,) = _joint_linear(maps[:1], asking)  # [R, H]
        key, value = _joint_linear(maps[1:], inner)  # 2 · [B, S, H]
        return queries.grid(query, inner.size(0)), key, value

    def _close(self, output: BertSelfOutput | BertOutput, x: Tensor, residual: Tensor) -> Tensor:
        """Linear map, dropout, residual connection, norm: BertSelfOutput or BertOutput."""
        out = residual + output.dropout(linear(output.dense, x))  # [B, S, H] or [R, H]
        return out if self.layer.norm_first else layer_norm(output.LayerNorm, out)


def mask_of_queries(mask: Tensor | None, queries: QueryPositions, batch: int) -> Tensor | None:
    """mask [B, 1, S or 1, S or 1] -> [B, 1, K or 1, S or 1]: its rows at the query positions.

    A mask with one row for all queries stays as it is.
    """
    if mask is None or mask.size(2) == 1:
        return mask
    rows = mask.flatten(0, 2).index_select(0, queries.positions)  # [R, S or 1]
    return queries.grid(rows, batch)[:, None]  # [B, 1, K, S or 1]


def attend_with_bias(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, dropout: float
) -> Tensor:
    """softmax(Q K^T + bias) V for queries that are already divided by √D: [B, A, S or K, D]."""
    if query.is_cuda:
        return F.scaled_dot_product_attention(
            query, key, value, attn_mask=bias, dropout_p=dropout, scale=1.0
        )
    scores = query @ key.transpose(-2, -1)  # [B, A, S or K, S]
    if bias is not None:
        scores = scores + bias  # [B, A, S or K, S]
    weights = scores.softmax(dim=-1)  # [B, A, S or K, S]
    return (F.dropout(weights, dropout) if dropout else weights) @ value  # [B, A, S or K, D]


def linear(dense: nn.Linear, x: Tensor) -> Tensor:
    """A linear layer computed in the dtype of x."""
    return F.linear(x, dense.weight.to(x.dtype), dense.bias.to(x.dtype))  # […, outputs]


def _joint_linear(maps: list[tuple[Tensor, Tensor]], x: Tensor) -> tuple[Tensor, ...]:
    """Several linear maps (weight, bias) of the same x in one matrix product."""
    weight = torch.cat([weight for weight, _ in maps]).to(x.dtype)
    bias = torch.cat([bias for _, bias in maps]).to(x.dtype)
    return F.linear(x, weight, bias).chunk(len(maps), dim=-1)


def layer_norm(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    """LayerNorm with float32 weights on x in any dtype; GPUs refuse such a mixture."""
    if x.is_cuda:
        return norm(x.to(norm.weight.dtype)).to(x.dtype)
    return norm(x)  # […, H]


def send(tensor: Tensor, device: torch.device) -> Tensor:
    """The tensor on `device`, copied to a GPU without waiting for the work that it has queued."""
    if device.type == "cuda" and tensor.device.type == "cpu":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)
