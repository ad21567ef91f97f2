"""Exercises of chapter 4: attention."""

import math
import re

import torch
from torch import nn

from minibert.attention import BertSelfAttention, attend
from minibert.config import BertConfig
from minibert.exercises.base import Exercise, Mistake, expect_tensor, recognise

CHAPTER = "04_attention"


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def patterns(mistakes):
    """{wrong answer: its sentence} -> {wrong answer: what its message must say}: the sentence up to the first number of the reader's."""
    return {wrong: re.escape(sentence.split("{")[0]) for wrong, sentence in mistakes.items()}


# 4.1 ------------------------------------------------------------------------------------------------------------------

def scaled_scores(query, key):
    """How well every query fits every key: [B, A, S, D] and [B, A, T, D] -> [B, A, S, T]."""
    scores = query @ key.transpose(-2, -1)      # blank: the dot product of every query with every key
    return scores / math.sqrt(query.size(-1))   # blank: Vaswani et al. 2017: divided by √D


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
    answer.__name__ = name
    return answer


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


SCORE_MISTAKES = {
    by_length: "Your scores are divided by the square root of the sequence length, √5; the size of a head here is 8, so √8 is right. "
               "With your scale a longer text gets smaller scores.",
    by_heads: "Your scores are divided by √3, the number of heads: query.size(1). The size of a head, 8, stands on the last axis.",
    by_hidden: "Your scores are divided by √24, the hidden size; the dot products run over one head only, whose size is 8.",
    by_size: "Your scores are divided by the head size, 8, without its square root: their standard deviation is {0:.2f} instead of {1:.2f}.",
    by_nothing: "Your scores are not divided by √8: their standard deviation is {0:.2f} instead of {1:.2f}.",
    times_root: "Your scores are multiplied by √8 instead of divided by it: their standard deviation is {0:.2f} instead of {1:.2f}.",
    rows_are_keys: "Your scores have the shape [2, 3, 7, 5]: a row for each of the 7 keys. "
                   "A row belongs to a query: [2, 3, 5, 7] for 5 queries and 7 keys.",
}


def check_scores(answer):
    query, key = draw(2, 3, 5, 8), draw(2, 3, 7, 8, seed=1)                     # [B, A, S, D], [B, A, T, D]
    given = query.clone(), key.clone()
    found, right = answer(*given), scaled_scores(query, key)                    # [B, A, S, T]
    if not (torch.equal(given[0], query) and torch.equal(given[1], key)):
        raise Mistake("Your function changes the queries or keys that it was given (div_, /=): others still need them. Make new tensors.")
    if getattr(found, "shape", None) == (2, 3, 7, 5):
        raise Mistake(SCORE_MISTAKES[rows_are_keys])
    guesses = [(wrong(query, key), sentence) for wrong, sentence in SCORE_MISTAKES.items()]
    recognise(found, right, [(guess, sentence.format(guess.std(), right.std())) for guess, sentence in guesses], "Your tensor of scores")


# 4.2 ------------------------------------------------------------------------------------------------------------------

