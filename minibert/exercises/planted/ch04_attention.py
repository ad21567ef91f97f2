"""Answers on which the exercises of chapter 4 are tried: right ones, and wrong ones with what the check must say."""

import math

import torch
from torch import nn

from minibert.attention import attend
from minibert.exercises.ch04_attention import SelfAttention, attention_counts, key_bias_shift, masked_attention, scaled_scores
from minibert.exercises.planted import Answers, named, patterns


# 4.1 ------------------------------------------------------------------------------------------------------------------

def scores_by_einsum(query, key):
    """Another right answer: the axes named by letters."""
    return torch.einsum("basd,batd->bast", query, key) / query.size(-1) ** 0.5


def scores_scaled_before(query, key):
    """Another right answer: half of the scaling on either side, as some half-precision code does it."""
    root = query.size(-1) ** 0.25
    return (query / root) @ (key / root).mT


def scores_over(name, divisor):
    """A wrong answer that divides by something else."""
    def answer(query, key):
        return query @ key.transpose(-2, -1) / divisor(query)
    return named(name, answer)


by_length = scores_over("by_length", lambda query: math.sqrt(query.size(-2)))
by_heads = scores_over("by_heads", lambda query: math.sqrt(query.size(1)))
by_hidden = scores_over("by_hidden", lambda query: math.sqrt(query.size(1) * query.size(-1)))
by_size = scores_over("by_size", lambda query: query.size(-1))
by_nothing = scores_over("by_nothing", lambda query: 1)
times_root = scores_over("times_root", lambda query: 1 / math.sqrt(query.size(-1)))


def rows_are_keys(query, key):
    return key @ query.transpose(-2, -1) / math.sqrt(query.size(-1))


def scaled_in_place(query, key):
    return query.div_(math.sqrt(query.size(-1))) @ key.mT


SCORE_MISTAKES = (
    (by_length, "Your scores are divided by the square root of the sequence length, √5; the size of a head here is 8, so √8 is right. "
     "With your scale a longer text gets smaller scores."),
    (by_heads, "Your scores are divided by √3, the number of heads: query.size(1). The size of a head, 8, stands on the last axis."),
    (by_hidden, "Your scores are divided by √24, the hidden size; the dot products run over one head only, whose size is 8."),
    (by_size, "Your scores are divided by the head size, 8, without its square root: their standard deviation is {0:.2f} instead of {1:.2f}."),
    (by_nothing, "Your scores are not divided by √8: their standard deviation is {0:.2f} instead of {1:.2f}."),
    (times_root, "Your scores are multiplied by √8 instead of divided by it: their standard deviation is {0:.2f} instead of {1:.2f}."),
)


# 4.2 ------------------------------------------------------------------------------------------------------------------

def masked_with_infinity(query, key, value, mask=None):
    """Another right answer: -inf, and rows with nothing to look at are opened before."""
    return attend(query, key, value, mask)


def masked_with_where(query, key, value, mask=None):
    """Another right answer: torch.where, and the softmax written out."""
    scores = scores_by_einsum(query, key)
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    power = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = power / power.sum(-1, keepdim=True)
    return torch.einsum("bast,batd->basd", weights, value), weights


def lowest_score(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min)


def unmasked(scores, mask):
    return scores


def fill(number):
    return lambda scores, mask: scores.masked_fill(~mask, number)


def masked_variant(name, scores=scaled_scores, hide=lowest_score, axis=-1, after=lambda weights, mask: weights):
    """`masked_attention` with one decision changed."""
    def answer(query, key, value, mask=None):
        found = scores(query, key)
        weights = (found if mask is None else hide(found, mask)).softmax(axis)
        weights = weights if mask is None else after(weights, mask)
        return weights @ value, weights
    return named(name, answer)


scale_by_length = masked_variant("scale_by_length", scores=by_length)
no_scale = masked_variant("no_scale", scores=by_nothing)
over_queries = masked_variant("over_queries", axis=-2)
mask_ignored = masked_variant("mask_ignored", hide=unmasked)
polarity_reversed = masked_variant("polarity_reversed", hide=lambda scores, mask: lowest_score(scores, ~mask))
masked_after_softmax = masked_variant("masked_after_softmax", hide=unmasked, after=torch.mul)
hidden_with_zero = masked_variant("hidden_with_zero", hide=fill(0.0))
ten_thousand_less = masked_variant("ten_thousand_less", hide=lambda scores, mask: scores - 10000.0 * ~mask)
filled_with_25 = masked_variant("filled_with_25", hide=fill(-25.0))
filled_with_65504 = masked_variant("filled_with_65504", hide=fill(-65504.0))
infinity_times_mask = masked_variant("infinity_times_mask", hide=lambda scores, mask: scores - math.inf * ~mask)
filled_with_a_billion = masked_variant("filled_with_a_billion", hide=fill(-1e9))
filled_with_infinity = masked_variant("filled_with_infinity", hide=fill(-math.inf))
empty_row_is_zero = masked_variant("empty_row_is_zero", hide=fill(-math.inf), after=lambda weights, mask: weights.nan_to_num(0.0))


