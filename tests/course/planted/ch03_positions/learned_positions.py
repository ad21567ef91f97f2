"""Answers to `LearnedPositions` on which its check is tried."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.ch03_positions.learned_positions import LearnedPositions
from minibert.positions import sinusoidal_table
from planted import Answers


class PositionsByEmbedding(nn.Embedding):
    """Another right answer: PyTorch's own lookup, with a clear error before it."""

    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, position_ids):
        if ((position_ids < 0) | (position_ids >= self.num_embeddings)).any():
            raise ValueError(
                f"ids from {position_ids.min()} to {position_ids.max()}, but the table has {self.num_embeddings} rows"
            )
        return super().forward(position_ids)


class PositionsByProduct(LearnedPositions):
    """Another right answer: a lookup is a product with rows that hold a single 1."""

    def forward(self, position_ids):
        super().forward(position_ids)  # raises for an id that has no row
        return F.one_hot(position_ids, self.weight.size(0)).to(self.weight.dtype) @ self.weight


class IdsIgnored(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight[: position_ids.size(1)].expand(position_ids.size(0), -1, -1)


class WholeTable(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight.expand(position_ids.size(0), -1, -1)


class FirstTextForAll(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight[position_ids[0]].expand(position_ids.size(0), -1, -1)


class NotTrained(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        del self.weight
        self.register_buffer("weight", torch.randn(length, dim) * 0.02)


class CutFromTheGraph(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids).detach()


class LargeFromTheStart(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.normal_(self.weight)


class AllEqual(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.constant_(self.weight, 0.02)


class Transposed(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(dim, length)


class AnotherName(nn.Module):
    def __init__(self, length, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, dim) * 0.02)

    def forward(self, position_ids):
        return self.table[position_ids]


class WrapsAround(LearnedPositions):
    def forward(self, position_ids):
        return self.weight[position_ids % self.weight.size(0)]


class LastRowForTheRest(LearnedPositions):
    def forward(self, position_ids):
        return self.weight[position_ids.clamp(0, self.weight.size(0) - 1)]


class CountsFromTheEnd(LearnedPositions):
    def forward(self, position_ids):
        if position_ids.max() >= self.weight.size(0):
            raise ValueError(f"position {position_ids.max()} of {self.weight.size(0)}")
        return self.weight[position_ids]


class UnclearError(LearnedPositions):
    def forward(self, position_ids):
        return F.embedding(position_ids, self.weight)


class TooSmall(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.normal_(self.weight, std=0.02**2)


class Uniform(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.uniform_(self.weight, -0.02 * math.sqrt(3), 0.02 * math.sqrt(3))


class OneRowForAll(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.weight.data.copy_(self.weight[0].detach().clone())


class OneNumberForARow(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.weight.data.copy_(torch.randn(length, 1).expand(length, dim) * 0.02)


class Sinusoidal(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        table = sinusoidal_table(length, dim)
        self.weight.data.copy_((table - table.mean()) / table.std() * 0.02)


class PlainTensor(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        del self.weight
        self.weight = torch.randn(length, dim) * 0.02


class Frozen(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.weight.requires_grad = False


class FirstRowIsPadding(PositionsByEmbedding):
    def forward(self, position_ids):
        self.padding_idx = 0
        return super().forward(position_ids)


class OneRowFurther(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight[(position_ids + 1) % len(self.weight)]


class ScaledLikeWords(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids) * math.sqrt(self.weight.size(1))


class WithDropout(LearnedPositions):
    def forward(self, position_ids):
        return F.dropout(super().forward(position_ids), 0.1)


class RefusesTheLast(LearnedPositions):
    def forward(self, position_ids):
        if position_ids.max() >= len(self.weight) - 1:
            raise ValueError(f"position {position_ids.max()}")
        return super().forward(position_ids)


class Asserts(LearnedPositions):
    def forward(self, position_ids):
        assert position_ids.min() >= 0 and position_ids.max() < len(self.weight)
        return self.weight[position_ids]


class InDoublePrecision(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids).double()


class HalfPrecision(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.half()


class FiveTokens(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids.view(-1, 5))


class TwoHundredRows(LearnedPositions):
    def forward(self, position_ids):
        if position_ids.min() < 0 or position_ids.max() >= 200:
            raise ValueError(f"position {position_ids.max()} of 200")
        return F.embedding(position_ids, self.weight)


class NoModule:
    def __init__(self, length, dim):
        self.weight = torch.randn(length, dim) * 0.02

    def forward(self, position_ids):
        return self.weight[position_ids]


class ForgetsToReturn(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)


class RefusesMinusOneOnly(LearnedPositions):
    def forward(self, position_ids):
        if (position_ids == -1).any() or position_ids.max() >= len(self.weight):
            raise ValueError(f"positions {position_ids.tolist()}")
        return self.weight[position_ids]


class GuardsTheFirstText(LearnedPositions):
    def forward(self, position_ids):
        if position_ids[0].min() < 0 or position_ids.max() >= len(self.weight):
            raise ValueError(f"positions {position_ids.tolist()}")
        return self.weight[position_ids]


class NamesNoPosition(LearnedPositions):
    def forward(self, position_ids):
        if position_ids.min() < 0 or position_ids.max() >= len(self.weight):
            raise ValueError("bad position")
        return self.weight[position_ids]


ANSWERS = Answers(
    right=(PositionsByEmbedding, PositionsByProduct),
    wrong={
        IdsIgnored: r"rows 0 to 4 whatever",
        WholeTable: r"\[2, 200, 24\]: the whole table",
        FirstTextForAll: r"ids of the first text",
        NotTrained: r"is a buffer and not a parameter",
        CutFromTheGraph: r"0 of 200 rows",
        LargeFromTheStart: r"standard deviation (0\.9|1\.0)\d+ .*drown",
        AllEqual: r"start equal",
        Transposed: r"weight \[24, 200\]",
        AnotherName: r"table \[200, 24\]",
        WrapsAround: r"Position 200 in a table of 200 rows silently gets row 0",
        LastRowForTheRest: r"Position 200 .*row 199",
        CountsFromTheEnd: r"Position -1 silently gets row 199",
        UnclearError: r"IndexError",
        TooSmall: r"deviation 0\.0004.* do not fit",
        Uniform: r"are uniform: .* 1\.7",
        OneRowForAll: r"rows start equal \(they begin with (\S+), \1, \1\)",
        OneNumberForARow: r"one number, 24 times",
        Sinusoidal: r"nothing is drawn",
        PlainTensor: r"a plain tensor",
        Frozen: r"frozen",
        FirstRowIsPadding: r"Row 0 was used",
        OneRowFurther: r"position 0 gets row 1",
        ScaledLikeWords: r"√24 = 4\.9",
        WithDropout: r"Two calls",
        RefusesTheLast: r"you refuse them: position 199",
        Asserts: r"AssertionError: no message",
        ForgetsToReturn: r"NoneType",
        InDoublePrecision: r"torch\.float64, where torch\.float32",
        HalfPrecision: r"torch\.float16",
        FiveTokens: r"tensor \[1, 7\] of int64 it stops",
        TwoHundredRows: r"Position 9 in a table of 9 rows ends in IndexError",
        NoModule: r"should be an nn\.Module",
        RefusesMinusOneOnly: r"Position -2 silently gets row 198",
        GuardsTheFirstText: r"Position -1 in the second text silently gets row 199",
        NamesNoPosition: r"refuse position 200, but .*“bad position”",
    },
)
