"""Exercise `make_stack`: task, hints, solution and check."""

import itertools

import torch
from torch import nn

from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.encoder import BertLayer


def make_stack(config, count):
    """`count` encoder layers, each with weights of its own, so that every one of them is trained."""
    layers = [BertLayer(config) for _ in range(count)]  # blank: a list of `count` fresh BertLayers
    return nn.ModuleList(layers)  # blank: a container that PyTorch looks into


def check_make_stack(answer):
    config = BertConfig(
        vocab_size=11,
        hidden_size=12,
        num_hidden_layers=5,
        num_attention_heads=3,
        intermediate_size=20,
        hidden_dropout_prob=0.3,
    )
    count = 3
    stack = answer(config, count)
    if isinstance(stack, (list, tuple)):
        raise Mistake(
            f"Your stack is a plain {type(stack).__name__}: a model that holds it registers none of its "
            f"{len(stack)} layers, so the optimiser never sees their weights. Use nn.ModuleList."
        )
    if not isinstance(stack, nn.ModuleList):
        raise Mistake(
            f"Your stack should be an nn.ModuleList of {count} layers, but it is a {type(stack).__name__}."
        )
    if len(stack) != count:
        hint = (
            " That is the config's num_hidden_layers; the caller asked for `count`."
            if len(stack) == config.num_hidden_layers
            else ""
        )
        raise Mistake(f"Asked for {count} layers, your stack holds {len(stack)}.{hint}")
    others = [type(layer).__name__ for layer in stack if not isinstance(layer, BertLayer)]
    if others:
        raise Mistake(f"Your stack holds a {others[0]} where a BertLayer belongs.")
    if len({id(layer) for layer in stack}) == 1:
        wanted = sum(p.numel() for layer in stack for p in layer.parameters())
        raise Mistake(
            f"All {count} places hold one and the same layer: {sum(p.numel() for p in stack.parameters()):,} "
            f"parameters where {wanted:,} were announced."
        )
    for (i, one), (j, other) in itertools.combinations(enumerate(stack), 2):
        if one is other:
            raise Mistake(
                f"Places {i} and {j} hold one and the same layer: what one learns the other has to follow."
            )
        if torch.equal(one.intermediate.dense.weight, other.intermediate.dense.weight):
            raise Mistake(
                f"Layers {i} and {j} start with exactly the same weights: copies of one initialised layer. Make each anew."
            )
    for i, layer in enumerate(stack):
        built = {
            "hidden_size": layer.intermediate.dense.in_features,
            "intermediate_size": layer.intermediate.dense.out_features,
            "num_attention_heads": layer.attention.self.num_heads,
            "hidden_dropout_prob": layer.output.dropout.p,
            "layer_norm_eps": layer.output.LayerNorm.eps,
        }
        for name, value in built.items():
            if value != getattr(config, name):
                raise Mistake(
                    f"Layer {i} has the {name} {value}; the config that was handed in says {getattr(config, name)}."
                )
    other = answer(
        BertConfig(vocab_size=11, hidden_size=8, num_attention_heads=2, intermediate_size=16), 2
    )
    if len(other) != 2 or other[0].intermediate.dense.in_features != 8:
        raise Mistake(
            f"For 3 layers of 12 numbers you are right; asked for 2 layers of 8 you make {len(other)} of {other[0].intermediate.dense.in_features}. Use the config and the count that are handed in."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=8,
    title="A stack whose layers all learn",
    solution=make_stack,
    check=check_make_stack,
    task="Make `count` layers from one config. Each has weights of its own, no two start alike, and a model that "
    "holds the stack hands *all* of their parameters to the optimiser.",
    hints=(
        "Three Python habits go wrong here: `[layer] * n`, copies of one layer, and a plain list. What is wrong with each?",
        "A list comprehension that calls `BertLayer(config)` anew for each layer, in an `nn.ModuleList`.",
    ),
    paragraph="Twelve of them",
)