def mask_flipped_in_place(query, key, value, mask=None):
    mixed = masked_attention(query, key, value, mask)
    if mask is not None:
        mask.logical_not_()
    return mixed


# What the weights themselves tell; {0} is the largest weight on a hidden key.
WEIGHT_MISTAKES = (
    (over_queries, "Your weights sum to 1 over the queries (each column); they must sum to 1 over the keys (each row): a query shares out 1."),
    (mask_ignored, "The mask has no effect: your largest weight on a hidden key is {0:.2f}."),
    (polarity_reversed, "Your mask works the other way round: a hidden key gets a weight of {0:.2f}. "
     "Here True means 'may be looked at', so hide where it is False."),
    (masked_after_softmax, "You set weights to zero after the softmax, so the rows sum to less than 1: hide the scores before it."),
    (hidden_with_zero, "You hide a key by a score of 0, but e⁰ = 1: its weight is up to {0:.2f}. Only a score far below all others gives 0."),
    (scale_by_length, "Your scores are divided by the square root of the number of queries, √4; the head size is 8."),
    (no_scale, "Your scores are not divided by √8, the root of the head size."),
)


# 4.3 ------------------------------------------------------------------------------------------------------------------

def counts_step_by_step(length, hidden, heads):
    """Another right answer: head by head."""
    size = hidden // heads
    one_map, scores = hidden * size + size, length * length * size
    return heads * 3 * one_map, heads * length ** 2, heads * (3 * length * hidden * size + scores + scores)


def counts_from_modules(length, hidden, heads):
    """Another right answer: the parameters counted in modules, the weights in a tensor."""
    maps = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(3))
    weights = torch.empty(heads, length, length)
    products = sum(m.weight.numel() for m in maps) * length + 2 * weights[0].numel() * hidden
    return sum(p.numel() for p in maps.parameters()), weights.numel(), products


def counts_variant(name, which, change):
    """`attention_counts` with one of its three numbers counted differently."""
    def answer(length, hidden, heads):
        numbers = list(attention_counts(length, hidden, heads))
        numbers[which] = change(length, hidden, heads)
        return tuple(numbers)
    return named(name, answer)


