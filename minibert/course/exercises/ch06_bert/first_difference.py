"""Exercise `first_difference`: task, hints, solution and check."""

import copy
import dataclasses

import torch
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER, SMALL
from minibert.course.exercises.compare import Mistake
from minibert.model import BertModel, BertOutputs


def first_difference(model, reference, inputs):
    """The name of the first output that differs by more than 1e-4: of a module, or of the whole model; or None."""
    # blank from here: hooks on both models, a run of each, the comparison
    runs = []
    for each in (model, reference):
        outputs = {}  # name -> output, in the order in which the modules finish
        hooks = []
        for name, module in each.named_modules():

            def keep(module, arguments, output, name=name, outputs=outputs):
                outputs[name] = output[0] if isinstance(output, tuple) else output

            hooks.append(module.register_forward_hook(keep))
        try:
            with torch.no_grad():
                result = each(**inputs)
        finally:
            for hook in hooks:
                hook.remove()
        # what forward computes after its last module shows only here
        outputs["last_hidden_state"] = result.last_hidden_state  # [B, S, H]
        outputs["pooler_output"] = result.pooler_output
        runs.append(outputs)
    ours, theirs = runs
    for name, output in ours.items():
        other = theirs.get(name)
        comparable = isinstance(output, torch.Tensor) and isinstance(other, torch.Tensor)
        if not comparable:
            continue
        # the shapes first, because allclose would broadcast; allclose is False for NaN
        if output.shape != other.shape or not torch.allclose(output, other, rtol=0, atol=1e-4):
            return name
    return None


# the module that is broken, and the attribute of it that is changed
BROKEN = (
    ("embeddings.LayerNorm", "bias"),
    ("encoder.layer.0.output.LayerNorm", "eps"),
    ("encoder.layer.1.attention.self.key", "weight"),
    ("encoder.layer.2.intermediate.dense", "bias"),
    ("pooler.dense", "weight"),
)
# a setting that differs, its words in the feedback, the first module that it changes, and what to look at
SETTINGS = (
    (
        {"hidden_act": "relu"},
        "the activation",
        "encoder.layer.0.intermediate",
        "Do you record every module, also those with modules inside them?",
    ),
    (
        {"num_attention_heads": 2},
        "the number of heads",
        "encoder.layer.0.attention.self",
        "Its output is a tuple: do you compare the first element?",
    ),
)


def check_first_difference(answer):
    generator = torch.Generator().manual_seed(0)
    reference = BertModel(SMALL).eval()
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.normal_(std=0.5, generator=generator)
    ids = torch.randint(1, 19, (2, 7), generator=generator)  # [B, S]
    inputs = {"input_ids": ids, "attention_mask": torch.tensor([[1] * 7, [1] * 5 + [0] * 2])}
    for name, attribute in BROKEN:
        model = copy.deepcopy(reference)
        _break(model.get_submodule(name), attribute, generator)
        found = answer(model, reference, dict(inputs))
        _compare(found, name, attribute)
        _check_hooks(model, reference)
    _check_settings(answer, reference, inputs)
    _check_inputs(answer, reference, generator)
    _check_sizes(answer, reference, inputs)
    _check_names(answer, reference, inputs)
    _check_nan(answer, reference, inputs)
    _check_outputs(answer, reference, inputs)


def _check_hooks(*models):
    if any(module._forward_hooks for model in models for module in model.modules()):
        raise Mistake(
            "Your hooks are still on a model after the call: remove each of them with its remove()."
        )


def _check_settings(answer, reference, inputs):
    """The first module to differ has modules inside it, and one of them gives back a tuple."""
    for change, what, name, question in SETTINGS:
        model = BertModel(dataclasses.replace(reference.config, **change)).eval()
        model.load_state_dict(reference.state_dict())
        if (found := answer(model, reference, dict(inputs))) != name:
            raise Mistake(
                f"In this model only {what} is changed. {name} is the first module that differs, and you return {found!r}. {question}"
            )


def _check_sizes(answer, reference, inputs):
    """What is added to the bias of the pooler, to which of its numbers, and whether that counts."""
    everywhere = slice(None)
    for size, where, counts, what in (
        (0.0, everywhere, False, "the reference itself"),
        (1e-6, everywhere, False, "a model that differs by 0.000001"),
        (5e-5, everywhere, False, "a model that differs by 0.00005"),
        (5e-4, everywhere, True, "a model whose numbers are too large by 0.0005"),
        (-1.0, everywhere, True, "a model whose numbers are all too small"),
        (3e-4, 0, True, "a model of which one number is wrong by 0.0003 and all others are right"),
    ):
        model = copy.deepcopy(reference)
        with torch.no_grad():
            model.pooler.dense.bias[where] += size
        found = answer(model, reference, dict(inputs))
        if not counts and found is not None:
            raise Mistake(
                f"For {what} you return {found!r}: nothing differs by more than 0.0001, so the answer is None."
            )
        if counts and found != "pooler.dense":
            raise Mistake(
                f"For {what} you return {found!r}, and pooler.dense is the first to differ by more than 0.0001: take the largest absolute difference."
            )


