"""Answers to `share_of_work` on which its check is tried."""

from minibert import BertConfig
from minibert.course.exercises.mistakes.ch08_pretraining.share_of_work import (
    work_of_maps_for_one_position,
    work_of_masked_layers,
    work_of_one_feed_forward,
    work_of_one_layer,
    work_of_one_position,
    work_of_scores_only,
    work_of_the_head,
    work_of_three_maps,
    work_saved,
    work_upside_down,
    work_without_attention,
    work_without_transform,
)
from minibert.inference.model_cost import flops
from planted import Answers


def work_by_the_package(H, L, I, V, S, M):
    config = BertConfig(
        vocab_size=V,
        hidden_size=H,
        num_hidden_layers=L,
        num_attention_heads=1,
        intermediate_size=I,
    )
    some, every = (flops(config, 1, S, scored) for scored in (M, S))
    return (sum(some.values()) - some["pooler"]) / (sum(every.values()) - every["pooler"])


def work_in_one_line(H, L, I, V, S, M):
    stack = 2 * L * S * (2 * H + S + I)
    return (stack + M * (H + V)) / (stack + S * (H + V))


def work_by_heart(H, L, I, V, S, M):
    return 0.67


def work_as_text(H, L, I, V, S, M):
    return "two thirds"


ANSWERS = Answers(
    right=(work_by_the_package, work_in_one_line),
    wrong={
        work_without_attention: r"attention scores and the weighted mean",
        work_of_scores_only: r"one of the two products",
        work_of_three_maps: r"the output map",
        work_of_one_feed_forward: r"two feed-forward maps",
        work_of_maps_for_one_position: r"linear maps of a layer for one position",
        work_of_one_layer: r"you count one",
        work_without_transform: r"before the product with the word table",
        work_of_one_position: r"a layer for one position",
        work_upside_down: r"the inverse",
        work_saved: r"share that is left",
        work_of_the_head: r"the head alone",
        work_of_masked_layers: r"layers read all S tokens",
        work_by_heart: r"you get 0\.67; expected",
        work_as_text: r"expected a number",
    },
)
