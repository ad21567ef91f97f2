"""Exercise `first_not_finite`: task, hints, solution and check."""

import math
from contextlib import suppress

import torch

from minibert.attention import BertSelfAttention
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER, tiny
from minibert.course.exercises.compare import Mistake


@torch.no_grad()
def first_not_finite(model, batch):
    """The name of the first module with NaN or infinity, or None.

    Looks at the outputs of all modules in model(**batch). First is the
    one whose forward pass ends first, so a module is named before the
    ones that contain it. An output is a tensor, or a tuple of tensors
    and None; ignore other outputs.
    The names are those of model.named_modules(). The model is left as
    it was.
    """
    # blank from here: watch all modules during one forward pass
    found, handles = [], []

    def watch(name):
        def hook(module, inputs, output):
            parts = output if isinstance(output, tuple) else (output,)
            tensors = [part for part in parts if isinstance(part, torch.Tensor)]
            if not all(tensor.isfinite().all() for tensor in tensors):
                found.append(name)

        return hook

    for name, module in model.named_modules():
        handles.append(module.register_forward_hook(watch(name)))
    try:
        model(**batch)
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else None


class ByHand(BertSelfAttention):
    """Attention in which a row of padding alone takes the softmax of -inf, which is NaN."""

    def forward(self, hidden, mask=None, output_attentions=False):
        query, key, value = (
            self.split_heads(part(hidden)) for part in (self.query, self.key, self.value)
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        scores = scores.masked_fill(~mask, -math.inf)
        return (scores.softmax(-1) @ value).transpose(1, 2).flatten(2), None


def patient(value=None, where="bert.pooler"):
    """A model with attention by hand; with a `value`, one number of the output of `where` is that."""
    model, batch = tiny()
    layer = model.bert.encoder.layer[0]
    attention = ByHand(model.bert.config)
    attention.load_state_dict(layer.attention.self.state_dict())
    layer.attention.self = attention
    if value is not None:
        module = model.get_submodule(where)
        forward = module.forward

        def spoilt(*args, **kwargs):
            output = forward(*args, **kwargs)
            output = output.clone()
            output.view(-1)[3] = value
            return output

        module.forward = spoilt
    return model.eval(), batch


def with_an_empty_row(batch):
    """The batch, its last row nothing but padding."""
    empty = {name: values.clone() for name, values in batch.items()}
    for name in ("input_ids", "token_type_ids", "attention_mask"):
        empty[name][-1] = 0
    for name in ("labels", "next_sentence_label"):
        empty[name][-1] = -100
    return empty


SELF, SCORES = "bert.encoder.layer.0.attention.self", "cls.seq_relationship"
CASES = (  # value and module that are spoilt, whether a row is empty, the answer
    ("a model without a fault", None, None, False, None),
    ("a model whose pooler gives a NaN", math.nan, "bert.pooler", False, "bert.pooler"),
    ("a model whose NSP head gives infinity", math.inf, SCORES, False, SCORES),
    ("a batch with an empty row, where attention gives NaN", None, None, True, SELF),
)


def check_first_not_finite(answer):
    for what, value, where, empty, right in CASES:
        model, batch = patient(value, where)
        batch = with_an_empty_row(batch) if empty else batch
        before = hooks(model)
        found = answer(model, batch)
        left = hooks(model) - before
        if isinstance(found, torch.nn.Module):
            raise Mistake("you return the module. Return its name, as named_modules() gives it.")
        if found != right:
            raise Mistake(
                f"for {what} you return {found!r}, expected {right!r}: {why(model, found, right)}"
            )
        if left:
            raise Mistake(f"{left} hooks are still on the model. Keep what register_forward_hook returns, and call its `remove()`.")  # fmt: skip
    model, batch = patient()
    model.bert.pooler.forward = stop
    before = hooks(model)
    with suppress(Exception):  # an answer may raise the error again, or not
        answer(model, batch)
    if left := hooks(model) - before:
        raise Mistake(
            f"when the forward pass raises an error, {left} hooks stay on the model, which should be left as it was. Remove them in a `finally` block: it runs after an error, too."
        )


def hooks(model):
    """How many forward hooks the modules of a model have."""
    return sum(len(module._forward_hooks) for module in model.modules())


def stop(*args, **kwargs):
    raise RuntimeError("this module raises an error")


def why(model, found, right):
    """What an answer with this name has probably done."""
    names = [name for name, _ in model.named_modules()]
    if right is None:
        return "no module gives NaN or infinity, so there is no name."
    if found is None and right == SCORES:
        return "infinity is not NaN. Ask whether all numbers are finite."
    if found is None:
        return "one number in the output is enough, and it must be the output, not a weight."
    if found not in names:
        return f"that is none of the {len(names)} names of model.named_modules()."
    if right.startswith(found):
        return f"that module contains the first one. In named_modules() it is number {names.index(found)}, but it ends later."
    if right == SELF:
        return "attention returns a tuple, and you look at outputs that are tensors only."
    return f"it comes after the first one, as number {names.index(found)} of named_modules(). Look at the outputs, and keep the first name."


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="Find the first module whose output is not finite",
    task="Write a function that runs a batch through a model and names the first module whose output holds NaN or infinity. Do not use any names of this chapter's model, so that the function also works for models of other people.",
    hints=(
        "PyTorch can call a function of yours whenever a module has computed its output: look for *forward hooks* in the documentation of `nn.Module`. An inner module ends before the one that contains it. How does your function know the name of its module?",
        "After `module.register_forward_hook(hook)`, PyTorch calls `hook(module, inputs, output)`; the method returns a handle with `.remove()`. A function `watch(name)` that returns a hook gives each hook its own name. The hook appends this name to `found` if `output.isfinite().all()` is false; for a tuple it checks each tensor in it. After `model(**batch)` the answer is the first entry of `found`.",
    ),
    paragraph="The loss becomes NaN",
    solution=first_not_finite,
    check=check_first_not_finite,
)
