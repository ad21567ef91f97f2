"""Wrong answers to `SelfAttention` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.ch04_attention.common import masked_attention
from minibert.course.exercises.ch04_attention.self_attention import SelfAttention
from minibert.course.exercises.mistakes.ch04_attention.common import (
    by_hidden,
    masked_variant,
    no_scale,
    polarity_reversed,
    scale_by_length,
)


class MergedWithoutTransposing(SelfAttention):
    def merge(self, x):
        B, A, S, D = x.shape
        return x.reshape(B, S, A * D)


class SplitWithoutTransposing(SelfAttention):
    def split(self, x):
        B, S, H = x.shape
        return x.view(B, self.num_heads, S, H // self.num_heads)


class NeverTransposed(SplitWithoutTransposing, MergedWithoutTransposing):
    """Both at once: the tensors of all steps have the right shapes."""


class PiecesInterleaved(SelfAttention):
    def merge(self, x):
        return x.permute(0, 2, 3, 1).flatten(2)


class HeadsInterleaved(PiecesInterleaved):
    def split(self, x):
        return x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)


class WithAttention(SelfAttention):
    """Base of the wrong answers that replace the attention function."""

    attention = staticmethod(masked_attention)

    def forward(self, hidden, mask=None, output_attentions=False):
        parts = [self.split(m(hidden)) for m in (self.query, self.key, self.value)]
        mixed, weights = self.attention(*parts, mask)
        return self.merge(mixed), weights if output_attentions else None


class ScaledByLength(WithAttention):
    attention = staticmethod(scale_by_length)


class ScaledByHidden(WithAttention):
    attention = staticmethod(masked_variant("scale_by_hidden", scores=by_hidden))


class QueriesAndKeysSwapped(WithAttention):
    attention = staticmethod(
        lambda query, key, value, mask: masked_attention(key, query, value, mask)
    )


class MaskForgotten(WithAttention):
    attention = staticmethod(lambda query, key, value, mask: masked_attention(query, key, value))


class KeysAsValues(WithAttention):
    attention = staticmethod(
        lambda query, key, value, mask: masked_attention(query, key, key, mask)
    )


class Unscaled(WithAttention):
    attention = staticmethod(no_scale)


class MaskTurnedRound(WithAttention):
    attention = staticmethod(
        lambda query, key, value, mask: polarity_reversed(query, key, value, mask)
    )


class KeysAndValuesSwapped(WithAttention):
    attention = staticmethod(
        lambda query, key, value, mask: masked_attention(query, value, key, mask)
    )


class QueriesAsKeys(WithAttention):
    attention = staticmethod(
        lambda query, key, value, mask: masked_attention(query, query, value, mask)
    )


class SplitInterleaved(SelfAttention):
    def split(self, x):
        return x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)


class _Afterwards(SelfAttention):
    """Base of the wrong answers that change the correct result afterwards."""

    def afterwards(self, mixed, hidden, mask):
        return mixed

    def forward(self, hidden, mask=None, output_attentions=False):
        mixed, weights = super().forward(hidden, mask, output_attentions)
        return self.afterwards(mixed, hidden, mask), weights


class WithResidual(_Afterwards):
    def afterwards(self, mixed, hidden, mask):
        return mixed + hidden


class ZeroesPadding(_Afterwards):
    def afterwards(self, mixed, hidden, mask):
        return mixed if mask is None else mixed * mask[:, 0, 0, :, None]


class FirstTextForAll(_Afterwards):
    def afterwards(self, mixed, hidden, mask):
        return mixed[:1].expand_as(mixed)


class OneHead(SelfAttention):
    def __init__(self, hidden_size, num_heads):
        super().__init__(hidden_size, num_heads)
        self.num_heads = 1

    def forward(self, hidden, mask=None, output_attentions=False):
        mixed, weights = super().forward(hidden, mask, output_attentions)
        return mixed, weights if weights is None else weights.expand(-1, 4, -1, -1)


class LooksBackOnly(SelfAttention):
    def forward(self, hidden, mask=None, output_attentions=False):
        before = torch.ones(hidden.size(1), hidden.size(1), dtype=torch.bool).tril()
        return super().forward(hidden, before if mask is None else mask & before, output_attentions)


SELF_MISTAKES = (
    (
        WithResidual,
        "You add what came in, the residual connection; that is BertSelfOutput's, in chapter 5.",
    ),
    (
        ZeroesPadding,
        "You set the vectors of padding to zero. A mask hides keys; the rows of the padding itself are computed like all others.",
    ),
    (FirstTextForAll, "Every text of yours has the values of the first one."),
    (
        OneHead,
        "You have one head of 24 numbers; expected are 4 heads of 6, each with weights of its own.",
    ),
    (
        LooksBackOnly,
        "Your tokens attend to earlier tokens only, as in a model that writes from left to right; BERT's attend both ways.",
    ),
    (
        MergedWithoutTransposing,
        "Your heads are merged without moving their axis back: [2, 4, 5, 6] read as [2, 5, 24] "
        "mixes numbers of different tokens. Transpose, then flatten.",
    ),
    (
        SplitWithoutTransposing,
        "Your split reads [2, 5, 24] as [2, 4, 5, 6] at once, which mixes tokens: first [2, 5, 4, 6], then transpose.",
    ),
    (
        NeverTransposed,
        "Your split and your merge both leave out the transpose. The shapes fit, but each of your heads mixes numbers of "
        "different tokens: 5 tokens of 24 numbers are read as 4 heads of 5 times 6. Split: [2, 5, 4, 6], then transpose.",
    ),
    (
        HeadsInterleaved,
        "Your heads take every 4th number of a token; a head has 6 neighbouring numbers: "
        "view(B, S, A, D), not (B, S, D, A).",
    ),
    (
        PiecesInterleaved,
        "Your merge puts the heads' numbers in turns; the 6 numbers of a head stay side by side.",
    ),
    (
        ScaledByLength,
        "Your scores are divided by √5, the length of the text; the size of a head is 24 / 4 = 6.",
    ),
    (
        ScaledByHidden,
        "Your scores are divided by √24, the hidden size; the size of a head is 24 / 4 = 6.",
    ),
    (
        QueriesAndKeysSwapped,
        "Your queries and keys are swapped: a row must belong to the token that asks.",
    ),
    (MaskForgotten, "Your class does not use its mask: hidden tokens still get a share."),
    (Unscaled, "Your scores are not divided by √6, the root of the head size."),
    (
        MaskTurnedRound,
        "Your class uses its mask the wrong way round: True means 'may be attended to'.",
    ),
    (
        KeysAndValuesSwapped,
        "Your keys and values are swapped: weights come from queries and keys, and what they mix are the values.",
    ),
    (QueriesAsKeys, "Your queries are compared with queries; the keys are not used."),
    (
        SplitInterleaved,
        "Your split puts every 4th number of a token into a head, [B, S, D, A]; a head has 6 neighbouring numbers: view(B, S, A, D).",
    ),
    (
        KeysAsValues,
        "Your class mixes the keys; weights are made of queries and keys, but what they mix are the values.",
    ),
)


KNOWN = SELF_MISTAKES
