"""Answers to `design_bert` on which its check is tried."""

from functools import cache

import torch

from minibert import BertConfig, BertModel
from minibert.course.exercises.ch05_encoder.design_bert import design_bert
from planted import Answers


def _shapes():
    return [(H, L) for H in range(64, 1025, 64) for L in range(1, 25)]


def _count(H, L, tables=31036, pooler=True):
    return tables * H + 2 * H + L * (12 * H * H + 13 * H) + (H * H + H) * pooler


def _bytes(H, L, tokens, count):
    return 16 * count + tokens * (L * (66 * H + 16) + 9 * H + 8)


def _largest(fits):
    return max((shape for shape in _shapes() if fits(*shape)), key=lambda shape: _count(*shape))


def by_sorting(parameters, memory, tokens):
    """From the largest down, the first that fits."""
    for H, L in sorted(_shapes(), key=lambda shape: -_count(*shape)):
        if _count(H, L) <= parameters and _bytes(H, L, tokens, _count(H, L)) <= memory * 2**20:
            return [H, L]


@cache
def _of_the_package(H, L):
    """The parameters of the package's model; a layer more adds as many as the layer before."""
    if L > 2:
        first, second = _of_the_package(H, 1), _of_the_package(H, 2)
        return first + (L - 1) * (second - first)
    sizes = {"num_attention_heads": 1, "intermediate_size": 4 * H, "max_position_embeddings": 512}
    config = BertConfig(vocab_size=30522, hidden_size=H, num_hidden_layers=L, **sizes)
    with torch.device("meta"):
        return sum(each.numel() for each in BertModel(config).parameters())


def counted_by_the_package(parameters, memory, tokens):
    fitting = {
        (H, L): _of_the_package(H, L)
        for H, L in _shapes()
        if _of_the_package(H, L) <= parameters
        and _bytes(H, L, tokens, _of_the_package(H, L)) <= memory * 2**20
    }
    return max(fitting, key=fitting.get)


def without_embeddings(parameters, memory, tokens):
    def fits(H, L):
        count = _count(H, L, tables=0)
        return count <= parameters and _bytes(H, L, tokens, count) <= memory * 2**20

    return _largest(fits)


def without_the_pooler(parameters, memory, tokens):
    return _largest(
        lambda H, L: (
            _count(H, L) - H * H - H <= parameters * 1.01
            and _bytes(H, L, tokens, _count(H, L)) <= memory * 2**20
        )
    )


def without_activations(parameters, memory, tokens):
    return _largest(lambda H, L: _count(H, L) <= parameters and 16 * _count(H, L) <= memory * 2**20)


def megabytes_for_mebibytes(parameters, memory, tokens):
    return _largest(
        lambda H, L: (
            _count(H, L) <= parameters and _bytes(H, L, tokens, _count(H, L)) <= memory * 1e6
        )
    )


def the_deepest(parameters, memory, tokens):
    return max(
        (
            (H, L)
            for H, L in _shapes()
            if _count(H, L) <= parameters and _bytes(H, L, tokens, _count(H, L)) <= memory * 2**20
        ),
        key=lambda shape: (shape[1], shape[0]),
    )


def any_width(parameters, memory, tokens):
    return 100, 2


def the_count_alone(parameters, memory, tokens):
    return _count(*design_bert(parameters, memory, tokens))


ANSWERS = Answers(
    right=(by_sorting, counted_by_the_package),
    wrong={
        without_embeddings: "Do you count the embeddings",
        without_the_pooler: "and the pooler",
        without_activations: "the activations of all tokens count",
        megabytes_for_mebibytes: "and 638 MiB. It fits",
        the_deepest: "another shape fits",
        any_width: "a multiple of 64",
        the_count_alone: "a pair of whole numbers",
    },
)