def _check_names(answer, reference, inputs):
    """One of the two has a module inside its LayerNorm, which the other lacks."""
    longer = copy.deepcopy(reference)
    longer.embeddings.LayerNorm = nn.Sequential(longer.embeddings.LayerNorm)
    for pair, owner in (((longer, reference), "model"), ((reference, longer), "reference")):
        try:
            found = answer(*pair, dict(inputs))
        except (KeyError, AttributeError, TypeError) as error:
            raise Mistake(
                f"Only the {owner} has a module embeddings.LayerNorm.0 here, and your function stops with {type(error).__name__}: skip such names."
            ) from None
        if found is not None:
            raise Mistake(
                f"Only the {owner} has a module embeddings.LayerNorm.0 here; every other output is the same, and you return {found!r}."
            )


def _check_inputs(answer, reference, generator):
    """A wrong position vector shows only in a text that is long enough."""
    model = copy.deepcopy(reference)
    with torch.no_grad():
        model.embeddings.position_embeddings.weight[8] += 1
    for length, right in ((8, None), (9, "embeddings.position_embeddings")):
        ids = torch.randint(1, 19, (1, length), generator=generator)  # [1, S]
        if (found := answer(model, reference, {"input_ids": ids})) != right:
            raise Mistake(
                f"The position vector 8 of this model is wrong, and the text has {length} tokens: expected {right!r}, and you return {found!r}."
            )


def _check_nan(answer, reference, inputs):
    """A comparison with NaN is False, whichever way round it is written."""
    model = copy.deepcopy(reference)
    with torch.no_grad():
        model.encoder.layer[1].intermediate.dense.bias[0] = torch.nan
    right = "encoder.layer.1.intermediate.dense"
    if (found := answer(model, reference, dict(inputs))) != right:
        raise Mistake(
            f"One bias of {right} is NaN in this model, and you return {found!r}. NaN > 1e-4 is False: ask whether the difference is small, and take everything else for a difference."
        )


def _check_outputs(answer, reference, inputs):
    """The modules inside are right, and what is computed from their outputs is not."""
    same = {name: tensor[:1].expand(2, -1) for name, tensor in inputs.items()}  # one text, twice
    for change, given, right, what in (
        (
            lambda last, pooled: (2 * last, pooled),
            inputs,
            "last_hidden_state",
            "returns twice the last hidden state",
        ),
        (
            lambda last, pooled: (last, 0 * pooled),
            inputs,
            "pooler_output",
            "returns 0 as its pooler_output",
        ),
        (
            lambda last, pooled: (last[:1], pooled),
            same,
            "last_hidden_state",
            "returns the vectors of the first of two equal texts only, [1, S, H], which broadcasts in a comparison",
        ),
    ):
        model = copy.deepcopy(reference)

        def forward(*arguments, model=model, change=change, **options):
            found = BertModel.forward(model, *arguments, **options)
            return BertOutputs(*change(found.last_hidden_state, found.pooler_output))

        model.forward = forward
        _expect(answer(model, reference, dict(given)), right, what)
    model = copy.deepcopy(reference)
    model.pooler.forward = lambda last: model.pooler.dense(last[:, 0])  # no tanh
    _expect(answer(model, reference, dict(inputs)), "pooler", "has no tanh in its pooler")


def _expect(found, right, what):
    if found != right:
        raise Mistake(
            f"This model {what}. Expected is {right!r}, and you return {found!r}. Compare the modules first, then the two outputs of the whole model by their names, and shapes before numbers."
        )


def _break(module, attribute, generator):
    if attribute == "eps":
        module.eps = 0.5
        return
    with torch.no_grad():
        tensor = getattr(module, attribute)
        tensor += torch.randn(tensor.shape, generator=generator)


def _compare(found, name, attribute):
    if found == name:
        return
    told = f"In this model only the {attribute} of {name} is changed"
    if found is None:
        reason = (
            " Weights alone do not show it."
            if attribute == "eps"
            else " Does each hook store its output under its own name?"
        )
        raise Mistake(f"{told}, and you find no difference.{reason}")
    if not isinstance(found, str):
        raise Mistake(
            f"{told}, and you return {found!r}; expected is the name of a module, as in named_modules()."
        )
    if found == "" or name.startswith(f"{found}."):
        raise Mistake(
            f"{told}, and you return {found!r}, which contains it. A module finishes after the modules inside it: "
            "compare in the order in which the hooks ran."
        )
    raise Mistake(f"{told}, and you return {found!r}, which is not the first to differ.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Find the broken part",
    solution=first_difference,
    check=check_first_difference,
    task="""Write the tool that locates the module. Start from `hidden_states` and change four things.

- **Record everything.** Hook every module, not only the layers, and keep each output under the module's name. (If it is a tuple, keep its first element.) After the run, add the two outputs of the whole model, as `last_hidden_state` and `pooler_output`.
- **Run both**, `model(**inputs)` and `reference(**inputs)`, and remove the hooks even if a model raises an exception.
- **Compare** in the order in which the outputs of `model` were recorded. (A module finishes after the modules inside it.) Skip what is not a tensor, and names that only one of the two has.
- **Return** the name of the first output that differs by more than 1e-4, or None. An output of another shape differs, and so does one that contains NaN.""",
    hints=(
        "`named_modules()` gives names and modules. (The first is the model itself, under the empty name.) A dict remembers the order in which it was filled. `try: … finally: …` removes the hooks in any case.",
        "Keep one dict of name and output per model. All hooks of a loop share the loop's variable, so give each its name as a default argument: `def keep(module, arguments, output, name=name)`. `x > 1e-4` is False when x is NaN, and a difference of two shapes may broadcast.",
    ),
    paragraph="Equal to the reference, layer by layer",
)
