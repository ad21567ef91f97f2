"""Answers to `all_differences` on which its check is tried."""

import copy
from functools import partial

import torch

from minibert.course.exercises.ch06_bert.all_differences import all_differences
from minibert.course.exercises.ch06_bert.common import record
from minibert.course.exercises.ch06_bert.first_difference import first_difference
from planted import Answers


def _hook(right, module, arguments, output):
    return (right, *output[1:]) if isinstance(output, tuple) else right


def _search(model, other, inputs, hook=_hook, remove=True):
    theirs, real = record(other, inputs), inputs["attention_mask"].bool()
    found, hooks = [], []
    while name := first_difference(record(model, inputs), theirs, real):
        found.append(name)
        module = model.get_submodule(name)
        hooks.append(module.register_forward_hook(partial(hook, theirs[name])))
    for each in hooks * remove:
        each.remove()
    return found


def by_copies(model, other, inputs):
    """Replaces `forward` in a copy, and starts anew after each find."""
    theirs, real = record(other, inputs), inputs["attention_mask"].bool()
    mended = copy.deepcopy(model)

    def replaced(forward, right, *arguments, **named):
        output = forward(*arguments, **named)
        return (right, *output[1:]) if isinstance(output, tuple) else right

    name = first_difference(record(mended, inputs), theirs, real)
    if name is None:
        return []
    module = mended.get_submodule(name)
    module.forward = partial(replaced, module.forward, theirs[name])
    return [name, *by_copies(mended, other, inputs)]


def by_inputs(model, other, inputs):
    """Gives every module the reference's inputs; a module is wrong if nothing inside it is."""
    theirs, real, found = record(other, inputs), inputs["attention_mask"].bool(), []
    while True:
        hooks = [
            model.get_submodule(name).register_forward_hook(partial(_hook, theirs[name]))
            for name in found
        ]
        try:
            name = first_difference(record(model, inputs), theirs, real)
        finally:
            for hook in hooks:
                hook.remove()
        if name is None:
            return tuple(found)
        found.append(name)


def first_only(model, other, inputs):
    return _search(model, other, inputs)[:1]


def all_that_differ(model, other, inputs):
    ours, theirs = record(model, inputs), record(other, inputs)
    real = inputs["attention_mask"].bool()
    return [name for name in ours if first_difference({name: ours[name]}, theirs, real)]


def backwards(model, other, inputs):
    return _search(model, other, inputs)[::-1]


def without_tuples(model, other, inputs):
    return _search(model, other, inputs, lambda right, *passed: right)


def with_idle_hook(model, other, inputs):
    return _search(model, other, inputs, lambda right, *passed: None)


def leaving_hooks(model, other, inputs):
    return _search(model, other, inputs, remove=False)


def with_noise(model, other, inputs):
    found = _search(model, other, inputs)
    with torch.no_grad():
        model.pooler.dense.bias.add_(1)
    return found


def as_text(model, other, inputs):
    return ", ".join(all_differences(model, other, inputs))


def in_training(model, other, inputs):
    found = all_differences(model, other, inputs)
    model.train()
    return found


def without_mask(model, other, inputs):
    inputs = {**inputs, "attention_mask": torch.ones_like(inputs["input_ids"])}
    return all_differences(model, other, inputs)


ANSWERS = Answers(
    right=(by_copies, by_inputs),
    wrong={
        first_only: "That is the first one only",
        all_that_differ: "differs only because its input is wrong",
        backwards: "their order is not",
        without_tuples: "replace its first element",
        with_idle_hook: "does your hook return the new output",
        leaving_hooks: "leaves a hook on model's encoder.layer.2",
        with_noise: "changes weights",
        as_text: "expected is a list of names",
        in_training: "other outputs than before",
        without_mask: "at 3 outputs: expected is",
    },
)
