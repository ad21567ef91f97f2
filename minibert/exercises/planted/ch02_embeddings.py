"""Answers on which the exercises of chapter 2 are tried: right ones, and wrong ones with what the check must say."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.embeddings import BertEmbeddings
from minibert.exercises.ch02_embeddings import Embeddings, embedding_parameters, layer_norm, same_vectors
from minibert.exercises.planted import Answers, named


# ---------------------------------------------------------------- 2.1 a lookup is a matrix product

def _by_embedding(ids, table):
    return F.embedding(ids, table)


def _by_comparison(ids, table):
    return torch.einsum("bsv,vh->bsh", (ids[..., None] == torch.arange(len(table))).to(table.dtype), table)


def _rows_of_positions(ids, table):
    return table[torch.arange(ids.size(1))].expand(ids.size(0), -1, -1)


def _one_too_early(ids, table):
    return table[ids - 1]


def _one_too_late(ids, table):
    return table.roll(-1, 0)[ids]


def _id_as_quantity(ids, table):
    return ids[..., None] * table[0]


def _narrow_rows(ids, table):
    return F.one_hot(ids).to(table.dtype) @ table


def _integers_times_table(ids, table):
    return F.one_hot(ids, num_classes=table.size(0)) @ table


def _single_precision(ids, table):
    return F.one_hot(ids, num_classes=table.size(0)).float() @ table.float()


def _zero_for_padding(ids, table):
    return table[ids] * (ids != 0)[..., None]


def _one_vector_per_text(ids, table):
    return table[ids].sum(dim=1)


# ---------------------------------------------------------------- 2.2 counting parameters

def _by_building(config):
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in BertEmbeddings(config).parameters())


def _table_by_table(config):
    H = config.hidden_size
    words, segments, positions = config.vocab_size * H, config.type_vocab_size * H, config.max_position_embeddings * H
    gamma = beta = H
    return words + segments + positions + gamma + beta


def _segments_as_words(config):
    return (2 * config.vocab_size + config.max_position_embeddings + 2) * config.hidden_size


def _no_layer_norm(config):
    return embedding_parameters(config) - 2 * config.hidden_size


def _only_gamma(config):
    return embedding_parameters(config) - config.hidden_size


def _with_bias(config):
    return embedding_parameters(config) + 3 * config.hidden_size


def _norm_per_table(config):
    return embedding_parameters(config) + 4 * config.hidden_size


def _norm_of_two_numbers(config):
    return embedding_parameters(config) - 2 * config.hidden_size + 2


def _words_alone(config):
    return config.vocab_size * config.hidden_size


def _base_by_heart(config):
    return 23_837_184


def _always_two(config):
    return (config.vocab_size + config.max_position_embeddings + 2 + 2) * config.hidden_size


def _always_sixteen(config):
    return (config.vocab_size + config.max_position_embeddings + 16 + 2) * config.hidden_size


def _no_positions_counted(config):
    return embedding_parameters(config) - config.max_position_embeddings * config.hidden_size


def _rows_only(config):
    return config.vocab_size + config.type_vocab_size + config.max_position_embeddings + 2 * config.hidden_size


def _position_per_segment(config):
    return (config.vocab_size + config.type_vocab_size * config.max_position_embeddings + 2) * config.hidden_size


# ---------------------------------------------------------------- 2.3 LayerNorm

def norm_variant(over=(-1,), unbiased=False, eps_at="inside", root=True, centred=True, affine="right"):
    """LayerNorm with one thing or another done differently; the planted mistakes, and what they would give."""
    def norm(x, gamma, beta, eps=1e-12):
        mean = x.mean(over, keepdim=True)
        squares = (x if unbiased == "of x" else x - mean) ** 2
        variance = (squares.sum(over, keepdim=True) if unbiased == "sum" else squares.mean(over, keepdim=True) if unbiased == "of x"
                    else x.var(over, keepdim=True, unbiased=unbiased))
        eps = 1e-5 if eps_at == "fixed" else eps
        spread = variance if not root else variance.sqrt() if eps_at == "nowhere" else variance.sqrt() + eps if eps_at == "outside" else (variance + eps).sqrt()
        normed = (x - mean if centred else x) / spread
        return {"right": gamma * normed + beta, "none": normed, "before": gamma * (normed + beta),
                "no gamma": normed + beta, "no beta": gamma * normed, "swapped": beta * normed + gamma}[affine]
    return named(f"norm_{over}_{unbiased}_{eps_at}_{root}_{centred}_{affine}", norm)


def _norm_by_torch(x, gamma, beta, eps=1e-12):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def _norm_by_var(x, gamma, beta, eps=1e-12):
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return torch.rsqrt(variance + eps) * (x - mean) * gamma + beta


def _norm_through_float32(x, gamma, beta, eps=1e-12):
    return _norm_in_float32(x, gamma, beta, eps).to(x.dtype)


def _norm_along_dim_2(x, gamma, beta, eps=1e-12):
    return gamma * (x - x.mean(2, keepdim=True)) / (x.var(2, keepdim=True, correction=0) + eps).sqrt() + beta


def _norm_in_place(x, gamma, beta, eps=1e-12):
    return x.copy_(layer_norm(x, gamma, beta, eps))


def _norm_in_float32(x, gamma, beta, eps=1e-12):
    return layer_norm(x.float(), gamma.float(), beta.float(), eps)


# One mistake each: what is done differently, and the sentence for it.
LAYER_NORM_MISTAKES = (
    (norm_variant(unbiased=True), "you divide the squared distances by H - 1 = {less}, the unbiased variance; LayerNorm divides by H = {H}."),
    (norm_variant(unbiased=True, eps_at="outside"), "you use the unbiased standard deviation and add eps outside the root; LayerNorm takes the root of (biased variance + eps)."),
    (norm_variant(eps_at="outside"), "you add eps to the standard deviation, outside the root; it belongs to the variance, inside the root."),
    (norm_variant(eps_at="nowhere"), "eps is not used, or not the one asked for, {eps}; without any, a token whose {H} numbers are equal gives 0/0."),
    (norm_variant(unbiased="sum"), "you add the squared distances up; the variance is their mean, over {H} features."),
    (norm_variant(unbiased="of x"), "your variance is the mean of the squared numbers themselves; take their squared distances from the mean."),
    (norm_variant(unbiased="of x", centred=False), "the mean is nowhere subtracted (RMSNorm does that); LayerNorm subtracts it before it squares and before it divides."),
    (norm_variant(over=(0, 1, 2)), "you take one mean and variance for everything; every token has its own, over its {H} features."),
    (norm_variant(eps_at="fixed"), "you use eps = 1e-5 whatever is asked for; here eps is {eps}."),
    (norm_variant(root=False), "you divide by the variance; divide by its square root."),
    (norm_variant(centred=False), "you do not subtract the mean; every token must come out with mean 0 before gamma and beta."),
    (norm_variant(over=(0,)), "you take mean and variance over the {B} texts of the batch; a token must not depend on its neighbours in the batch: use the last dimension, its {H} features."),
    (norm_variant(over=(1,)), "you take mean and variance over the {S} tokens; use the last dimension, the {H} features of each token."),
    (norm_variant(over=(1, 2)), "you take one mean and variance for all {S} tokens of a text; every token has its own, over its {H} features."),
    (norm_variant(affine="none"), "gamma and beta are not used."),
    (norm_variant(affine="no gamma"), "gamma is not used."),
    (norm_variant(affine="no beta"), "beta is not used."),
    (norm_variant(affine="before"), "you add beta before you multiply by gamma; stretch first, then shift."),
    (norm_variant(affine="swapped"), "gamma and beta have changed places: gamma multiplies, beta is added."),
)


# ---------------------------------------------------------------- 2.4 which vectors are the same?

def _by_triples(ids_a, ids_b, types_a, types_b):
    first, second = (list(zip(ids, types)) for ids, types in ((ids_a, types_a), (ids_b, types_b)))
    return [i for i, (a, b) in enumerate(zip(first, second)) if a == b]


def _by_sets(ids_a, ids_b, types_a, types_b):
    return sorted(i for i, _, _ in set(zip(range(len(ids_a)), ids_a, types_a)) & set(zip(range(len(ids_b)), ids_b, types_b)))


def _segments_forgotten(ids_a, ids_b, types_a, types_b):
    return [i for i, (a, b) in enumerate(zip(ids_a, ids_b)) if a == b]


def _place_forgotten(ids_a, ids_b, types_a, types_b):
    return [i for i, a in enumerate(ids_a) if a in ids_b]


def _until_the_first_difference(ids_a, ids_b, types_a, types_b):
    right = same_vectors(ids_a, ids_b, types_a, types_b)
    return [i for n, i in enumerate(right) if i == n]


def _whole_text_or_nothing(ids_a, ids_b, types_a, types_b):
    return list(range(len(ids_a))) if (ids_a, types_a) == (ids_b, types_b) else []


def _only_cls(ids_a, ids_b, types_a, types_b):
    return [0]


def _ids_for_positions(ids_a, ids_b, types_a, types_b):
    return [ids_a[i] for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _a_number(ids_a, ids_b, types_a, types_b):
    return len(same_vectors(ids_a, ids_b, types_a, types_b))


def _either(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if ids_a[i] == ids_b[i] or types_a[i] == types_b[i]]


def _one_position_short(ids_a, ids_b, types_a, types_b):
    return [i for i in same_vectors(ids_a, ids_b, types_a, types_b) if i < min(len(ids_a), len(ids_b)) - 1]


def _the_differences(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if i not in same_vectors(ids_a, ids_b, types_a, types_b)]


def _segment_zero_only(ids_a, ids_b, types_a, types_b):
    return [i for i in same_vectors(ids_a, ids_b, types_a, types_b) if types_a[i] == 0]


def _numbers_added(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if ids_a[i] + types_a[i] == ids_b[i] + types_b[i]]


def _yes_or_no(ids_a, ids_b, types_a, types_b):
    return [a == b for a, b in zip(zip(ids_a, types_a), zip(ids_b, types_b))]


def _counted_from_one(ids_a, ids_b, types_a, types_b):
    return [i + 1 for i in same_vectors(ids_a, ids_b, types_a, types_b)]


# ---------------------------------------------------------------- 2.5 the embeddings of a BERT

class _OneLineSum(BertEmbeddings):
    """The package's own class, and so a right answer."""


