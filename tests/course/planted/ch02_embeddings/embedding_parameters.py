"""Answers to `embedding_parameters` on which its check is tried."""

import torch

from minibert.course.exercises.mistakes.ch02_embeddings.embedding_parameters import (
    COUNT_MISTAKES,
    _always_512,
    _always_768,
    _always_30522,
    _always_sixteen,
    _always_two,
    _base_by_heart,
    _counted,
    _in_bytes,
    _no_layer_norm,
    _no_positions_counted,
    _no_segments_counted,
    _no_words,
    _norm_of_two_numbers,
    _norm_per_position,
    _norm_per_table,
    _norm_with_matrix,
    _one_vector_more,
    _only_gamma,
    _position_per_segment,
    _rows_only,
    _segments_as_words,
    _times_heads,
    _two_norms,
    _with_bias,
    _with_output_layer,
    _with_pooler,
    _words_alone,
    _words_and_norm,
    _words_and_positions,
    _words_and_segments,
)
from minibert.embeddings import BertEmbeddings
from planted import Answers, patterns


def _by_building(config):
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in BertEmbeddings(config).parameters())


def _table_by_table(config):
    H = config.hidden_size
    words, segments, positions = (
        config.vocab_size * H,
        config.type_vocab_size * H,
        config.max_position_embeddings * H,
    )
    gamma = beta = H
    return words + segments + positions + gamma + beta


_as_float = _counted("_as_float", lambda right, config: right / 1)


_another_field = _counted("_another_field", lambda right, config: config.vocab * config.hidden_size)


ANSWERS = Answers(
    right=(_by_building, _table_by_table),
    wrong={
        _segments_as_words: "row for every word of the vocabulary",
        _no_layer_norm: "120 too few: LayerNorm is missing",
        _only_gamma: "60 too few: LayerNorm learns two vectors",
        _with_bias: "a lookup has no bias",
        _norm_per_table: "one LayerNorm, after the sum",
        _norm_of_two_numbers: "not two numbers",
        _words_alone: "position table and LayerNorm are missing",
        _base_by_heart: "BERT-base's number",
        _always_two: "always count 2",
        _always_sixteen: "always count 16",
        _no_positions_counted: "position table is missing",
        _rows_only: "vector of H numbers",
        _position_per_segment: "added, not multiplied",
        _with_output_layer: "word table twice, or an output layer",
        _with_pooler: "the pooler's",
        _words_and_positions: "segment table and LayerNorm are missing",
        _words_and_segments: "count 60,840.*position table and LayerNorm",
        _norm_per_position: "shared by all positions",
        _one_vector_more: "60 too many.*one vector of length H",
        _two_norms: "120 too many.*two vectors",
        _times_heads: "6 heads",
        _in_bytes: "bytes",
        _always_768: "always count 768",
        _no_words: "word table is missing",
        _no_segments_counted: "segment table is missing",
        _always_512: "always count 512",
        _norm_with_matrix: "no matrix",
        _words_and_norm: "60,660.*segment table and the position table are missing",
        _always_30522: "always count 30,522",
        **patterns(COUNT_MISTAKES[-6:]),
        _as_float: "return a float",
        _another_field: "'vocab': a field of the config",
    },
)