# Each sentence goes on after "your number".
COUNT_MISTAKES = (
    (counts_variant("full_size_heads", 0, lambda s, h, a: a * 3 * (h * h + h)),
     "counts a full map from H to H for each of the {a} heads; the heads share H numbers: each is H / A = {d} wide"),
    (counts_variant("no_bias", 0, lambda s, h, a: 3 * h * h), "leaves out the three biases of {h} numbers each"),
    (counts_variant("one_map", 0, lambda s, h, a: h * h + h), "counts one linear map; queries, keys and values have one each"),
    (counts_variant("one_bias", 0, lambda s, h, a: 3 * h * h + h), "has {h} biases; each of the three maps has {h} of its own"),
    (counts_variant("times_length", 0, lambda s, h, a: s * 3 * (h * h + h)), "grows with the text; all {s} tokens go through the same three maps"),
    (counts_variant("with_output", 0, lambda s, h, a: 4 * (h * h + h)), "counts a fourth map: the one after the heads is BertSelfOutput's, in chapter 5"),
    (counts_variant("one_head", 1, lambda s, h, a: s * s), "counts one head; every one of the {a} heads has weights of its own"),
    (counts_variant("linear_in_length", 1, lambda s, h, a: a * s), "has one weight for each head and token; every token looks at every token: {s} × {s}"),
    (counts_variant("weights_by_size", 1, lambda s, h, a: s * s * h), "counts H numbers for each pair; a pair of tokens has one weight in each head"),
    (counts_variant("half_the_pairs", 1, lambda s, h, a: a * s * (s - 1) // 2), "counts each pair once; who looks at whom matters, and a token may look at itself"),
    (counts_variant("two_operations", 2, lambda s, h, a: 6 * s * h * h + 4 * s * s * h), "counts the additions too; only multiplications are asked for"),
    (counts_variant("maps_once", 2, lambda s, h, a: 3 * h * h + 2 * s * s * h), "sends one token through the maps; there are {s}"),
    (counts_variant("one_product", 2, lambda s, h, a: s * h * h + 2 * s * s * h), "has one linear map; queries, keys and values have one each"),
    (counts_variant("maps_only", 2, lambda s, h, a: 3 * s * h * h), "leaves out scores and mixing, {s} × {s} × {h} each"),
    (counts_variant("output_too", 2, lambda s, h, a: 4 * s * h * h + 2 * s * s * h), "counts a fourth map: the one after the heads is not asked for here"),
    (counts_variant("no_maps", 2, lambda s, h, a: 2 * s * s * h), "leaves out the three linear maps: {s} tokens × {h} × {h}, three times"),
    (counts_variant("no_mixing", 2, lambda s, h, a: 3 * s * h * h + s * s * h), "counts the scores or the mixing, not both; each costs {s} × {s} × {h}"),
    (counts_variant("times_heads", 2, lambda s, h, a: 3 * s * h * h + 2 * s * s * h * a),
     "multiplies by the {a} heads although each head is only {d} wide: A × D = H"),
)


# 4.4 ------------------------------------------------------------------------------------------------------------------

class SelfAttentionByEinsum(SelfAttention):
    """Another right answer: the axes named by letters, no transposition in sight."""

    def forward(self, hidden, mask=None, output_weights=False):
        query, key, value = (m(hidden).unflatten(-1, (self.num_heads, -1)) for m in (self.query, self.key, self.value))
        scores = torch.einsum("bsad,btad->bast", query, key) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        mixed = torch.einsum("bast,btad->bsad", weights, value).flatten(-2)
        return mixed, weights if output_weights else None


class SelfAttentionByLoop(SelfAttention):
    """Another right answer: one head after the other."""

    def forward(self, hidden, mask=None, output_weights=False):
        pieces = [m(hidden).chunk(self.num_heads, dim=-1) for m in (self.query, self.key, self.value)]
        mask = None if mask is None else mask[:, 0]
        results = [masked_attention(query, key, value, mask) for query, key, value in zip(*pieces)]
        mixed, weights = (list(parts) for parts in zip(*results))
        return torch.cat(mixed, dim=-1), torch.stack(weights, dim=1) if output_weights else None


class MergedWithoutTransposing(SelfAttention):
    def merge(self, x):
        B, A, S, D = x.shape
        return x.reshape(B, S, A * D)


class SplitWithoutTransposing(SelfAttention):
    def split(self, x):
        B, S, H = x.shape
        return x.view(B, self.num_heads, S, H // self.num_heads)


class PiecesInterleaved(SelfAttention):
    def merge(self, x):
        return x.permute(0, 2, 3, 1).flatten(2)


class HeadsInterleaved(PiecesInterleaved):
    def split(self, x):
        return x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)


class WithAttention(SelfAttention):
    """The wrong answers that call something else than attention over queries, keys and values."""
    attention = staticmethod(masked_attention)

    def forward(self, hidden, mask=None, output_weights=False):
        parts = [self.split(m(hidden)) for m in (self.query, self.key, self.value)]
        mixed, weights = self.attention(*parts, mask)
        return self.merge(mixed), weights if output_weights else None


class ScaledByLength(WithAttention):
    attention = staticmethod(scale_by_length)


class ScaledByHidden(WithAttention):
    attention = staticmethod(masked_variant("scale_by_hidden", scores=by_hidden))


class QueriesAndKeysSwapped(WithAttention):
    attention = staticmethod(lambda query, key, value, mask: masked_attention(key, query, value, mask))


class MaskForgotten(WithAttention):
    attention = staticmethod(lambda query, key, value, mask: masked_attention(query, key, value))


class KeysAsValues(WithAttention):
    attention = staticmethod(lambda query, key, value, mask: masked_attention(query, key, key, mask))


class Unscaled(WithAttention):
    attention = staticmethod(no_scale)


class MaskTurnedRound(WithAttention):
    attention = staticmethod(lambda query, key, value, mask: polarity_reversed(query, key, value, mask))


class KeysAndValuesSwapped(WithAttention):
    attention = staticmethod(lambda query, key, value, mask: masked_attention(query, value, key, mask))


class QueriesAsKeys(WithAttention):
    attention = staticmethod(lambda query, key, value, mask: masked_attention(query, query, value, mask))


class SplitInterleaved(SelfAttention):
    def split(self, x):
        return x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)


class MixedOnly(SelfAttention):
    def forward(self, hidden, mask=None, output_weights=False):
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
    def forward(self, hidden, mask=None, output_weights=False):
        return super().forward(hidden, mask, output_weights=True)


class _Afterwards(SelfAttention):
    """The wrong answers that do something to the right values."""

    def afterwards(self, mixed, hidden, mask):
        return mixed

    def forward(self, hidden, mask=None, output_weights=False):
        mixed, weights = super().forward(hidden, mask, output_weights)
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


class SinglePrecision(_Afterwards):
    def afterwards(self, mixed, hidden, mask):
        return mixed.float()


class Detached(_Afterwards):
    def afterwards(self, mixed, hidden, mask):
        return mixed.detach()


class OneHead(SelfAttention):
    def __init__(self, hidden_size, num_heads):
        super().__init__(hidden_size, num_heads)
        self.num_heads = 1

    def forward(self, hidden, mask=None, output_weights=False):
        mixed, weights = super().forward(hidden, mask, output_weights)
        return mixed, weights if weights is None else weights.expand(-1, 4, -1, -1)


class LooksBackOnly(SelfAttention):
    def forward(self, hidden, mask=None, output_weights=False):
        before = torch.ones(hidden.size(1), hidden.size(1), dtype=torch.bool).tril()
        return super().forward(hidden, before if mask is None else mask & before, output_weights)


class FourHeadsOfSix(SelfAttention):
    def split(self, x):
        return x.view(*x.shape[:2], 4, 6).transpose(1, 2)


class FiveTokens(SelfAttention):
    def split(self, x):
        return x.view(len(x), 5, self.num_heads, -1).transpose(1, 2)


class NeedsMask(SelfAttention):
    def forward(self, hidden, mask=None, output_weights=False):
        return super().forward(hidden, mask[..., :hidden.size(1)], output_weights)


class MaskOverwritten(SelfAttention):
    def forward(self, hidden, mask=None, output_weights=False):
        result = super().forward(hidden, mask, output_weights)
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


SELF_MISTAKES = (
    (WithResidual, "You add what came in, the residual connection; that is BertSelfOutput's, in chapter 5."),
    (ZeroesPadding, "You set the vectors of padding to zero. A mask hides what is looked at; what padding itself finds is nobody's business."),
    (FirstTextForAll, "Every text of yours has the values of the first one."),
    (OneHead, "You have one head of 24 numbers; asked for are 4 heads of 6, each with weights of its own."),
    (LooksBackOnly, "Your tokens look back only, as in a model that writes from left to right; BERT's look both ways."),
    (MergedWithoutTransposing, "Your heads are merged without moving their axis back: [2, 4, 5, 6] read as [2, 5, 24] "
     "mixes numbers of different tokens. Transpose, then flatten."),
    (SplitWithoutTransposing, "Your split reads [2, 5, 24] as [2, 4, 5, 6] at once, which mixes tokens: first [2, 5, 4, 6], then transpose."),
    (HeadsInterleaved, "Your heads take every 4th number of a token; a head has 6 numbers that stand side by side: "
     "view(B, S, A, D), not (B, S, D, A)."),
    (PiecesInterleaved, "Your merge puts the heads' numbers in turns; the 6 numbers of a head stay side by side."),
    (ScaledByLength, "Your scores are divided by √5, the length of the text; the size of a head is 24 / 4 = 6."),
    (ScaledByHidden, "Your scores are divided by √24, the hidden size; the size of a head is 24 / 4 = 6."),
    (QueriesAndKeysSwapped, "Your queries and keys are swapped: a row must belong to the token that asks."),
    (MaskForgotten, "Your class does not use its mask: hidden tokens still get a share."),
    (Unscaled, "Your scores are not divided by √6, the root of the head size."),
    (MaskTurnedRound, "Your class turns its mask round: True means 'may be looked at'."),
    (KeysAndValuesSwapped, "Your keys and values are swapped: weights come from queries and keys, and what they mix are the values."),
    (QueriesAsKeys, "Your queries are compared with queries; the keys are not used."),
    (SplitInterleaved, "Your split puts every 4th number of a token into a head, [B, S, D, A]; a head's 6 numbers stand side by side: view(B, S, A, D)."),
    (KeysAsValues, "Your class mixes the keys; weights are made of queries and keys, but what they mix are the values."),
)


# 4.5 ------------------------------------------------------------------------------------------------------------------

def shift_by_matrix(query, bias):
    """Another right answer: a matrix product."""
    return query @ bias[:, :, None] / query.size(-1) ** 0.5


def shift_by_difference(query, bias):
    """Another right answer: scores with the bias minus scores without, for one key."""
    key = torch.ones_like(query[..., :1, :])
    return scaled_scores(query, key + bias[:, None]) - scaled_scores(query, key)


def shift_unscaled(query, bias):
    return (query * bias[:, None]).sum(-1, keepdim=True)


def shift_mean(query, bias):
    return (query * bias[:, None]).mean(-1, keepdim=True)


def shift_of_bias_alone(query, bias):
    return (bias.sum(-1)[:, None, None] / math.sqrt(query.size(-1))).expand(*query.shape[:-1], 1)


def shift_of_first_head(query, bias):
    return (query * bias[0]).sum(-1, keepdim=True) / math.sqrt(query.size(-1))


def shift_nothing(query, bias):
    return torch.zeros_like(query[..., :1])


def shift_without_axis(query, bias):
    return key_bias_shift(query, bias).squeeze(-1)


def shift_on_keys(query, bias):
    return key_bias_shift(query, bias).mT


def shift_over_tokens(query, bias):
    return (query * bias[:, None]).sum(-2, keepdim=True).mT / math.sqrt(query.size(-1))


SHIFT_MISTAKES = (
    (shift_unscaled, "Your shift is not divided by √8: the scores it is added to are."),
    (shift_mean, "Your shift is a mean over the 8 numbers of a head; a dot product is their sum, here divided by √8 and not by 8."),
    (shift_of_bias_alone, "Your shift sums the bias without the query; the first one is {0:.2f} and should be {1:.2f}."),
    (shift_of_first_head, "You use the bias of the first head for all 3 heads: bias [3, 8] has a row for each."),
    (shift_nothing, "Your shift is 0, but the scores do change: by {1:.2f} for the first query. It is the weights that do not."),
)


ANSWERS = {
    "scaled_scores": Answers(
        right=(scores_by_einsum, scores_scaled_before),
        wrong=patterns(SCORE_MISTAKES) | {rows_are_keys: r"a row for each of the 7 keys", scaled_in_place: r"changes `query`.*240 of its 240"},
        known=SCORE_MISTAKES),
    "masked_attention": Answers(
        right=(masked_with_infinity, masked_with_where),
        wrong=patterns(WEIGHT_MISTAKES) | {
            ten_thousand_less: r"hidden key gets the weight \d\.\d\d",
            filled_with_25: r"keeps a weight of",
            filled_with_65504: r"is not far enough below scores of this size",
            infinity_times_mask: r"of your weights are nan",
            filled_with_a_billion: r"float16.*-65504",
            filled_with_infinity: r"96 of 96 of your numbers are nan",
            empty_row_is_zero: r"gets zeros from you",
            mask_flipped_in_place: r"changes `mask`.*12 of its 12"},
        known=WEIGHT_MISTAKES),
    "attention_counts": Answers(
        right=(counts_step_by_step, counts_from_modules),
        wrong=patterns(COUNT_MISTAKES),
        known=COUNT_MISTAKES),
    "SelfAttention": Answers(
        right=(SelfAttentionByEinsum, SelfAttentionByLoop),
        wrong=patterns(SELF_MISTAKES) | {
            AnyNumberOfHeads: r"SelfAttention\(100, 12\) is made",
            MixedOnly: r"forward returns a Tensor",
            OtherNames: r"Your parameters are q\.weight \[24, 24\]",
            SinglePrecision: r"torch\.float32, where torch\.float64", Detached: r"no gradient goes through", FourHeadsOfSix: r"float32 it stops",
            FiveTokens: r"\[3, 7, 24\] of float64, .* it stops", NeedsMask: r"Without a mask your class stops", MaskOverwritten: r"changes `mask`",
            AnotherError: r"stops with TypeError", not_a_module: r"should be an nn\.Module",
            WeightsAlways: r"should be None"},
        known=SELF_MISTAKES),
    "key_bias_shift": Answers(
        right=(shift_by_matrix, shift_by_difference),
        wrong=patterns(SHIFT_MISTAKES) | {
            shift_without_axis: r"\[2, 3, 5\]; keep the last axis",
            shift_on_keys: r"\[2, 3, 1, 5\]: one number",
            shift_over_tokens: r"\[2, 3, 8, 1\]: you summed"},
        known=SHIFT_MISTAKES),
}
