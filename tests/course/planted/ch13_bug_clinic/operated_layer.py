"""Answers to `operated_layer` on which its check is tried."""

import math

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch13_bug_clinic.operated_layer import (
    DISEASES,
    layer_with,
)
from minibert.course.exercises.mistakes.ch13_bug_clinic.operated_layer import OTHER_LAYERS
from planted import Answers, named


def layer_by_its_parts(layer, hidden, mask):
    """Another right answer: through the fused attention and PyTorch's GELU."""
    heads = layer.attention.self.num_heads
    query, key, value = (
        getattr(layer.attention.self, name)(hidden).unflatten(-1, (heads, -1)).mT.mT.transpose(1, 2)
        for name in ("query", "key", "value")
    )
    mixed = (
        F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        .permute(0, 2, 1, 3)
        .reshape(hidden.shape)
    )
    middle = layer.attention.output.LayerNorm(layer.attention.output.dense(mixed) + hidden)
    return layer.output.LayerNorm(
        layer.output.dense(F.gelu(layer.intermediate.dense(middle))) + middle
    )


def layer_head_by_head(layer, hidden, mask):
    """Another right answer: a loop over the heads, and a mask that is added."""
    part, H = layer.attention.self, hidden.size(-1)
    D, found = H // part.num_heads, []
    closed = torch.zeros(mask.shape, dtype=hidden.dtype).masked_fill(~mask, -1e30)[
        :, 0
    ]  # [B, 1, S]
    for head in range(part.num_heads):
        query, key, value = (
            m(hidden)[..., head * D : (head + 1) * D] for m in (part.query, part.key, part.value)
        )
        found.append(torch.softmax(query @ key.mT * D**-0.5 + closed, -1) @ value)  # [B, S, D]
    hidden = layer.attention.output(torch.cat(found, -1), hidden)  # [B, S, H]
    return layer.output(layer.intermediate(hidden), hidden)


def layer_in_place(layer, hidden, mask):
    hidden += layer.attention(hidden, mask)[0]
    return hidden


def layer_of_tuple(layer, hidden, mask):
    return layer(hidden, mask)


def layer_with_nan(layer, hidden, mask):
    return layer_with(frozenset({"mask"}), -math.inf)(layer, hidden, mask)


LEFT_IN = {
    frozenset({"scale"}): r"One disease is left: the scores are divided by the root of 6",
    frozenset({"mask"}): r"One disease is left: the mask is read the other way",
    frozenset({"axis"}): r"One disease is left: the softmax runs over the queries",
    frozenset({"merge"}): r"One disease is left: the heads are put together",
    frozenset(
        {"residual of attention"}
    ): r"One disease is left: what came in is not added to what attention",
    frozenset({"gelu"}): r"One disease is left: in the GELU",
    frozenset(
        {"residual of the feed-forward"}
    ): r"One disease is left: what came in is not added to what the feed-forward",
    frozenset({"scale", "gelu"}): r"2 diseases are left: the scores .*; in the GELU",
    frozenset(
        {"mask", "axis", "merge"}
    ): r"3 diseases are left: the mask .*; the softmax .*; the heads",
    frozenset(DISEASES): r"7 diseases are left",
}


ANSWERS = Answers(
    right=(layer_by_its_parts, layer_head_by_head),
    wrong={
        named(
            "layer_left_" + "_".join(sorted(name.replace(" ", "_") for name in sick)),
            layer_with(sick),
        ): pattern
        for sick, pattern in LEFT_IN.items()
    }
    | {
        wrong: sentence.partition(",")[0].partition(";")[0].replace("*", r"\*").replace("(", r"\(")
        for wrong, sentence in OTHER_LAYERS
    }
    | {
        layer_in_place: r"changes `hidden`",
        layer_of_tuple: r"but it is a tuple",
        layer_with_nan: r"NaN",
    },
)