def masked_attention(query, key, value, mask=None):
    """Attention with a mask, True = may be looked at.

    query [B, A, S, D], key and value [B, A, T, D], mask broadcasting to [B, A, S, T]
    -> mixed values [B, A, S, D] and weights [B, A, S, T].
    A query that may look at nothing gets the mean of all values.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        lowest = torch.finfo(scores.dtype).min      # blank: the lowest finite number that this dtype has
        scores = scores.masked_fill(~mask, lowest)  # blank: that number wherever the mask is False
    weights = scores.softmax(dim=-1)                # blank: shares that sum to 1 over the keys
    return weights @ value, weights                 # blank: the values mixed by the weights, and the weights


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
    answer.__name__ = name
    return answer


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
WEIGHT_MISTAKES = {
    over_queries: "Your weights sum to 1 over the queries (each column); they must sum to 1 over the keys (each row): a query shares out 1.",
    mask_ignored: "The mask has no effect: your largest weight on a hidden key is {0:.2f}.",
    polarity_reversed: "Your mask works the other way round: a hidden key gets a weight of {0:.2f}. "
                       "Here True means 'may be looked at', so hide where it is False.",
    masked_after_softmax: "You set weights to zero after the softmax, so the rows sum to less than 1: hide the scores before it.",
    hidden_with_zero: "You hide a key by a score of 0, but e⁰ = 1: its weight is up to {0:.2f}. Only a score far below all others gives 0.",
    scale_by_length: "Your scores are divided by the square root of the number of queries, √4; the head size is 8.",
    no_scale: "Your scores are not divided by √8, the root of the head size.",
}


def check_masked(answer):
    query, key, value = draw(2, 3, 4, 8), draw(2, 3, 6, 8, seed=1), draw(2, 3, 6, 8, seed=2)
    padding = torch.ones(2, 1, 1, 6, dtype=torch.bool)                          # [B, 1, 1, T]
    padding[0, ..., 4:] = False
    blocks = padding & (torch.arange(6) < torch.tensor([[2], [3], [4], [6]]))   # [B, 1, S, T]
    for mask, name in ((None, "Without a mask"), (padding, "With 2 of 6 keys hidden"), (blocks, "With a mask [2, 1, 4, 6]")):
        found = answer(query, key, value, None if mask is None else mask.clone())
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise Mistake("Return two things: the mixed values and the weights.")
        mixed, weights = masked_attention(query, key, value, mask)
        hidden = torch.zeros(1, dtype=torch.bool) if mask is None else ~mask
        guesses = [(wrong(query, key, value, mask)[1], sentence) for wrong, sentence in WEIGHT_MISTAKES.items()]
        expect_tensor(found[1], weights.shape, f"{name}, the second result, the weights,")
        if found[1].isnan().any():
            raise Mistake(f"{name}, {int(found[1].isnan().sum())} of your weights are nan: a number that is too low for its dtype is -inf, "
                          "and -inf × 0 is nan. Do not multiply by the mask; put the number in place with masked_fill.")
        recognise(found[1], weights, [(guess, sentence.format((guess * hidden).max())) for guess, sentence in guesses], f"{name}, your tensor of weights")
        if hidden.any() and (left := float((found[1] * hidden).max())) > 0:
            raise Mistake(f"{name}, a hidden key keeps a weight of {left:.0e}: your number is not low enough.")
        recognise(found[0], mixed, [], f"{name}, your tensor of mixed values")
    check_mask_left_alone(answer, query, key, value, padding)
    check_large_scores(answer, query.float(), key.float(), value.float(), padding)
    check_empty_row(answer, query, key, value)


def check_mask_left_alone(answer, query, key, value, mask):
    given = mask.clone()
    answer(query, key, value, given)
    if not torch.equal(given, mask):
        raise Mistake(f"Your function changes the mask it was given: {int((given != mask).sum())} of {mask.numel()} entries "
                      "differ after the call. The next layer gets the same mask, so never work on it in place.")


def check_large_scores(answer, query, key, value, mask):
    weights = answer(query * 1000, key * 1000, value, mask.clone())[1]
    leaked = float(weights.masked_fill(mask, 0).max())
    if leaked > 0:
        raise Mistake(f"With large scores your mask leaks: a hidden key gets the weight {leaked:.2f}. A constant such as -10000 "
                      "is not far enough below scores of this size; take the lowest number of the dtype.")


def check_empty_row(answer, query, key, value):
    for dtype in (torch.float64, torch.float16):
        mask = torch.ones(2, 1, 1, 6, dtype=torch.bool)
        mask[1] = False                                                         # the second text is nothing but padding
        try:
            mixed = answer(query.to(dtype), key.to(dtype), value.to(dtype), mask)[0]
        except RuntimeError as error:
            raise Mistake(f"In {dtype} your function stops: {error}. The lowest number of float16 is -65504, so -1e9 "
                          "does not exist there; ask torch.finfo(scores.dtype).min.") from None
        if mixed.isnan().any():
            raise Mistake(f"For a text in which every key is hidden, {int(mixed[1].isnan().sum())} of {mixed[1].numel()} of your numbers "
                          f"are nan ({dtype}): a softmax over nothing but -inf is 0/0. A finite lowest number gives every key the same share.")
        mean = value[1].mean(-2, keepdim=True).expand(3, 4, 8)                  # [A, S, D]
        zeros = (torch.zeros_like(mean), "A query with nothing to look at gets zeros from you; here it gets the mean of all values, "
                                         "so that its weights still sum to 1.")
        open_row = (masked_attention(query, key, value)[0][1], "A text in which every key is hidden gets from you what it would get without a mask: "
                    "to lower all scores alike changes no weight. Put the lowest number in place of the scores instead of adding it.")
        recognise(mixed[1].double(), mean, [zeros, open_row], f"Your tensor of mixed values of a text in which every key is hidden ({dtype})",
                  tolerance=1e-5 if dtype == torch.float64 else 1e-2)


# 4.3 ------------------------------------------------------------------------------------------------------------------

def attention_counts(length, hidden, heads):
    """One self-attention over one text: S tokens of H numbers, A heads.

    -> how many parameters, how many attention weights, how many multiplications.
    """
    parameters = 3 * (hidden * hidden + hidden)     # blank: three linear maps with biases
    weights = heads * length * length               # blank: one for each head, query, key
    maps = 3 * length * hidden * hidden             # blank: multiplications of the maps
    pairs = 2 * length * length * hidden            # blank: those of scores and mixing
    return parameters, weights, maps + pairs


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


# name: which of the three numbers, what the mistake makes of it, and the sentence that goes on after "your number"
COUNT_MISTAKES = {
    "full_size_heads": (0, lambda s, h, a: a * 3 * (h * h + h),
                        "counts a full map from H to H for each of the {a} heads; the heads share H numbers: each is H / A = {d} wide"),
    "no_bias": (0, lambda s, h, a: 3 * h * h, "leaves out the three biases of {h} numbers each"),
    "one_map": (0, lambda s, h, a: h * h + h, "counts one linear map; queries, keys and values have one each"),
    "one_bias": (0, lambda s, h, a: 3 * h * h + h, "has {h} biases; each of the three maps has {h} of its own"),
    "times_length": (0, lambda s, h, a: s * 3 * (h * h + h), "grows with the text; all {s} tokens go through the same three maps"),
    "with_output": (0, lambda s, h, a: 4 * (h * h + h), "counts a fourth map: the one after the heads is BertSelfOutput's, in chapter 5"),
    "one_head": (1, lambda s, h, a: s * s, "counts one head; every one of the {a} heads has weights of its own"),
    "linear_in_length": (1, lambda s, h, a: a * s, "has one weight for each head and token; every token looks at every token: {s} × {s}"),
    "weights_by_size": (1, lambda s, h, a: s * s * h, "counts H numbers for each pair; a pair of tokens has one weight in each head"),
    "half_the_pairs": (1, lambda s, h, a: a * s * (s - 1) // 2, "counts each pair once; who looks at whom matters, and a token may look at itself"),
    "two_operations": (2, lambda s, h, a: 6 * s * h * h + 4 * s * s * h, "counts the additions too; only multiplications are asked for"),
    "maps_once": (2, lambda s, h, a: 3 * h * h + 2 * s * s * h, "sends one token through the maps; there are {s}"),
    "one_product": (2, lambda s, h, a: s * h * h + 2 * s * s * h, "has one linear map; queries, keys and values have one each"),
    "maps_only": (2, lambda s, h, a: 3 * s * h * h, "leaves out scores and mixing, {s} × {s} × {h} each"),
    "output_too": (2, lambda s, h, a: 4 * s * h * h + 2 * s * s * h, "counts a fourth map: the one after the heads is not asked for here"),
    "no_maps": (2, lambda s, h, a: 2 * s * s * h, "leaves out the three linear maps: {s} tokens × {h} × {h}, three times"),
    "no_mixing": (2, lambda s, h, a: 3 * s * h * h + s * s * h, "counts the scores or the mixing, not both; each costs {s} × {s} × {h}"),
    "times_heads": (2, lambda s, h, a: 3 * s * h * h + 2 * s * s * h * a,
                    "multiplies by the {a} heads although each head is only {d} wide: A × D = H"),
}


def planted(name):
    """`attention_counts` with one of its numbers counted differently."""
    which, change, _ = COUNT_MISTAKES[name]

    def answer(length, hidden, heads):
        numbers = list(attention_counts(length, hidden, heads))
        numbers[which] = change(length, hidden, heads)
        return tuple(numbers)
    answer.__name__ = name
    return answer


def check_counts(answer):
    names = ("number of parameters", "number of weights", "number of multiplications")
    for length, hidden, heads in ((7, 384, 12), (512, 768, 12), (11, 768, 16)):
        found, right = answer(length, hidden, heads), attention_counts(length, hidden, heads)
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise Mistake("Return three numbers: parameters, weights, multiplications.")
        for i, name in enumerate(names):
            if found[i] == right[i]:
                continue
            given = f"For S = {length}, H = {hidden}, A = {heads} your {name}, {found[i]:,},"
            for which, change, sentence in COUNT_MISTAKES.values():
                if which == i and found[i] == change(length, hidden, heads):
                    raise Mistake(f"{given} {sentence.format(s=length, h=hidden, a=heads, d=hidden // heads)}.")
            raise Mistake(f"{given} is not right: it is {right[i]:,}.")


# 4.4 ------------------------------------------------------------------------------------------------------------------

class SelfAttention(nn.Module):
    """Self-attention with A heads. Its parameters are named as in every published BERT."""

    def __init__(self, hidden_size, num_heads):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError(f"hidden_size {hidden_size} cannot be cut into {num_heads} equal heads")
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)

    def split(self, x):
        """[B, S, H] -> [B, A, S, D]."""
        B, S, H = x.shape
        x = x.view(B, S, self.num_heads, H // self.num_heads)   # blank: cut each token's H numbers
        return x.transpose(1, 2)                                # blank: heads before tokens

    def merge(self, x):
        """[B, A, S, D] -> [B, S, H]."""
        x = x.transpose(1, 2)                                   # blank: tokens before heads
        return x.flatten(2)                                     # blank: a token's pieces in a row

    def forward(self, hidden, mask=None, output_weights=False):
        """hidden [B, S, H], mask [B, 1, 1 or S, S].

        -> mixed [B, S, H] and, when asked for, weights [B, A, S, S] (else None).
        """
        query = self.split(self.query(hidden))
        key = self.split(self.key(hidden))
        value = self.split(self.value(hidden))
        mixed, weights = masked_attention(query, key, value, mask)
        return self.merge(mixed), weights if output_weights else None


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


SELF_MISTAKES = {
    MergedWithoutTransposing: "Your heads are merged without moving their axis back: [2, 4, 5, 6] read as [2, 5, 24] "
                              "mixes numbers of different tokens. Transpose, then flatten.",
    SplitWithoutTransposing: "Your split reads [2, 5, 24] as [2, 4, 5, 6] at once, which mixes tokens: first [2, 5, 4, 6], then transpose.",
    HeadsInterleaved: "Your heads take every 4th number of a token; a head has 6 numbers that stand side by side: "
                      "view(B, S, A, D), not (B, S, D, A).",
    PiecesInterleaved: "Your merge puts the heads' numbers in turns; the 6 numbers of a head stay side by side.",
    ScaledByLength: "Your scores are divided by √5, the length of the text; the size of a head is 24 / 4 = 6.",
    ScaledByHidden: "Your scores are divided by √24, the hidden size; the size of a head is 24 / 4 = 6.",
    QueriesAndKeysSwapped: "Your queries and keys are swapped: a row must belong to the token that asks.",
    MaskForgotten: "Your class does not use its mask: hidden tokens still get a share.",
    Unscaled: "Your scores are not divided by √6, the root of the head size.",
    MaskTurnedRound: "Your class turns its mask round: True means 'may be looked at'.",
    KeysAndValuesSwapped: "Your keys and values are swapped: weights come from queries and keys, and what they mix are the values.",
    QueriesAsKeys: "Your queries are compared with queries; the keys are not used.",
    SplitInterleaved: "Your split puts every 4th number of a token into a head, [B, S, D, A]; a head's 6 numbers stand side by side: view(B, S, A, D).",
    KeysAsValues: "Your class mixes the keys; weights are made of queries and keys, but what they mix are the values.",
}


def check_self_attention(answer):
    config = BertConfig(vocab_size=10, hidden_size=24, num_attention_heads=4, intermediate_size=24)
    reference = BertSelfAttention(config).double().eval()
    for i, p in enumerate(reference.parameters()):
        p.data = draw(*p.shape, seed=10 + i) / 3
    mine = answer(24, 4).double().eval()
    wanted, found = ({name: list(p.shape) for name, p in m.state_dict().items()} for m in (reference, mine))
    if found != wanted:
        given, real = (", ".join(f"{name} {shape}" for name, shape in names.items()) for names in (found, wanted))
        raise Mistake(f"Your parameters are {given}; real weights come as {real}.")
    mine.load_state_dict(reference.state_dict())
    hidden = draw(2, 5, 24, seed=3)                                             # [B, S, H]
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)                             # [B, 1, 1, S]
    mask[1, ..., 3:] = False
    right = reference(hidden, mask, output_weights=True)                        # [B, S, H], [B, A, S, S]
    result = mine(hidden, mask, output_weights=True)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise Mistake(f"forward returns a {type(result).__name__}; two things are wanted, the mixed values and the weights (or None).")
    mixed, weights = result
    guesses = []
    for suspect, sentence in SELF_MISTAKES.items():
        module = suspect(24, 4).double()
        module.load_state_dict(reference.state_dict())
        guesses.append((*module(hidden, mask, output_weights=True), sentence))
    recognise(mixed, right[0], [(guess, sentence) for guess, _, sentence in guesses], "Your tensor of mixed values")
    expect_tensor(weights, [2, 4, 5, 5], "With output_weights=True the second result")
    recognise(weights, right[1], [(guess, sentence) for _, guess, sentence in guesses], "Your tensor of weights")
    recognise(mine(hidden)[0], reference(hidden)[0], [], "Without a mask, your tensor of mixed values")
    if mine(hidden, mask)[1] is not None:
        raise Mistake("Without output_weights=True the second result should be None, but yours is a tensor of shape [2, 4, 5, 5]: "
                      "maps that nobody asked for fill the memory.")
    check_indivisible(answer)


def check_indivisible(answer):
    try:
        answer(100, 12)
    except ValueError as error:
        if "100" in str(error) and "12" in str(error):
            return
        raise Mistake(f"Your ValueError says “{error}”; name both numbers, 100 and 12.") from None
    except AssertionError:
        raise Mistake("You stop SelfAttention(100, 12) by an assert, which python -O leaves out. Raise a ValueError.") from None
    raise Mistake("SelfAttention(100, 12) is made without complaint: 100 / 12 = 8.33, so 12 heads of 8 would leave 4 numbers out. "
                  "Raise a ValueError.")


# 4.5 ------------------------------------------------------------------------------------------------------------------

def key_bias_shift(query, bias):
    """What a bias on the keys adds to the scaled scores: [B, A, S, D], [A, D] -> [B, A, S, 1]."""
    products = query * bias[:, None]                    # blank: each query times its head's bias
    shift = products.sum(dim=-1, keepdim=True)          # blank: summed up to a dot product
    return shift / math.sqrt(query.size(-1))            # blank: scaled as every score is


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


SHIFT_MISTAKES = {
    shift_unscaled: "Your shift is not divided by √8: the scores it is added to are.",
    shift_mean: "Your shift is a mean over the 8 numbers of a head; a dot product is their sum, here divided by √8 and not by 8.",
    shift_of_bias_alone: "Your shift sums the bias without the query; the first one is {0:.2f} and should be {1:.2f}.",
    shift_of_first_head: "You use the bias of the first head for all 3 heads: bias [3, 8] has a row for each.",
    shift_nothing: "Your shift is 0, but the scores do change: by {1:.2f} for the first query. It is the weights that do not.",
}
SHIFT_SHAPES = {
    (2, 3, 5): "Your result has the shape [2, 3, 5]; keep the last axis (keepdim=True): [2, 3, 5, 1] is added to a whole row of scores.",
    (2, 3, 1, 5): "Your result has the shape [2, 3, 1, 5]: one number for each key. The bias is the same for all keys; "
                  "what differs is the query: [2, 3, 5, 1].",
    (2, 3, 8, 1): "Your result has the shape [2, 3, 8, 1]: you summed over the 5 tokens. A dot product sums over the 8 numbers of a head.",
}


def check_shift(answer):
    query, bias = draw(2, 3, 5, 8), draw(3, 8, seed=1)                          # [B, A, S, D], [A, D]
    found, right = answer(query, bias), key_bias_shift(query, bias)             # [B, A, S, 1]
    if (shape := tuple(getattr(found, "shape", ()))) in SHIFT_SHAPES:
        raise Mistake(SHIFT_SHAPES[shape])
    guesses = [(wrong(query, bias), sentence) for wrong, sentence in SHIFT_MISTAKES.items()]
    recognise(found, right, [(guess, sentence.format(guess[0, 0, 0, 0], right[0, 0, 0, 0])) for guess, sentence in guesses], "The shift")


# ----------------------------------------------------------------------------------------------------------------------

EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="Scores, scaled",
        task="""
            Write the inside of equation 1, $QK^\\top/\\sqrt{d_k}$, for a batch with several heads: a score for every query and
            every key. The number of keys, T, may differ from the number of queries, S.
            """,
        hints=("`@` multiplies the last two axes of its two tensors and leaves the others alone: [S, D] times [D, T] gives [S, T].",
               "`key.transpose(-2, -1)` swaps the last two axes. The head size is `query.size(-1)`: "
               "not the number of tokens, not the hidden size."),
        paragraph="Why divide by √d?",
        solution=scaled_scores, check=check_scores, right=(scores_by_einsum, scores_scaled_before),
        wrong=patterns(SCORE_MISTAKES) | {scaled_in_place: r"changes the queries or keys"},
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="Attention that looks away from padding",
        task="""
            Write attention with a mask. `True` means 'may be looked at'. It must work where S and T differ, for a mask
            [B, 1, 1, T] and for [B, A, S, T], with large scores, in half precision, and for a text that is nothing but padding.
            The mask that you get is not yours: leave it as it is.
            """,
        hints=("A hidden key must get the weight 0, and the softmax turns only a very low score into 0. "
               "So change the scores, before the softmax.",
               "`torch.finfo(scores.dtype).min` is the lowest finite number of whatever precision you got. "
               "`scores.masked_fill(~mask, number)` makes a new tensor; its twin with a `_` at the end of its name would write "
               "into the old one."),
        paragraph="Which number hides a key?",
        solution=masked_attention, check=check_masked, right=(masked_with_infinity, masked_with_where),
        wrong=patterns(WEIGHT_MISTAKES) | {
            ten_thousand_less: r"hidden key gets the weight \d\.\d\d",
            filled_with_25: r"keeps a weight of",
            filled_with_65504: r"is not far enough below scores of this size",
            infinity_times_mask: r"of your weights are nan",
            filled_with_a_billion: r"float16.*-65504",
            filled_with_infinity: r"96 of 96 of your numbers are nan",
            empty_row_is_zero: r"gets zeros from you",
            mask_flipped_in_place: r"changes the mask.*12 of 12 entries"},
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="What do more heads cost?",
        task="""
            One text of S tokens goes through one self-attention: three linear maps, scores, softmax, mixing (no map after it,
            and the softmax not counted). Give its parameters, its attention weights and its multiplications as formulas in
            `length` (S), `hidden` (H) and `heads` (A). Before you write: which of the three grows when the heads double?
            """,
        hints=("A linear map from H to H has H × H weights and H biases, and needs H × H multiplications for each token. "
               "The heads are pieces of it: A × D = H.",
               "One score is a dot product of D numbers. There are A × S × S of them, so scoring costs A × S × S × D = S × S × H. "
               "Mixing costs the same."),
        paragraph="Several heads",
        solution=attention_counts, check=check_counts, right=(counts_step_by_step, counts_from_modules),
        wrong={planted(name): re.escape(sentence.split("{")[0]) for name, (_, _, sentence) in COUNT_MISTAKES.items()},
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=20, title="Self-attention, ready for real weights",
        task="""
            Build the module: three linear maps, heads split and merged, attention in between (by `masked_attention`). It is
            called as the package's own: `forward(hidden, mask, output_weights)`. After this exercise it runs inside a real BERT,
            so its parameters must be named as there. Dropout is left out: real weights are used in evaluation mode.
            """,
        hints=("Write the shape after every step: [B, S, H] → [B, S, A, D] → [B, A, S, D]. The way back is the same path in reverse.",
               "`x.view(B, S, A, D)` cuts each token's vector into A pieces that stand side by side; `.transpose(1, 2)` swaps the "
               "axes of tokens and heads. Back: `.transpose(1, 2)` first, then `.flatten(2)`."),
        paragraph="Split and merge",
        solution=SelfAttention, check=check_self_attention, right=(SelfAttentionByEinsum, SelfAttentionByLoop),
        wrong=patterns(SELF_MISTAKES) | {
            AnyNumberOfHeads: r"SelfAttention\(100, 12\) is made",
            MixedOnly: r"forward returns a Tensor",
            OtherNames: r"Your parameters are q\.weight \[24, 24\]",
            WeightsAlways: r"should be None"},
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="A parameter that does nothing",
        task="""
            `nn.Linear` has a bias, so every key is $W_K x + b$. What does $b$ add to the scores of a query? Write it as a
            function, and look at the shape of the result: why does the softmax over the keys not notice it at all?
            """,
        hints=("$q \\cdot (k + b) = q \\cdot k + q \\cdot b$. The second part does not contain $k$.",
               "Multiply `query` [B, A, S, D] by `bias[:, None]` [A, 1, D] and sum over the last axis, keeping it. Then scale."),
        paragraph="Equation 1",
        solution=key_bias_shift, check=check_shift, right=(shift_by_matrix, shift_by_difference),
        wrong=patterns(SHIFT_MISTAKES) | {
            shift_without_axis: r"\[2, 3, 5\]; keep the last axis",
            shift_on_keys: r"\[2, 3, 1, 5\]: one number",
            shift_over_tokens: r"\[2, 3, 8, 1\]: you summed"},
    ),
]
