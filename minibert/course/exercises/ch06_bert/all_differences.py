"""Exercise `all_differences`: task, hints, solution and check."""

import dataclasses
from functools import partial

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER, SMALL, record
from minibert.course.exercises.ch06_bert.first_difference import first_difference
from minibert.course.exercises.ch06_bert.wrong_models import KINDS, names_of, with_mistakes
from minibert.course.exercises.compare import Mistake
from minibert.model import BertModel


def all_differences(model, reference, inputs):
    """The names of the outputs at which mistakes begin.

    They are in the order in which the model computes them.
    """
    # blank from here: compare, replace the output that differs, and compare again
    theirs = record(reference, inputs)
    real = inputs["attention_mask"].bool()
    found, hooks = [], []

    def replace(right, module, arguments, output):
        return (right, *output[1:]) if isinstance(output, tuple) else right

    try:
        while name := first_difference(record(model, inputs), theirs, real):
            found.append(name)
            module = model.get_submodule(name)
            hooks.append(module.register_forward_hook(partial(replace, theirs[name])))
    finally:
        for hook in hooks:
            hook.remove()
    return found


LAYERS, MOST_RUNS = 4, 50
# (layer, number of a kind of mistake) for each wrong model
FIRST = (
    [],
    [(2, 2)],
    [(1, 0), (3, 3)],
    [(0, 1), (0, 2), (0, 4)],
)


def _models():
    """A small BERT, inputs with padding and two segments, and the mistakes of every wrong model."""
    generator = torch.Generator().manual_seed(0)
    right = BertModel(dataclasses.replace(SMALL, num_hidden_layers=LAYERS)).eval()
    with torch.no_grad():
        for parameter in right.parameters():
            parameter.normal_(std=0.5, generator=generator)
    inputs = {
        "input_ids": torch.randint(1, 19, (3, 7), generator=generator),  # [B, S]
        "token_type_ids": torch.tensor([[0, 0, 0, 1, 1, 1, 1]] * 3),  # [B, S]
        "attention_mask": torch.tensor([[1] * 7, [1] * 5 + [0] * 2, [1] * 6 + [0]]),  # [B, S]
    }
    drawn = []
    while len(drawn) < 3:  # any two parts, each with one mistake
        layers = torch.randint(LAYERS, (2,), generator=generator).tolist()
        kinds = torch.randint(len(KINDS), (2,), generator=generator).tolist()
        places = sorted(zip(layers, kinds))
        if len({(layer, KINDS[kind][1]) for layer, kind in places}) == 2:
            drawn.append(places)
    return right, inputs, [*FIRST, *drawn]


def check_all_differences(answer):
    right, inputs, cases = _models()
    whole = {**inputs, "attention_mask": torch.ones_like(inputs["attention_mask"])}  # [B, S]
    tried = [(places, names_of(places), inputs) for places in cases]
    # without padding a model that ignores the mask is right
    tried.append(([(1, 1), (2, 2)], names_of([(2, 2)]), whole))
    for places, expected, inputs in tried:
        broken, runs = with_mistakes(right, places), []
        before = record(broken, inputs)

        def count(*_, runs=runs):
            runs.append(1)
            if len(runs) > MOST_RUNS:
                raise Mistake(
                    f"Your function has run the model {MOST_RUNS} times. The output that differed still differs after your replacement, so it is found again and again: does your hook return the new output?"
                )

        broken.register_forward_pre_hook(count)
        kept = {key: tensor.clone() for key, tensor in inputs.items()}
        try:
            found = answer(broken, right, kept)
        except (ValueError, TypeError, AttributeError) as error:
            if "unpack" in str(error) or "'tuple'" in str(error):
                raise Mistake(
                    f"Your function stops with {type(error).__name__} ({error}). Some modules return a tuple, and the caller expects one again: replace its first element."
                ) from None
            raise
        _check_found(found, expected, broken, right, inputs)
        _check_restored(broken, right, inputs, before)


def _check_found(found, expected, broken, right, inputs):
    if not isinstance(found, list | tuple) or not all(isinstance(name, str) for name in found):
        raise Mistake(f"You return {found!r:.60}; expected is a list of names.")
    found = list(found)
    if found == expected:
        return
    said = f"A model with mistakes at {len(expected)} output{'' if len(expected) == 1 else 's'}: expected is {expected}, and you return {found}."
    if len(expected) > 1 and found == expected[:1]:
        raise Mistake(f"{said} That is the first one only: repair it by a hook, and compare again.")
    if sorted(found) == sorted(expected):
        raise Mistake(f"{said} The names are right, their order is not.")
    ours, theirs = record(broken, inputs), record(right, inputs)
    real = inputs["attention_mask"].bool()  # [B, S]
    extra = [
        name
        for name in found
        if name not in expected
        and name in ours
        and first_difference({name: ours[name]}, theirs, real)
    ]
    if extra:
        raise Mistake(
            f"{said} {extra[0]} differs only because its input is wrong: give every later module the right input before you judge it."
        )
    raise Mistake(said)


def _check_restored(broken, right, inputs, before):
    """Hooks are gone, and both models have the weights and outputs that they had."""
    for model, what in ((broken, "model"), (right, "reference")):
        left = [name for name, module in model.named_modules() if module._forward_hooks]
        if left:
            raise Mistake(
                f"Your function leaves a hook on {what}'s {left[0]}, so the model keeps the replaced output: remove your hooks."
            )
    weights = right.state_dict()
    if any(not torch.equal(weights[name], own) for name, own in broken.state_dict().items()):
        raise Mistake("Your function changes weights. They are right: replace outputs instead.")
    after = record(broken, inputs)
    if any(not torch.equal(before[name], after[name]) for name in before):
        raise Mistake(
            "After your function the model gives other outputs than before: it has to leave the model as it was."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Find several mistakes",
    solution=all_differences,
    check=check_all_differences,
    task="""`locate` stops at the first output that differs. Write a function that returns the names of all outputs at which a mistake begins. An output that is wrong only because an earlier one is wrong does not count, and neither does a mistake that `first_difference` misses at 1e-5.

So when you have found a name, run the model again and let this module return the reference's output, until there is no difference left. A forward hook can do that: if it returns something other than None, PyTorch takes this as the module's output. Of a tuple, replace the first element only. At the end the model has to be as it was. You may assume that every mistake begins in a module, so you need not replace `last_hidden_state` or `pooler_output`. (One in `forward` of the whole model, such as a forgotten mask, can show at many modules.)""",
    hints=(
        "Write it for one mistake first: find the name, register a hook that returns the reference's output, record again, remove the hook. How many hooks does the model need while you look for the third mistake?",
        "`model.get_submodule(name)` is the module, and `functools.partial` can bind the right output to a hook, as it binds the name in `record`. Collect the hooks in a list, and remove them in `finally`.",
    ),
    paragraph="Find several mistakes in a model",
)
