"""Answers to `SelfAttention` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch04_attention.common import masked_attention
from minibert.course.exercises.ch04_attention.self_attention import SelfAttention
from minibert.course.exercises.mistakes.ch04_attention.self_attention import (
    SELF_MISTAKES,
    _Afterwards,
)
from planted import Answers, patterns


class SelfAttentionByEinsum(SelfAttention):
    """Another right answer: the axes named by letters, no transposition in sight."""

    def forward(self, hidden, mask=None, output_attentions=False):
        query, key, value = (
            m(hidden).unflatten(-1, (self.num_heads, -1))
            for m in (self.query, self.key, self.value)
        )
        scores = torch.einsum("bsad,btad->bast", query, key) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        mixed = torch.einsum("bast,btad->bsad", weights, value).flatten(-2)
        return mixed, weights if output_attentions else None


class SelfAttentionByLoop(SelfAttention):
    """Another right answer: one head after the other."""

    def forward(self, hidden, mask=None, output_attentions=False):
        pieces = [
            m(hidden).chunk(self.num_heads, dim=-1) for m in (self.query, self.key, self.value)
        ]
        mask = None if mask is None else mask[:, 0]
        results = [masked_attention(query, key, value, mask) for query, key, value in zip(*pieces)]
        mixed, weights = (list(parts) for parts in zip(*results))
        return torch.cat(mixed, dim=-1), torch.stack(weights, dim=1) if output_attentions else None


class MixedOnly(SelfAttention):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask)[0]


class AnyNumberOfHeads(SelfAttention):
    def __init__(self, hidden_size, num_heads):
        super().__init__(hidden_size, 1)
        self.num_heads = num_heads


class OtherNames(SelfAttention):
    def __init__(self, hidden_size, num_heads):
        super().__init__(hidden_size, num_heads)
        self.q, self.k, self.v = self.query, self.key, self.value
        del self.query, self.key, self.value


class WeightsAlways(SelfAttention):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask, output_attentions=True)


class SinglePrecision(_Afterwards):
    def afterwards(self, mixed, hidden, mask):
        return mixed.float()


class Detached(_Afterwards):
    def afterwards(self, mixed, hidden, mask):
        return mixed.detach()


class FourHeadsOfSix(SelfAttention):
    def split(self, x):
        return x.view(*x.shape[:2], 4, 6).transpose(1, 2)


class SplitNotTransposed(SelfAttention):
    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1))


class MergedByView(SelfAttention):
    def merge(self, x):
        x = x.transpose(1, 2)
        return x.view(*x.shape[:2], -1)


class FiveTokens(SelfAttention):
    def split(self, x):
        return x.view(len(x), 5, self.num_heads, -1).transpose(1, 2)


class NeedsMask(SelfAttention):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask[..., : hidden.size(1)], output_attentions)


class MaskOverwritten(SelfAttention):
    def forward(self, hidden, mask=None, output_attentions=False):
        result = super().forward(hidden, mask, output_attentions)
        if mask is not None:
            mask.fill_(True)
        return result


class AnotherError(SelfAttention):
    def __init__(self, hidden_size, num_heads):
        if hidden_size % num_heads:
            raise TypeError(f"hidden_size {hidden_size}, num_heads {num_heads}")
        super().__init__(hidden_size, num_heads)


def not_a_module(hidden_size, num_heads):
    return SelfAttention(hidden_size, num_heads).forward


ANSWERS = Answers(
    right=(SelfAttentionByEinsum, SelfAttentionByLoop),
    wrong=patterns(SELF_MISTAKES)
    | {
        AnyNumberOfHeads: r"SelfAttention\(100, 12\) is made",
        MixedOnly: r"forward returns a Tensor",
        OtherNames: r"Your parameters are q\.weight \[24, 24\]",
        SinglePrecision: r"torch\.float32, where torch\.float64",
        Detached: r"no gradient goes through",
        FourHeadsOfSix: r"float32 it stops",
        SplitNotTransposed: r"Your split makes \[2, 5, 4, 6\] .* then transpose",
        MergedByView: r"use flatten or reshape after it",
        FiveTokens: r"\[3, 7, 24\] of float64, .* it stops",
        NeedsMask: r"Without a mask your class stops",
        MaskOverwritten: r"changes `mask`",
        AnotherError: r"stops with TypeError",
        not_a_module: r"should be an nn\.Module",
        WeightsAlways: r"should be None",
    },
)
