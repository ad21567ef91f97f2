"""Exercise `parameter_groups`: task, hints, solution and check."""

import torch
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def parameter_groups(named_parameters, weight_decay):
    """Two groups for AdamW: {"params": [...], "weight_decay": ...}, what decays first, then biases and norms, which do not.

    named_parameters: pairs (name, parameter), the names as in BERT's checkpoints.
    """
    decayed, spared = [], []
    for name, parameter in named_parameters:
        spare = name.endswith("bias") or "LayerNorm" in name  # blank: True for a bias and for a norm's weight  # fmt: skip
        (spared if spare else decayed).append(parameter)
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": spared, "weight_decay": 0.0}]  # blank: the two groups, each with its decay  # fmt: skip
    return groups


NAMES = (
    "bert.embeddings.word_embeddings.weight",
    "bert.embeddings.LayerNorm.weight",
    "bert.embeddings.LayerNorm.bias",
    "bert.encoder.layer.0.attention.self.query.weight",
    "bert.encoder.layer.0.attention.self.query.bias",
    "bert.encoder.layer.0.output.LayerNorm.weight",
    "bert.encoder.layer.0.output.LayerNorm.bias",
    "bert.pooler.dense.weight",
    "cls.predictions.bias",
    "cls.seq_relationship.weight",
)


def check_parameter_groups(answer):
    named = [
        (
            name,
            nn.Parameter(
                torch.zeros(3, 3)
                if name.endswith("weight") and "LayerNorm" not in name
                else torch.zeros(3)
            ),
        )
        for name in NAMES
    ]
    groups = answer(iter(named), 0.05)
    if not isinstance(groups, list | tuple) or not all(
        isinstance(group, dict) and "params" in group for group in groups
    ):
        raise Mistake(
            f"Wanted is a list of two dicts, each with its params and its weight_decay; yours is {_described(groups)}."
        )
    try:
        taken = torch.optim.AdamW(
            [dict(group) for group in groups], lr=0.001, weight_decay=0.0123
        ).param_groups
        decay_of_groups = [float(group["weight_decay"]) for group in taken]
    except (TypeError, ValueError, KeyError) as error:
        raise Mistake(
            f"AdamW does not take your groups: {type(error).__name__}: {error}."
        ) from None
    if 0.0123 in decay_of_groups:
        raise Mistake(
            f"Group {decay_of_groups.index(0.0123)} has no weight_decay of its own, so AdamW gives it its default. Both groups must name one, under that key."
        )
    name_of = {parameter: name for name, parameter in named}
    decay = {
        name_of[parameter]: group["weight_decay"]
        for group in taken
        for parameter in group["params"]
    }
    sizes = [len(group["params"]) for group in taken]
    if len(sizes) == 2 and sizes[1] == 0 and len(decay) < len(NAMES):
        raise Mistake(
            f"Your second group is empty and the first has {sizes[0]} parameters: named_parameters may be walked through once only, so make a list of it, or sort in one walk."
        )
    if missing := [name for name in NAMES if name not in decay]:
        raise Mistake(
            f"{len(missing)} of the {len(NAMES)} parameters are in no group and would never be trained: {missing[0]} for one."
        )
    decays = {name for name in NAMES if decay[name]}
    wanted = {name for name in NAMES if not (name.endswith("bias") or "LayerNorm" in name)}
    norms, biases = (
        {name for name in NAMES if part in name} for part in ("LayerNorm.weight", "bias")
    )
    if (
        decays == set(NAMES)
        and {name for name in NAMES if decay[name] == decay_of_groups[0]} == wanted
    ):
        raise Mistake(
            f"You have sorted well, {sizes[0]} and {sizes[1]} parameters, but the second group decays too, by {decay_of_groups[1]}. What is spared has the decay 0."
        )
    if decays == set(NAMES):
        raise Mistake(
            f"All {len(NAMES)} parameters decay, biases and norms among them: your groups have {sizes} parameters. "
            'A test for whole names (`name in ["bias", "LayerNorm.weight"]`) never fits; look at how the names end.'
        )
    if not decays:
        raise Mistake(f"Nothing decays: your groups of {sizes} parameters all have the decay 0.")
    if decays == set(NAMES) - wanted:
        raise Mistake(
            f"Your groups are upside down: the {len(decays)} biases and norms decay, the matrices do not."
        )
    if decays == wanted | norms:
        raise Mistake(
            f"The {len(norms)} weights of LayerNorm decay: they are called weight, and still belong to a norm. Decay would pull them from 1 to 0."
        )
    if decays == wanted | biases - {name for name in biases if "LayerNorm" in name}:
        raise Mistake(
            f"The biases outside the norms decay, {sorted(decays & biases)[0]} for one; {len(decays & biases)} of them are in your first group."
        )
    if decays == wanted | biases:
        raise Mistake(f"All {len(biases)} biases decay, those of the norms too.")
    if decays == wanted | {"cls.predictions.bias"}:
        raise Mistake(
            "cls.predictions.bias decays: a bias that stands in no layer, 1 of 4, and a bias all the same."
        )
    if decays == wanted - {NAMES[0]}:
        raise Mistake(
            f"The word table does not decay, the {len(decays)} other matrices do. In the original it does, like every matrix."
        )
    if decays != wanted:
        raise Mistake(
            f"{sorted(decays ^ wanted)[0]} is in the wrong group; your groups have {sizes} parameters."
        )
    if max(decay.values()) != 0.05:
        raise Mistake(f"What decays does so by {max(decay.values())}; weight_decay was 0.05.")
    if len(groups) != 2:
        raise Mistake(f"Wanted are two groups; yours are {len(groups)}, of {sizes} parameters.")
    if decay_of_groups[1]:
        raise Mistake(
            f"Your groups are right and in the wrong order: the one of {sizes[1]} parameters that decays comes first."
        )
    fewer = [
        ("bert.embeddings.LayerNorm.weight", nn.Parameter(torch.ones(2))),
        ("bert.encoder.layer.11.output.dense.weight", nn.Parameter(torch.ones(2, 2))),
    ]
    again = answer(iter(fewer), 0.2)
    if (
        [len(group["params"]) for group in again] != [1, 1]
        or again[0]["params"][0] is not fewer[1][1]
        or again[0]["weight_decay"] != 0.2
    ):
        raise Mistake(
            f"For the {len(NAMES)} parameters of one model you are right; for two others and a decay of 0.2 your first group has {len(again[0]['params'])} parameters "
            f"and the decay {again[0]['weight_decay']}. Go by what is handed in."
        )


def _described(groups):
    kinds = [type(group).__name__ for group in groups] if isinstance(groups, list | tuple) else []
    return f"a {type(groups).__name__}" + (
        f" of {len(kinds)} ({kinds[0]} and so on)" if kinds else ""
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="What decays",
    task="Sort BERT's parameters into the two groups of the original: everything decays except biases and the weights of the norms.",
    hints=(
        "The names are long: `bert.encoder.layer.0.attention.self.query.bias`. No name *is* `bias`; many end in it.",
        "A norm is recognised by `LayerNorm` somewhere in the name. AdamW takes a list of dicts, each with its `params` and its own `weight_decay`.",
    ),
    paragraph="What decays, and what does not",
    solution=parameter_groups,
    check=check_parameter_groups,
)
