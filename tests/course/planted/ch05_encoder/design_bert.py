"""Answers to `design_bert` on which its check is tried."""

import math

import torch

from minibert import BertConfig, BertModel
from minibert.course.exercises.ch05_encoder.design_bert import design_bert
from planted import Answers, named


def _size(layers, width, words=31036, biases=1, norms=2, pooler=1):
    layer = 12 * width**2 + biases * 9 * width + norms * 2 * width
    return (
        words * width + 2 * width + pooler * (width**2 + width) + layers * layer
    )  # 31036 = 30522 + 512 + 2


def _search(parameters, memory, tokens, least=0.95, size=_size, adam=16, kept=66, best=max):
    fitting = [
        (layers, width)
        for width in range(64, 1025, 64)
        for layers in range(1, 101)
        if least * parameters <= size(layers, width) <= parameters
        and adam * size(layers, width) + kept * tokens * layers * width <= memory
    ]
    return best(fitting)


def by_one_formula(parameters, memory, tokens):
    return _search(parameters, memory, tokens)


def from_the_deepest_down(parameters, memory, tokens):
    """With the real model on the meta device for what is around the layers."""
    around = {}
    for width in range(64, 1025, 64):
        with torch.device("meta"):
            model = BertModel(
                BertConfig(
                    vocab_size=30522,
                    hidden_size=width,
                    num_hidden_layers=1,
                    num_attention_heads=1,
                    intermediate_size=4 * width,
                )
            )
        one = sum(p.numel() for p in model.encoder.layer.parameters())
        around[width] = sum(p.numel() for p in model.parameters()) - one, one
    for layers in range(100, 0, -1):
        for width in range(1024, 63, -64):
            size = around[width][0] + layers * around[width][1]
            if (
                math.ceil(0.95 * parameters) <= size <= parameters
                and 16 * size + 66 * tokens * layers * width <= memory
            ):
                return layers, width


def memory_ignored(parameters, memory, tokens):
    return _search(parameters, math.inf, tokens)


def weights_only(parameters, memory, tokens):
    return _search(parameters, memory, tokens, adam=4)


def embeddings_forgotten(parameters, memory, tokens):
    return _search(
        parameters, memory, tokens, size=lambda layers, width: _size(layers, width, words=0)
    )


def widest(parameters, memory, tokens):
    return _search(parameters, memory, tokens, best=lambda found: max(found, key=lambda s: s[::-1]))


def budget_not_used(parameters, memory, tokens):
    return _search(parameters, memory, tokens, least=0)


def width_first(parameters, memory, tokens):
    return design_bert(parameters, memory, tokens)[::-1]


def any_width(parameters, memory, tokens):
    layers, width = design_bert(parameters, memory, tokens)
    return layers, width + 1


def a_config(parameters, memory, tokens):
    return {"L": 12, "H": 768}


def leaving_out(label, missing):
    """A count that leaves out `missing(layers, width)` numbers."""
    return named(
        label,
        lambda parameters, memory, tokens: _search(
            parameters, memory, tokens, size=lambda L, H: _size(L, H) - missing(L, H)
        ),
    )


without_pooler = leaving_out("without_pooler", lambda L, H: H * H + H)
without_biases = leaving_out("without_biases", lambda L, H: 9 * L * H + H)
without_pooler_bias = leaving_out("without_pooler_bias", lambda L, H: H)
without_layer_norms = leaving_out("without_layer_norms", lambda L, H: 4 * L * H)
without_one_layer_norm = leaving_out("without_one_layer_norm", lambda L, H: 2 * L * H)
without_segments = leaving_out("without_segments", lambda L, H: 2 * H)
without_positions = leaving_out("without_positions", lambda L, H: 512 * H)
without_two_parts = leaving_out("without_two_parts", lambda L, H: H * H + 600 * H)
counted_twice = leaving_out("counted_twice", lambda L, H: -2 * H)


def _within(depths, widths, parameters, memory, tokens):
    return max(
        (layers, width)
        for width in widths
        for layers in depths
        if 0.95 * parameters <= _size(layers, width) <= parameters
        and 16 * _size(layers, width) + 66 * tokens * layers * width <= memory
    )


def to_99_layers(parameters, memory, tokens):
    return _within(range(1, 100), range(64, 1025, 64), parameters, memory, tokens)


def to_width_960(parameters, memory, tokens):
    return _within(range(1, 101), range(64, 1024, 64), parameters, memory, tokens)


def finds_nothing(parameters, memory, tokens):
    return None


ANSWERS = Answers(
    right=(by_one_formula, from_the_deepest_down),
    wrong={
        memory_ignored: "L = 53 .* 3,075 MiB",
        weights_only: "L = 27 .* 2,230 MiB",
        embeddings_forgotten: "too many. Is every table",
        without_pooler: "a count that leaves out the pooler\\.",
        without_biases: "a count that leaves out all biases",
        without_pooler_bias: "leaves out the pooler's bias",
        without_layer_norms: "leaves out 4H numbers in each layer",
        without_one_layer_norm: "leaves out one of the two LayerNorms",
        without_segments: "leaves out 2H numbers around",
        without_positions: "leaves out the positions",
        without_two_parts: "parameters, [0-9,]+ too many. Is every",
        counted_twice: "14,003,904 .*L = 18 and H = 192",
        to_99_layers: "25,000,000 .* a deeper model, L = 100",
        to_width_960: "180,000,000 .* you find no shape, but L = 11 and H = 1024 fit",
        finds_nothing: "30,000,000 .* you find no shape",
        widest: "a deeper model",
        budget_not_used: "less than 95 percent",
        width_first: "number of layers comes first",
        any_width: "multiple of 64",
        a_config: "two whole numbers",
    },
)
