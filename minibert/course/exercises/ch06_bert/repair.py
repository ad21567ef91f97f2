"""Exercise `repair`: task, hints, solution and check; and the model that it is about."""

import copy
import dataclasses

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER, SMALL, recorded
from minibert.course.exercises.ch06_bert.first_difference import first_difference
from minibert.course.exercises.compare import Mistake
from minibert.model import BertModel


def repair(model):
    """Mend both mistakes in place, and return the two names at which the comparison found them, in order."""
    # blank from here: mend the model, and return the two names
    layers = model.encoder.layer
    # 1: this layer had another activation than the others
    layers[1].intermediate.activation = layers[0].intermediate.activation
    # 2: attention applied its LayerNorm to the input too, as in a pre-norm model
    layers[3].attention.norm_first = False
    return ["encoder.layer.1.intermediate", "encoder.layer.3.attention.output.LayerNorm"]


NAMES = ["encoder.layer.1.intermediate", "encoder.layer.3.attention.output.LayerNorm"]


def activation(x):
    """(This is one of the mistakes.)"""
    return x * torch.sigmoid(1.702 * x)  # an approximation of GELU by a sigmoid


def with_two_mistakes(model):
    """A copy of a model of at least four layers, with two mistakes in its encoder.

    Its weights are those of the model. (To read on would spoil the exercise.)
    """
    broken = copy.deepcopy(model)
    broken.encoder.layer[1].intermediate.activation = activation
    broken.encoder.layer[3].attention.norm_first = True
    return broken


def check_repair(answer):
    config = dataclasses.replace(SMALL, num_hidden_layers=6)
    for seed in (0, 1):
        generator = torch.Generator().manual_seed(seed)
        right = BertModel(config).eval()
        with torch.no_grad():
            for parameter in right.parameters():
                parameter.normal_(std=0.5, generator=generator)
        ids = torch.randint(1, 19, (4, 7), generator=generator)  # [B, S]
        broken = with_two_mistakes(right)
        found = answer(broken)
        _check_weights(broken, right)
        expected, real = recorded(right, {"input_ids": ids}), torch.ones_like(ids).bool()  # [B, S]
        named = first_difference(recorded(broken, {"input_ids": ids}), expected, real)
        untouched = first_difference(
            recorded(with_two_mistakes(right), {"input_ids": ids}), expected, real
        )
        if named == untouched:
            raise Mistake(
                f"After your repair the first output that differs is {named}, as before. Change the model that you are given, and look at what differs between this module and the same one in another layer."
            )
        if named is not None:
            raise Mistake(
                f"After your repair the first output that differs is {named}. Compare again after each repair, until the comparison returns None."
            )
        if not isinstance(found, list | tuple) or not all(isinstance(name, str) for name in found):
            raise Mistake(
                f"The model is right now. Return the two names at which the comparison found the mistakes, as a list; you return {found!r:.60}."
            )
        if list(found) != NAMES:
            raise Mistake(
                f"The model is right now, but the two names {list(found)} are not those that the comparison gives: first for the broken model, then after the first repair."
            )


def _check_weights(model, right):
    weights = right.state_dict()
    own = model.state_dict()
    if own.keys() != weights.keys():
        raise Mistake(
            "Your repair changes the names of the weights; they were right, so leave the modules where they are."
        )
    changed = [name for name in weights if not torch.equal(own[name], weights[name])]
    if changed:
        raise Mistake(
            f"Your repair changes {len(changed)} of {len(weights)} weights, {changed[0]} for one. They were right: the mistakes are in what the modules do with them."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Repair a broken BERT",
    solution=repair,
    check=check_repair,
    may_change=("model",),
    task="""`broken` is a copy of your model with two mistakes, in different layers, and its weights are right. Find and mend them. Call `locate(broken, pairs)`, and compare the module that it names with the same module of `mine`, for example with `vars(...)`. Mend `broken` in place, by setting an attribute, and call `locate` again, until it returns None.

Then write down what you did as a function `repair(model)` that changes the model in place and returns a list of the two names that `locate` gave you, first mistake first. The check calls it with a smaller BERT that has the same two mistakes in the same layers.""",
    hints=(
        "Which outputs inside the named module still agree with the reference? What does the module do after them, and what does the same module of another layer do there?",
        "The second module that is named has nothing wrong in it. Print the names in `record(broken, pairs)` and in `record(mine, pairs)` for this layer: in which order do they appear, and which module decides when the named one is called?",
    ),
    paragraph="Compare with a reference, output by output",
)
