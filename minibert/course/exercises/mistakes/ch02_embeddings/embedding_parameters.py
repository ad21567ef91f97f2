"""Wrong answers to `embedding_parameters` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch02_embeddings.embedding_parameters import embedding_parameters
from minibert.course.exercises.mistakes import named


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
    return (
        config.vocab_size
        + config.type_vocab_size
        + config.max_position_embeddings
        + 2 * config.hidden_size
    )


def _position_per_segment(config):
    return (
        config.vocab_size + config.type_vocab_size * config.max_position_embeddings + 2
    ) * config.hidden_size


def _counted(name, change):
    """Returns a wrong answer that applies `change` to the correct count and the config."""
    return named(name, lambda config: change(embedding_parameters(config), config))


_with_output_layer = _counted(
    "_with_output_layer", lambda right, config: right + config.vocab_size * config.hidden_size
)


_with_pooler = _counted(
    "_with_pooler", lambda right, config: right + config.hidden_size**2 + config.hidden_size
)


_words_and_positions = _counted(
    "_words_and_positions",
    lambda right, config: (config.vocab_size + config.max_position_embeddings) * config.hidden_size,
)


_words_and_segments = _counted(
    "_words_and_segments",
    lambda right, config: (config.vocab_size + config.type_vocab_size) * config.hidden_size,
)


_norm_per_position = _counted(
    "_norm_per_position",
    lambda right, config: right + 2 * (config.max_position_embeddings - 1) * config.hidden_size,
)


_one_vector_more = _counted("_one_vector_more", lambda right, config: right + config.hidden_size)


_two_norms = _counted("_two_norms", lambda right, config: right + 2 * config.hidden_size)


_times_heads = _counted("_times_heads", lambda right, config: right * config.num_attention_heads)


_in_bytes = _counted("_in_bytes", lambda right, config: 4 * right)


_always_768 = _counted("_always_768", lambda right, config: right // config.hidden_size * 768)


_norm_with_matrix = _counted(
    "_norm_with_matrix",
    lambda right, config: right - 2 * config.hidden_size + config.hidden_size**2,
)


_words_and_norm = _counted(
    "_words_and_norm", lambda right, config: (config.vocab_size + 2) * config.hidden_size
)


_always_30522 = _counted(
    "_always_30522", lambda right, config: right + (30522 - config.vocab_size) * config.hidden_size
)


_no_words = _counted(
    "_no_words", lambda right, config: right - config.vocab_size * config.hidden_size
)


_no_segments_counted = _counted(
    "_no_segments_counted",
    lambda right, config: right - config.type_vocab_size * config.hidden_size,
)


_always_512 = _counted(
    "_always_512",
    lambda right, config: right + (512 - config.max_position_embeddings) * config.hidden_size,
)


def _norm_as_rows(config):
    return (
        embedding_parameters(config) // config.hidden_size - 2 + 2 * config.hidden_size
    ) * config.hidden_size


def _norm_multiplied(config):
    return (embedding_parameters(config) - 2 * config.hidden_size) * 2 * config.hidden_size


def _rows_multiplied(config):
    return (
        config.vocab_size
        * config.type_vocab_size
        * config.max_position_embeddings
        * config.hidden_size
        + 2 * config.hidden_size
    )


def _always_two_and_512(config):
    return (config.vocab_size + 2 + 512 + 2) * config.hidden_size


def _norms_of_the_layers(config):
    return embedding_parameters(config) + 2 * config.num_hidden_layers * 2 * config.hidden_size


def _norm_with_linear(config):
    return embedding_parameters(config) - config.hidden_size + config.hidden_size**2


COUNT_MISTAKES = (
    (
        _segments_as_words,
        "your segment table has a row for every word of the vocabulary; it has one for every kind of segment.",
    ),
    (_no_layer_norm, "LayerNorm is missing: it learns two vectors of length H."),
    (
        _only_gamma,
        "LayerNorm learns two vectors of length H, gamma and beta; or did you leave out the padding row, which is a row like any other?",
    ),
    (_norm_per_table, "there is one LayerNorm, after the sum, not one for each table."),
    (
        _norm_of_two_numbers,
        "LayerNorm's gamma and beta are two vectors of H numbers, not two numbers.",
    ),
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
    (
        _position_per_segment,
        "the segment table and the position table stand side by side: their rows are added, not multiplied.",
    ),
    (_rows_only, "a row of a table is a vector of H numbers, not one number."),
    (
        _with_output_layer,
        "you count the word table twice, or an output layer with it; the embeddings have it once.",
    ),
    (
        _with_pooler,
        "you count a linear map of H × H and its bias; it is the pooler's, at the other end of the model.",
    ),
    (_words_and_positions, "the segment table and LayerNorm are missing."),
    (_words_and_segments, "the position table and LayerNorm are missing."),
    (
        _norm_per_position,
        "LayerNorm's gamma and beta are shared by all positions: two vectors, not two for each position.",
    ),
    (
        _one_vector_more,
        "that is one vector of length H more; a lookup has no bias, and dropout learns nothing.",
    ),
    (_two_norms, "that is two vectors of length H more: there is one LayerNorm, after the sum."),
    (_times_heads, "you multiply by the {heads} heads, which the embeddings do not have."),
    (_in_bytes, "those are bytes, 4 for each number; asked for are the numbers."),
    (_always_768, "you always count 768 numbers in a row; the config says how many there are."),
    (
        _norm_as_rows,
        "you multiply LayerNorm's numbers by H once more: 2 · H of them is the whole count, they are no rows.",
    ),
    (_norm_multiplied, "you multiply the tables by what LayerNorm learns; it is added."),
    (
        _rows_multiplied,
        "you multiply the rows of the three tables; they stand side by side, so they are added.",
    ),
    (
        _always_two_and_512,
        "you always count 2 segment types and 512 positions; the config says how many there are.",
    ),
    (
        _norms_of_the_layers,
        "you count the LayerNorms of the layers too; the embeddings have one, after the sum.",
    ),
    (
        _norm_with_linear,
        "LayerNorm has no matrix: it learns two vectors of length H, gamma and beta, and you count H × H + H.",
    ),
)


KNOWN = COUNT_MISTAKES
