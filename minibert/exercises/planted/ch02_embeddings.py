"""Answers on which the exercises of chapter 2 are tried: right ones, and wrong ones with what the check must say."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.embeddings import BertEmbeddings
from minibert.exercises.ch02_embeddings import Embeddings, embedding_parameters, layer_norm, same_vectors
from minibert.exercises.planted import Answers, named, patterns


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


def _scaled_lookup(ids, table):
    return table[ids] * table.size(1) ** 0.5


def _first_text_for_all(ids, table):
    return table[ids[:1]].expand(*ids.shape, -1)


def _read_from_below(ids, table):
    return table.flip(0)[ids]


def _eleven_rows(ids, table):
    return F.one_hot(ids, num_classes=11).to(table.dtype) @ table


def _two_texts(ids, table):
    return torch.stack([table[ids[0]], table[ids[1]]])


def _always_double(ids, table):
    return torch.stack([table[row] for row in ids]).double()


def _through_float32(ids, table):
    return table.float()[ids].to(table.dtype)


def _without_gradient(ids, table):
    return F.one_hot(ids, num_classes=table.size(0)).to(table.dtype) @ table.detach()


def _lookup_that_writes(ids, table):
    result = table[ids]
    ids.zero_()
    return result


def _remembered():
    kept = []

    def answer(ids, table):
        if not kept:
            kept.append(table[ids])
        return kept[0]
    return answer


_remembers = named("_remembers", _remembered())


LOOKUP_MISTAKES = (
    (_rows_of_positions, "you took the rows 0 to {last}: that is where the tokens stand; the row to take is the id, {id} for the first token."),
    (_one_too_early, "every row is one too early: id {id} is row {id}, because rows are counted from 0."),
    (_one_too_late, "every row is one too late: id {id} is row {id}, counted from 0."),
    (_id_as_quantity, "you multiplied one row by the id, as if token {id} were {id} times token 1; an id only says which row."),
    (_zero_for_padding, "you set the vector of id 0 to zero; a lookup copies whatever stands in row 0."),
    (_read_from_below, "you read the table from below: id 0 is its first row, and you took row {bottom}."),
    (_scaled_lookup, "you multiply the rows by √H = {root:.2f}; a lookup copies them as they are."),
    (_first_text_for_all, "every text of yours has the vectors of the first one."),
)


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


def _counted(name, change):
    """The right count and what `change` makes of it, from the count and the config."""
    return named(name, lambda config: change(embedding_parameters(config), config))


_with_output_layer = _counted("_with_output_layer", lambda right, config: right + config.vocab_size * config.hidden_size)
_with_pooler = _counted("_with_pooler", lambda right, config: right + config.hidden_size ** 2 + config.hidden_size)
_words_and_positions = _counted("_words_and_positions", lambda right, config: (config.vocab_size + config.max_position_embeddings) * config.hidden_size)
_words_and_segments = _counted("_words_and_segments", lambda right, config: (config.vocab_size + config.type_vocab_size) * config.hidden_size)
_norm_per_position = _counted("_norm_per_position", lambda right, config: right + 2 * (config.max_position_embeddings - 1) * config.hidden_size)
_one_vector_more = _counted("_one_vector_more", lambda right, config: right + config.hidden_size)
_two_norms = _counted("_two_norms", lambda right, config: right + 2 * config.hidden_size)
_times_heads = _counted("_times_heads", lambda right, config: right * config.num_attention_heads)
_in_bytes = _counted("_in_bytes", lambda right, config: 4 * right)
_always_768 = _counted("_always_768", lambda right, config: right // config.hidden_size * 768)
_norm_with_matrix = _counted("_norm_with_matrix", lambda right, config: right - 2 * config.hidden_size + config.hidden_size ** 2)
_words_and_norm = _counted("_words_and_norm", lambda right, config: (config.vocab_size + 2) * config.hidden_size)
_always_30522 = _counted("_always_30522", lambda right, config: right + (30522 - config.vocab_size) * config.hidden_size)
_no_words = _counted("_no_words", lambda right, config: right - config.vocab_size * config.hidden_size)
_no_segments_counted = _counted("_no_segments_counted", lambda right, config: right - config.type_vocab_size * config.hidden_size)
_always_512 = _counted("_always_512", lambda right, config: right + (512 - config.max_position_embeddings) * config.hidden_size)
_as_float = _counted("_as_float", lambda right, config: right / 1)
_another_field = _counted("_another_field", lambda right, config: config.vocab * config.hidden_size)


def _norm_as_rows(config):
    return (embedding_parameters(config) // config.hidden_size - 2 + 2 * config.hidden_size) * config.hidden_size


def _norm_multiplied(config):
    return (embedding_parameters(config) - 2 * config.hidden_size) * 2 * config.hidden_size


def _rows_multiplied(config):
    return config.vocab_size * config.type_vocab_size * config.max_position_embeddings * config.hidden_size + 2 * config.hidden_size


def _always_two_and_512(config):
    return (config.vocab_size + 2 + 512 + 2) * config.hidden_size


def _norms_of_the_layers(config):
    return embedding_parameters(config) + 2 * config.num_hidden_layers * 2 * config.hidden_size


def _norm_with_linear(config):
    return embedding_parameters(config) - config.hidden_size + config.hidden_size ** 2


COUNT_MISTAKES = (
    (_segments_as_words, "your segment table has a row for every word of the vocabulary; it has one for every kind of segment."),
    (_no_layer_norm, "LayerNorm is missing: it learns two vectors of length H."),
    (_only_gamma, "LayerNorm learns two vectors of length H, gamma and beta; or did you leave out the padding row, which is a row like any other?"),
    (_norm_per_table, "there is one LayerNorm, after the sum, not one for each table."),
    (_norm_of_two_numbers, "LayerNorm's gamma and beta are two vectors of H numbers, not two numbers."),
    (_norm_with_matrix, "LayerNorm has no matrix: it learns two vectors of length H."),
    (_words_alone, "the segment table, the position table and LayerNorm are missing."),
    (_words_and_norm, "the segment table and the position table are missing."),
    (_base_by_heart, "that is BERT-base's number, whatever the config says."),
    (_always_512, "you always count 512 positions; the config says how many there are."),
    (_always_30522, "you always count 30,522 words; the config says how many there are."),
    (_no_positions_counted, "the position table is missing."),
    (_no_segments_counted, "the segment table is missing."),
    (_no_words, "the word table is missing."),
    (_with_bias, "a lookup has no bias; you added one vector of length H for each table."),
    (_always_two, "you always count 2 segment types; the config says how many there are."),
    (_always_sixteen, "you always count 16 segment types; the config says how many there are."),
    (_position_per_segment, "the segment table and the position table stand side by side: their rows are added, not multiplied."),
    (_rows_only, "a row of a table is a vector of H numbers, not one number."),
    (_with_output_layer, "you count the word table twice, or an output layer with it; the embeddings have it once."),
    (_with_pooler, "you count a linear map of H × H and its bias; it is the pooler's, at the other end of the model."),
    (_words_and_positions, "the segment table and LayerNorm are missing."),
    (_words_and_segments, "the position table and LayerNorm are missing."),
    (_norm_per_position, "LayerNorm's gamma and beta are shared by all positions: two vectors, not two for each position."),
    (_one_vector_more, "that is one vector of length H more; a lookup has no bias, and dropout learns nothing."),
    (_two_norms, "that is two vectors of length H more: there is one LayerNorm, after the sum."),
    (_times_heads, "you multiply by the {heads} heads, which the embeddings do not have."),
    (_in_bytes, "those are bytes, 4 for each number; asked for are the numbers."),
    (_always_768, "you always count 768 numbers in a row; the config says how many there are."),
    (_norm_as_rows, "you multiply LayerNorm's numbers by H once more: 2 · H of them is the whole count, they are no rows."),
    (_norm_multiplied, "you multiply the tables by what LayerNorm learns; it is added."),
    (_rows_multiplied, "you multiply the rows of the three tables; they stand side by side, so they are added."),
    (_always_two_and_512, "you always count 2 segment types and 512 positions; the config says how many there are."),
    (_norms_of_the_layers, "you count the LayerNorms of the layers too; the embeddings have one, after the sum."),
    (_norm_with_linear, "LayerNorm has no matrix: it learns two vectors of length H, gamma and beta, and you count H × H + H."),
)


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


def norm_steps(name, centre=lambda x: x - x.mean(-1, keepdim=True), spread=lambda c, eps: (c.square().mean(-1, keepdim=True) + eps).sqrt(),
               finish=lambda normed, gamma, beta: gamma * normed + beta):
    """LayerNorm in three steps, one of them done differently."""
    def norm(x, gamma, beta, eps=1e-12):
        centred = centre(x)
        return finish(centred / spread(centred, eps), gamma, beta)
    return named(name, norm)


norm_mean_of_distances = norm_steps("norm_mean_of_distances", spread=lambda c, eps: (c.mean(-1, keepdim=True) ** 2 + eps).sqrt())
norm_by_distance = norm_steps("norm_by_distance", spread=lambda c, eps: c.abs().mean(-1, keepdim=True))
norm_by_length = norm_steps("norm_by_length", spread=lambda c, eps: c.norm(dim=-1, keepdim=True))
norm_by_median = norm_steps("norm_by_median", centre=lambda x: x - x.median(-1, keepdim=True).values)
norm_from_the_lowest = norm_steps("norm_from_the_lowest", centre=lambda x: x - x.amin(-1, keepdim=True), spread=lambda c, eps: c.amax(-1, keepdim=True) + eps)
norm_multiplied = norm_steps("norm_multiplied", spread=lambda c, eps: 1 / (c.square().mean(-1, keepdim=True) + eps).sqrt())
norm_floor = norm_steps("norm_floor", spread=lambda c, eps: c.square().mean(-1, keepdim=True).clamp(min=eps).sqrt())
norm_eps_twice = norm_steps("norm_eps_twice", spread=lambda c, eps: (c.square().mean(-1, keepdim=True) + 2 * eps).sqrt())
norm_scaled = norm_steps("norm_scaled", finish=lambda normed, gamma, beta: (gamma * normed + beta) * len(gamma) ** 0.5)
norm_gamma_twice = norm_steps("norm_gamma_twice", finish=lambda normed, gamma, beta: gamma * gamma * normed + beta)
norm_beta_away = norm_steps("norm_beta_away", finish=lambda normed, gamma, beta: gamma * normed - beta)
norm_gamma_plus_one = norm_steps("norm_gamma_plus_one", finish=lambda normed, gamma, beta: (gamma + 1) * normed + beta)


def norm_brackets(x, gamma, beta, eps=1e-12):
    return gamma * (x - x.mean(-1, keepdim=True) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)) + beta


def norm_of_features(x, gamma, beta, eps=1e-12):
    over = tuple(range(x.dim() - 1))
    return gamma * (x - x.mean(over)) / torch.sqrt(x.var(over, correction=0) + eps) + beta


def norm_without_keepdim(x, gamma, beta, eps=1e-12):
    return gamma * (x - x.mean(-1)) / torch.sqrt(x.var(-1, correction=0) + eps) + beta


def norm_in_double(x, gamma, beta, eps=1e-12):
    return layer_norm(x.double(), gamma.double(), beta.double(), eps)


def norm_of_large_default(x, gamma, beta, eps=1e-5):
    return layer_norm(x, gamma, beta, eps)


def norm_of_eps_at_least(x, gamma, beta, eps=1e-12):
    return layer_norm(x, gamma, beta, max(eps, 1e-7))


def norm_without_default(x, gamma, beta, eps):
    return layer_norm(x, gamma, beta, eps)


# One mistake each: what is done differently, and the sentence for it.
def norm_mean_of_all(x, gamma, beta, eps=1e-12):
    centred = x - x.mean()
    return gamma * centred / ((centred ** 2).mean(-1, keepdim=True) + eps).sqrt() + beta


def norm_mean_of_tokens(x, gamma, beta, eps=1e-12):
    centred = x - (x.mean(1, keepdim=True) if x.dim() > 2 else x.mean(0, keepdim=True))
    return gamma * centred / ((centred ** 2).mean(-1, keepdim=True) + eps).sqrt() + beta


def norm_by_root_of_deviation(x, gamma, beta, eps=1e-12):
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True, correction=0) + eps).sqrt() + beta


def norm_by_root_of_unbiased_deviation(x, gamma, beta, eps=1e-12):
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps).sqrt() + beta


def norm_eps_behind(x, gamma, beta, eps=1e-12):
    return gamma * ((x - x.mean(-1, keepdim=True)) / x.var(-1, keepdim=True, correction=0).sqrt() + eps) + beta


def norm_eps_squared(x, gamma, beta, eps=1e-12):
    return layer_norm(x, gamma, beta, eps ** 2)


def norm_of_nothing(x, gamma, beta, eps=1e-12):
    return gamma * x + beta


def norm_variance_less_mean(x, gamma, beta, eps=1e-12):
    mean = x.mean(-1, keepdim=True)
    return gamma * (x - mean) / ((x ** 2).mean(-1, keepdim=True) - mean + eps).sqrt() + beta


def norm_divided_by_tokens(x, gamma, beta, eps=1e-12):
    centred = x - x.mean(-1, keepdim=True)
    return gamma * centred / ((centred ** 2).sum(-1, keepdim=True) / x.size(-2 if x.dim() > 1 else -1) + eps).sqrt() + beta


def norm_softmax(x, gamma, beta, eps=1e-12):
    return gamma * x.softmax(-1) + beta


LAYER_NORM_MISTAKES = (
    (norm_mean_of_all, "your mean is one number for everything, x.mean(); every token has its own, over its {H} features."),
    (norm_mean_of_tokens, "your mean is taken over the {S} tokens; every token has its own, over its {H} features, dim=-1."),
    (norm_by_root_of_deviation, "you take the root twice: a standard deviation is the root of the variance already."),
    (norm_by_root_of_unbiased_deviation, "you take the root of x.std(), which is a root already, and divides by H - 1 = {less} besides; take the mean of the squared distances."),
    (norm_eps_behind, "you add eps to the quotient; it belongs under the root, to the variance: the brackets of the root go round both."),
    (norm_eps_squared, "you square eps; it is added to the variance as it is."),
    (norm_of_nothing, "gamma and beta are applied to x itself; they belong to what has been normalised."),
    (norm_variance_less_mean, "you subtract the mean from the mean of the squares; it is the *square* of the mean that is subtracted there."),
    (norm_divided_by_tokens, "you divide the sum of the squared distances by the {S} tokens; the mean over {H} features divides by {H}."),
    (norm_softmax, "that is a softmax, which makes numbers that sum to 1; LayerNorm makes mean 0 and variance 1."),
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
    (norm_mean_of_distances, "you square the mean of the distances, which is 0; square each distance first, then take the mean."),
    (norm_by_distance, "you divide by the mean absolute distance; the standard deviation is the root of the mean *squared* distance."),
    (norm_by_length, "you divide by the length of the centred vector, the root of a sum; the variance is a mean, so a factor of √H = √{H} is missing."),
    (norm_by_median, "you subtract the median; it is the mean that is subtracted."),
    (norm_from_the_lowest, "you stretch every token from its lowest to its highest number; wanted are mean 0 and variance 1."),
    (norm_multiplied, "you multiply by the standard deviation; divide by it."),
    (norm_floor, "you take the larger of variance and eps; eps is added to the variance."),
    (norm_eps_twice, "you add eps twice."),
    (norm_scaled, "you multiply by √H = √{H}; after LayerNorm the variance of a token is 1."),
    (norm_gamma_twice, "you multiply by gamma twice."),
    (norm_beta_away, "you subtract beta; it is added."),
    (norm_gamma_plus_one, "you multiply by gamma + 1; gamma starts at 1 by itself, and is used as it is."),
    (norm_brackets, "the brackets are missing: you divide the mean alone by the standard deviation, not the distance from it."),
    (norm_of_features, "you take mean and variance over all tokens of all texts for each feature, as batch norm does; use the {H} features of each token."),
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


def _by_product(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if ids_a[i] * (types_a[i] + 1) == ids_b[i] * (types_b[i] + 1)]


def _one_object(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if ids_a[i] is ids_b[i] and types_a[i] is types_b[i]]


def _padded_first(ids_a, ids_b, types_a, types_b):
    length = max(len(ids_a), len(ids_b))
    ids_a, ids_b, types_a, types_b = (numbers + [0] * (length - len(numbers)) for numbers in (ids_a, ids_b, types_a, types_b))
    return [i for i in range(length) if ids_a[i] == ids_b[i] and types_a[i] == types_b[i]]


def _as_far_as_the_first(ids_a, ids_b, types_a, types_b):
    return [i for i in range(len(ids_a)) if ids_a[i] == ids_b[i] and types_a[i] == types_b[i]]


def _first_place_of_each(ids_a, ids_b, types_a, types_b):
    return [ids_a.index(ids_a[i]) for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _pairs_of_positions(ids_a, ids_b, types_a, types_b):
    return [(i, i) for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _no_sep(ids_a, ids_b, types_a, types_b):
    return [i for i in same_vectors(ids_a, ids_b, types_a, types_b) if ids_a[i] != 102]


def _no_specials(ids_a, ids_b, types_a, types_b):
    return [i for i in same_vectors(ids_a, ids_b, types_a, types_b) if ids_a[i] not in (101, 102)]


def _uses_up_the_text(ids_a, ids_b, types_a, types_b):
    positions = same_vectors(ids_a, ids_b, types_a, types_b)
    while ids_a:
        ids_a.pop()
    return positions


def _counted_from_one(ids_a, ids_b, types_a, types_b):
    return [i + 1 for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _anywhere(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if (ids_a[i], types_a[i]) in list(zip(ids_b, types_b))]


def _what_stands_before(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if ids_a[:i] == ids_b[:i]]


SAME_MISTAKES = (
    (_padded_first, "one text has no token at those places, so it has no vector there. Padding counts where it stands, and must not be thought up."),
    (_one_position_short, "you leave out the last position of the shorter text."),
    (_the_differences, "those are the positions at which the vectors differ."),
    (_segment_zero_only, "you leave out segment 1; two tokens that are both of segment 1 agree in their segment as well."),
    (_numbers_added, "id and segment are rows of two tables; that their numbers add up to the same says nothing about the vectors."),
    (_by_product, "id and segment are rows of two tables; that some product of them is the same says nothing about the vectors."),
    (_one_object, "ids above 256 are missing: `is` asks whether two numbers are one object; `==` asks whether they are equal."),
    (_segments_forgotten, "the ids agree there, but not all the segments do: the segment vector is part of the sum."),
    (_place_forgotten, "the same token at another place gets another position vector, so it is not the same sum."),
    (_ids_for_positions, "those are ids; asked for are the positions where they stand."),
    (_until_the_first_difference, "you stop at the first difference; but no token looks at another one here, so a later one can agree again."),
    (_only_cls, "[CLS] is the same in both, but it is not the only one: any token with the same id, place and segment is."),
    (_whole_text_or_nothing, "at least [CLS] is the same in both. The sum and LayerNorm look at one token at a time; the rest of the text changes nothing."),
    (_counted_from_one, "positions count from 0."),
    (_either, "the segments agree there, but not all the tokens do: both must."),
    (_no_specials, "[CLS] and [SEP] are tokens like any other: they have a row, a place and a segment."),
    (_no_sep, "[SEP] is a token like any other: it has a row, a place and a segment."),
    (_anywhere, "you look whether the token stands *anywhere* in the other text; at another place it gets another position vector."),
    (_what_stands_before, "you compare what stands before a position; compare the position itself, whatever stands before it."),
)


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


class _RemembersPositions(_Planted):
    def places(self, ids, given):
        self.kept = getattr(self, "kept", torch.arange(ids.size(1))[None])
        return self.kept if given is None else given


class _PositionsOfTexts(_Planted):
    def places(self, ids, given):
        return torch.arange(len(ids))[:, None] if given is None else given


class _SamePosition(_Planted):
    def places(self, ids, given):
        return torch.zeros_like(ids) if given is None else given


class _PositionsFromTheEnd(_Planted):
    def places(self, ids, given):
        return torch.arange(ids.size(1)).flip(0)[None] if given is None else given


class _FirstTextOnly(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return super().forward(input_ids, token_type_ids, position_ids)[:1].expand(len(input_ids), -1, -1)


class _PaddingIsZero(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return super().forward(input_ids, token_type_ids, position_ids) * (input_ids != self.word_embeddings.padding_idx)[..., None]


class _NormTwice(_Planted):
    def finish(self, total):
        return self.dropout(self.LayerNorm(self.LayerNorm(total)))


class _NormOneByOne(_Planted):
    def parts(self, ids, types, places):
        return tuple(map(self.LayerNorm, super().parts(ids, types, places)))

    def finish(self, total):
        return self.dropout(total)


class _MeanOfThree(_Planted):
    def finish(self, total):
        return super().finish(total / 3)


class _Product(_Planted):
    def parts(self, ids, types, places):
        word, segment, position = super().parts(ids, types, places)
        return (word * segment * position,)


class _SideBySide(_Planted):
    def parts(self, ids, types, places):
        return (torch.cat([part.expand(*ids.shape, -1) for part in super().parts(ids, types, places)], dim=-1),)

    def finish(self, total):
        return total


class _NoWords(_Planted):
    def parts(self, ids, types, places):
        return super().parts(ids, types, places)[1:]


class _FixedEps(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=1e-12)


class _DropoutTwice(_Planted):
    def finish(self, total):
        return self.dropout(super().finish(total))


class _PositionsDetached(_Planted):
    def parts(self, ids, types, places):
        word, segment, position = super().parts(ids, types, places)
        return word, segment, position.detach()


class _NoGradient(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        with torch.no_grad():
            return super().forward(input_ids, token_type_ids, position_ids)


class _SinglePrecision(_Planted):
    def finish(self, total):
        return super().finish(total).float()


class _TypesOverwritten(_Planted):
    def types(self, ids, given):
        return torch.zeros_like(ids) if given is None else given.zero_()


class _PaddingIsZeroth(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)


class _TwoKindsOfSegment(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.token_type_embeddings = nn.Embedding(2, config.hidden_size)


class _KeepsPositionIds(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings))


def _a_function(config):
    return lambda input_ids, token_type_ids=None, position_ids=None: None


class _TwoArguments(_Planted):
    def forward(self, input_ids, token_type_ids=None):
        return super().forward(input_ids, token_type_ids)


class _PaddingLearns(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)


# All of these have the parameters of the solution, so that they can be given its weights.
class _Residual(_Planted):
    def finish(self, total):
        return super().finish(total) + total


class _NormOfWords(_Planted):
    def parts(self, ids, types, places):
        word, *others = super().parts(ids, types, places)
        return self.LayerNorm(word), *others

    def finish(self, total):
        return self.dropout(total)


class _SegmentAsQuantity(_Planted):
    def parts(self, ids, types, places):
        word, _, position = super().parts(ids, types, places)
        return word, types[..., None] * self.token_type_embeddings.weight[1], position


class _IdsAsPositions(_Planted):
    def places(self, ids, given):
        return ids if given is None else given


class _NormOfEps(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.layer_norm_eps)


class _JoinedParts(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        word, segment, position = self.parts(input_ids, self.types(input_ids, token_type_ids), self.places(input_ids, position_ids))
        return self.finish(torch.cat([word, segment, position.expand_as(word)], dim=-1))


EMBEDDING_MISTAKES = (
    (_NoPositions, "the position vectors are not in your sum."),
    (_NoSegments, "the segment vectors are not in your sum."),
    (_NoWords, "the word vectors are not in your sum."),
    (_NoNorm, "your sum is right, but LayerNorm is not applied to it."),
    (_NormTwice, "LayerNorm is applied twice."),
    (_NormOneByOne, "you normalise the three vectors one by one; the sum comes first, then one LayerNorm."),
    (_MeanOfThree, "you take the mean of the three vectors; they are added. LayerNorm hides the difference almost, but not quite: its eps does not shrink along."),
    (_Product, "you multiply the three vectors; they are added."),
    (_TorchEps, "your LayerNorm has eps = 1e-5, torch's own choice; the config says {eps}."),
    (_FixedEps, "your LayerNorm has eps = 1e-12; the config says {eps}."),
    (_PositionsFromOne, "your positions start at 1; the first place is 0."),
    (_Scaled, "you multiply the word vectors by √H = {root:.2f}, as the first Transformer did; BERT does not."),
    (_PaddingIsZero, "you set the vectors of padding (id {pad}) to zero; padding is hidden in attention, not here."),
    (_FirstTextOnly, "every text gets the vectors of the first one."),
    (_PositionsOfTexts, "your positions count the texts of the batch, not the tokens of a text: they run along the second axis."),
    (_PositionsFromTheEnd, "your positions count from the end of the text; the first token has position 0."),
    (_SamePosition, "your positions are the same for every token."),
    (_SegmentsIgnored, "the token_type_ids that are passed in are ignored: you use segment 0 for every token."),
    (_PositionsIgnored, "the position_ids that are passed in are ignored: you count 0, 1, 2, … in any case."),
    (_SegmentOneByDefault, "where no token_type_ids are given you use segment 1; the default is 0."),
    (_Residual, "you add the sum once more behind LayerNorm; the embeddings have no residual connection."),
    (_NormOfWords, "LayerNorm is applied to the word vectors alone; it comes after the sum."),
    (_SegmentAsQuantity, "you multiply a segment vector by the segment's number; the number says which row to take."),
)


ANSWERS = {
    "one_hot_lookup": Answers(
        right=(_by_embedding, _by_comparison),
        wrong={_rows_of_positions: "rows 0 to 3: that is where the tokens stand", _one_too_early: "one too early: id 7", _one_too_late: "one too late: id 7",
               _id_as_quantity: "multiplied one row by the id", _narrow_rows: "largest id here is 7.*11",
               _integers_times_table: "two factors of one precision", _single_precision: "float32, but the table is torch.float64",
               _zero_for_padding: "vector of id 0 to zero", _one_vector_per_text: r"shape \[2, 4, 3\], but it has \[2, 3\]",
               _scaled_lookup: "√H = 1.73", _first_text_for_all: "vectors of the first one", _read_from_below: "you took row 10",
               _eleven_rows: "as high|as the table is high, 6", _two_texts: r"3 texts of 2 tokens should have the shape \[3, 2, 2\], but it has \[2, 2, 2\]",
               _always_double: "torch.float64, but the table is torch.float32", _through_float32: "digits only", _without_gradient: "no gradient goes through it",
               _lookup_that_writes: "changes `ids`", _remembers: "very same object"},
        known=LOOKUP_MISTAKES),
    "layer_norm": Answers(
        right=(_norm_by_torch, _norm_by_var),
        wrong={norm_variant(unbiased=True): "1.50.*H - 1 = 3", norm_variant(eps_at="outside"): "outside the root", norm_variant(eps_at="nowhere"): "eps is not used",
               norm_variant(eps_at="fixed"): "eps = 1e-5 whatever is asked for; here eps is 0.5", norm_variant(root=False): "divide by the variance",
               norm_variant(centred=False): "do not subtract the mean", norm_variant(over=(0,)): "over the 2 texts of the batch",
               norm_variant(over=(1,)): "over the 3 tokens", norm_variant(over=(1, 2)): "for all 3 tokens of a text", norm_variant(affine="none"): "gamma and beta are not used",
               norm_variant(affine="before"): "beta before you multiply", norm_variant(affine="swapped"): "changed places", _norm_in_float32: "torch.float32, but x is torch.float64",
               norm_variant(unbiased="sum"): "add the squared distances up", norm_variant(unbiased="of x"): "squared numbers themselves", norm_variant(unbiased="of x", centred=False): "RMSNorm",
               norm_variant(over=(0, 1, 2)): "for everything", _norm_through_float32: "digits only", _norm_along_dim_2: r"not for x of \[3, 5\]", _norm_in_place: "in place",
               **patterns(LAYER_NORM_MISTAKES[:10] + LAYER_NORM_MISTAKES[-15:-1]), norm_without_keepdim: "with keepdim=True",
               norm_in_double: "torch.float64, but x is torch.float32", norm_of_large_default: "take by default is too large", norm_without_default: r"called as layer_norm\(x, gamma, beta\)",
               norm_of_eps_at_least: "with eps = 1e-12 is torch.float64 and right to . digits"},
        known=LAYER_NORM_MISTAKES),
    "embedding_parameters": Answers(
        right=(_by_building, _table_by_table),
        wrong={_segments_as_words: "row for every word of the vocabulary", _no_layer_norm: "120 too few: LayerNorm is missing", _only_gamma: "60 too few: LayerNorm learns two vectors",
               _with_bias: "a lookup has no bias", _norm_per_table: "one LayerNorm, after the sum", _norm_of_two_numbers: "not two numbers",
               _words_alone: "position table and LayerNorm are missing", _base_by_heart: "BERT-base's number", _always_two: "always count 2", _always_sixteen: "always count 16",
               _no_positions_counted: "position table is missing", _rows_only: "vector of H numbers", _position_per_segment: "added, not multiplied", _with_output_layer: "word table twice, or an output layer",
               _with_pooler: "the pooler's", _words_and_positions: "segment table and LayerNorm are missing", _words_and_segments: "count 60,840.*position table and LayerNorm",
               _norm_per_position: "shared by all positions", _one_vector_more: "60 too many.*one vector of length H", _two_norms: "120 too many.*two vectors", _times_heads: "6 heads",
               _in_bytes: "bytes", _always_768: "always count 768", _no_words: "word table is missing", _no_segments_counted: "segment table is missing", _always_512: "always count 512",
               _norm_with_matrix: "no matrix", _words_and_norm: "60,660.*segment table and the position table are missing", _always_30522: "always count 30,522",
               **patterns(COUNT_MISTAKES[-6:]), _as_float: "return a float", _another_field: "'vocab': a field of the config"},
        known=COUNT_MISTAKES),
    "same_vectors": Answers(
        right=(_by_triples, _by_sets),
        wrong={_segments_forgotten: "pair and as one text.*segment vector is part", _place_forgotten: "another position vector",
               _until_the_first_difference: "stop at the first difference", _anywhere: "\\*anywhere\\*", _what_stands_before: "stands before a position", _whole_text_or_nothing: "one token at a time",
               _only_cls: "not the only one", _ids_for_positions: "those are ids", _a_number: "list of positions", _counted_from_one: "count from 0", _either: "both must",
               _one_position_short: "last position of the shorter", _the_differences: "vectors differ", _segment_zero_only: "leave out segment 1",
               _numbers_added: "add up to the same", _yes_or_no: "yes or no", _by_product: "some product", _one_object: "`is` asks",
               _padded_first: "no token at those places", _as_far_as_the_first: "of 6 and 5 tokens", _first_place_of_each: "list.index", _pairs_of_positions: "whole numbers",
               _no_sep: "\\[SEP\\] is a token", _no_specials: "\\[CLS\\] and \\[SEP\\] are tokens", _uses_up_the_text: "changes `ids_a`"},
        known=SAME_MISTAKES),
    "Embeddings": Answers(
        right=(_OneLineSum, _ThroughFunctions),
        wrong={_NoPositions: "position vectors are not in your sum", _NoSegments: "segment vectors are not in your sum", _Scaled: "√H = 2.45",
               _WholePositionTable: "with segments given do not fit each other: this batch has 5 tokens and the table has 9 rows", _PositionsFromOne: "start at 1", _PositionsIgnored: "position_ids that are passed in are ignored",
               _SegmentsIgnored: "token_type_ids that are passed in are ignored", _SegmentOneByDefault: "the default is 0", _NoNorm: "LayerNorm is not applied",
               _DropoutFirst: "dropout comes last", _NoDropout: "dropout with p = 0.25 is missing", _SegmentPerWord: "13 rows, as many as the vocabulary",
               _TorchEps: "eps = 1e-5", _OtherNames: "a BERT has LayerNorm.weight", _PaddingLearns: "row 4 of your word table",
               _SegmentZeroFrozen: "row 0 of your token_type_embeddings gets no gradient, though 10", _PlaceZeroFrozen: "position_embeddings gets no gradient, though 2",
               _DropoutForEver: "in evaluation .* of your numbers are 0",
               _RemembersPositions: r"of 3 texts of 7 tokens do not fit", _PositionsOfTexts: "count the texts", _PositionsFromTheEnd: "from the end",
               _FirstTextOnly: "vectors of the first one", _PaddingIsZero: "padding \\(id 4\\) to zero", _NormTwice: "applied twice", _NormOneByOne: "one by one",
               _MeanOfThree: "mean of the three", _Product: "multiply the three", _SideBySide: r"\[2, 5, 6\], but it has \[2, 5, 18\]", _NoWords: "word vectors are not in your sum",
               _FixedEps: "eps = 1e-12", _DropoutTwice: "dropout comes once", _PositionsDetached: "position_embeddings get no gradient", _NoGradient: "no torch.no_grad",
               _SinglePrecision: "is torch.float32 and right to", _TypesOverwritten: "changes `token_type_ids`", _PaddingIsZeroth: "has the id 4, and you say that it is 0",
               _TwoKindsOfSegment: r"\[2, 6\]; this config asks for \[3, 6\]", _KeepsPositionIds: "position_ids", _a_function: "should be an nn.Module", _TwoArguments: "will be called as forward", _SamePosition: "same for every token", _Residual: "no residual connection",
               _NormOfWords: "word vectors alone", _SegmentAsQuantity: "which row to take", _IdsAsPositions: "a row that it does not have", _NormOfEps: "cannot be made",
               _JoinedParts: "not set side by side"},
        known=EMBEDDING_MISTAKES),
}