class _ThroughFunctions(Embeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        x = self.word_embeddings(input_ids)
        places = torch.arange(x.size(1)) if position_ids is None else position_ids
        x = x + F.embedding(places, self.position_embeddings.weight)
        x = x + self.token_type_embeddings(input_ids * 0 if token_type_ids is None else token_type_ids)
        x = layer_norm(x, self.LayerNorm.weight, self.LayerNorm.bias, self.LayerNorm.eps)
        return F.dropout(x, self.dropout.p, self.training)


class _Planted(Embeddings):
    """The solution in small steps, so that each planted mistake overrides one of them."""

    def parts(self, ids, types, places):
        return self.word_embeddings(ids), self.token_type_embeddings(types), self.position_embeddings(places)

    def places(self, ids, given):
        return torch.arange(ids.size(1))[None] if given is None else given

    def types(self, ids, given):
        return torch.zeros_like(ids) if given is None else given

    def finish(self, total):
        return self.dropout(self.LayerNorm(total))

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return self.finish(sum(self.parts(input_ids, self.types(input_ids, token_type_ids), self.places(input_ids, position_ids))))


class _NoPositions(_Planted):
    def parts(self, ids, types, places):
        return super().parts(ids, types, places)[:2]


class _NoSegments(_Planted):
    def parts(self, ids, types, places):
        return super().parts(ids, types, places)[::2]


class _Scaled(_Planted):
    def parts(self, ids, types, places):
        word, *others = super().parts(ids, types, places)
        return word * word.size(-1) ** 0.5, *others


class _WholePositionTable(_Planted):
    def places(self, ids, given):
        return torch.arange(self.position_embeddings.num_embeddings)[None] if given is None else given


class _PositionsFromOne(_Planted):
    def places(self, ids, given):
        return super().places(ids, given) + 1 if given is None else given


class _PositionsIgnored(_Planted):
    def places(self, ids, given):
        return torch.arange(ids.size(1))[None]


class _SegmentsIgnored(_Planted):
    def types(self, ids, given):
        return torch.zeros_like(ids)


class _SegmentOneByDefault(_Planted):
    def types(self, ids, given):
        return torch.ones_like(ids) if given is None else given


class _NoNorm(_Planted):
    def finish(self, total):
        return self.dropout(total)


class _DropoutFirst(_Planted):
    def finish(self, total):
        return self.LayerNorm(self.dropout(total))


class _NoDropout(_Planted):
    def finish(self, total):
        return self.LayerNorm(total)


class _SegmentPerWord(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.token_type_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)


class _TorchEps(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)


class _OtherNames(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.norm = self.LayerNorm
        del self.LayerNorm


class _SegmentZeroFrozen(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size, padding_idx=0)


class _PlaceZeroFrozen(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size, padding_idx=0)


class _DropoutForEver(_Planted):
    def finish(self, total):
        return F.dropout(self.LayerNorm(total), self.dropout.p)


class _PaddingLearns(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)


ANSWERS = {
    "one_hot_lookup": Answers(
        right=(_by_embedding, _by_comparison),
        wrong={_rows_of_positions: "rows 0 to 3: that is where the tokens stand", _one_too_early: "one too early: id 7", _one_too_late: "one too late: id 7",
               _id_as_quantity: "multiplied one row by the id", _narrow_rows: "largest id here is 7.*11",
               _integers_times_table: "two factors of one precision", _single_precision: "float32, but the table is torch.float64",
               _zero_for_padding: "vector of id 0 to zero", _one_vector_per_text: r"shape \[2, 4, 3\], but it has \[2, 3\]"}),
    "layer_norm": Answers(
        right=(_norm_by_torch, _norm_by_var),
        wrong={norm_variant(unbiased=True): "1.50.*H - 1 = 3", norm_variant(eps_at="outside"): "outside the root", norm_variant(eps_at="nowhere"): "eps is not used",
               norm_variant(eps_at="fixed"): "eps = 1e-5 whatever is asked for; here eps is 0.5", norm_variant(root=False): "divide by the variance",
               norm_variant(centred=False): "do not subtract the mean", norm_variant(over=(0,)): "over the 2 texts of the batch",
               norm_variant(over=(1,)): "over the 3 tokens", norm_variant(over=(1, 2)): "for all 3 tokens of a text", norm_variant(affine="none"): "gamma and beta are not used",
               norm_variant(affine="before"): "beta before you multiply", norm_variant(affine="swapped"): "changed places", _norm_in_float32: "torch.float32, but x is torch.float64",
               norm_variant(unbiased="sum"): "add the squared distances up", norm_variant(unbiased="of x"): "squared numbers themselves", norm_variant(unbiased="of x", centred=False): "RMSNorm",
               norm_variant(over=(0, 1, 2)): "for everything", _norm_through_float32: "digits only", _norm_along_dim_2: r"not for x of \[3, 5\]", _norm_in_place: "in place"},
        known=LAYER_NORM_MISTAKES),
    "embedding_parameters": Answers(
        right=(_by_building, _table_by_table),
        wrong={_segments_as_words: "row for every word of the vocabulary", _no_layer_norm: "120 too few: LayerNorm is missing", _only_gamma: "60 too few: LayerNorm learns two vectors",
               _with_bias: "a lookup has no bias", _norm_per_table: "one LayerNorm, after the sum", _norm_of_two_numbers: "not two numbers",
               _words_alone: "position table and LayerNorm are missing", _base_by_heart: "BERT-base's number", _always_two: "always count 2", _always_sixteen: "always count 16",
               _no_positions_counted: "position table is missing", _rows_only: "vector of H numbers", _position_per_segment: "added, not multiplied"}),
    "same_vectors": Answers(
        right=(_by_triples, _by_sets),
        wrong={_segments_forgotten: "pair and as one text.*segment vector is part", _place_forgotten: "another position vector",
               _until_the_first_difference: "stop at the first difference", _whole_text_or_nothing: "one token at a time",
               _only_cls: "not the only one", _ids_for_positions: "those are ids", _a_number: "list of positions", _counted_from_one: "count from 0", _either: "both must",
               _one_position_short: "last position of the shorter", _the_differences: "vectors differ", _segment_zero_only: "leave out segment 1",
               _numbers_added: "add up to the same", _yes_or_no: "yes or no"}),
    "Embeddings": Answers(
        right=(_OneLineSum, _ThroughFunctions),
        wrong={_NoPositions: "position vectors are not in your sum", _NoSegments: "segment vectors are not in your sum", _Scaled: "√H = 2.45",
               _WholePositionTable: "it has 5 tokens, and the table has 9 rows", _PositionsFromOne: "start at 1", _PositionsIgnored: "position_ids that are passed in are ignored",
               _SegmentsIgnored: "token_type_ids that are passed in are ignored", _SegmentOneByDefault: "the default is 0", _NoNorm: "LayerNorm is not applied",
               _DropoutFirst: "dropout comes last", _NoDropout: "dropout with p = 0.25 is missing", _SegmentPerWord: "13 rows, as many as the vocabulary",
               _TorchEps: "eps = 1e-5", _OtherNames: "a BERT has LayerNorm.weight", _PaddingLearns: "row 0 of your word table gets a gradient",
               _SegmentZeroFrozen: "row 0 of your token_type_embeddings gets no gradient, though 10", _PlaceZeroFrozen: "position_embeddings gets no gradient, though 2",
               _DropoutForEver: "in evaluation .* of your numbers are 0"}),
}
