"""Answers to `layer_parameters` on which its check is tried."""

import math

import torch

from minibert.config import BertConfig
from minibert.course.exercises.ch05_encoder.layer_parameters import layer_parameters
from minibert.encoder import BertLayer
from planted import Answers


def layer_parameters_by_building(hidden, intermediate):
    with torch.device("meta"):
        layer = BertLayer(
            BertConfig(
                vocab_size=1,
                hidden_size=hidden,
                num_attention_heads=1,
                intermediate_size=intermediate,
            )
        )
    return sum(p.numel() for p in layer.parameters())


def layer_parameters_by_matrices(hidden, intermediate):
    shapes = (
        [(hidden, hidden), (hidden,)] * 4
        + [(hidden,)] * 4
        + [(intermediate, hidden), (intermediate,), (hidden, intermediate), (hidden,)]
    )
    return sum(math.prod(shape) for shape in shapes)


def count_only_matrices(hidden, intermediate):
    return 4 * hidden**2 + 2 * hidden * intermediate


def count_without_biases(hidden, intermediate):
    return 4 * hidden**2 + 2 * hidden * intermediate + 4 * hidden


def count_without_feed_forward_biases(hidden, intermediate):
    return 4 * (hidden**2 + hidden) + 2 * hidden * intermediate + 4 * hidden


def count_without_norms(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - 4 * hidden


def count_one_norm(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - 2 * hidden


def count_without_output_map(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden**2 - hidden


def count_one_way(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden * intermediate - hidden


def count_the_rumour(hidden, intermediate):
    return 7_000_000


def count_three_norms(hidden, intermediate):
    return layer_parameters(hidden, intermediate) + 2 * hidden


def count_wide_biases(hidden, intermediate):
    return layer_parameters(hidden, intermediate) + intermediate - hidden


def count_five_maps(hidden, intermediate):
    return layer_parameters(hidden, intermediate) + hidden * (hidden + 1)


def count_single_biases(hidden, intermediate):
    return 4 * (hidden**2 + 1) + 2 * hidden * intermediate + intermediate + hidden + 4 * hidden


def count_no_bias_up(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - intermediate


def count_no_bias_down(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden


def count_one_matrix(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden * intermediate


def count_narrow_biases(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - intermediate + hidden


def count_four_times(hidden, intermediate):
    return 12 * hidden**2 + 13 * hidden


def count_twelve(hidden, intermediate):
    return 12 * layer_parameters(hidden, intermediate)


ANSWERS = Answers(
    right=(layer_parameters_by_building, layer_parameters_by_matrices),
    wrong={
        count_only_matrices: "All biases and both LayerNorms",
        count_without_biases: "All biases: four",
        count_without_feed_forward_biases: "biases of the feed-forward",
        count_without_norms: "The LayerNorms, or the four",
        count_one_norm: "One LayerNorm",
        count_without_output_map: "output map of attention",
        count_one_way: "way back through",
        count_the_rumour: "6,998,816 fewer. One encoder layer of BERT-base has 7,087,872",
        count_three_norms: "24 fewer. A third LayerNorm",
        count_wide_biases: "at width intermediate",
        count_five_maps: "A fifth map",
        count_single_biases: "not 1. They seem",
        count_no_bias_up: "bias of the way up",
        count_no_bias_down: "bias of the way back",
        count_one_matrix: "One of the two matrices",
        count_narrow_biases: "not hidden. They seem",
        count_four_times: "four times hidden",
        count_twelve: "that is twelve layers",
    },
)
