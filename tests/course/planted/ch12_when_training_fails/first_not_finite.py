"""Answers to `first_not_finite` on which its check is tried."""

import torch

from planted import Answers, named


def finite(output):
    return all(
        part.isfinite().all()
        for part in (output if isinstance(output, tuple) else (output,))
        if isinstance(part, torch.Tensor)
    )


@torch.no_grad()
def with_a_partial(model, batch):
    from functools import partial

    bad = []

    def note(name, module, inputs, output):
        if not finite(output):
            bad.append(name)

    handles = [
        module.register_forward_hook(partial(note, name)) for name, module in model.named_modules()
    ]
    try:
        model(**batch)
    finally:
        [handle.remove() for handle in handles]
    return next(iter(bad), None)


def with_a_global_hook(model, batch):
    names = {module: name for name, module in model.named_modules()}
    bad = []

    def note(module, inputs, output):
        if module in names and not finite(output):
            bad.append(names[module])

    handle = torch.nn.modules.module.register_module_forward_hook(note)
    try:
        model(**batch)
    except RuntimeError:
        return None
    finally:
        handle.remove()
    return bad[0] if bad else None


def _wrong(name, test=finite, choose=lambda bad: bad[0], nothing=None, keep=False, inputs_too=False):  # fmt: skip
    @torch.no_grad()
    def answer(model, batch):
        bad, handles = [], []

        def watch(label):
            def hook(module, inputs, output):
                if not test(inputs if inputs_too else output):
                    bad.append(label)

            return hook

        for label, module in model.named_modules():
            handles.append(module.register_forward_hook(watch(label)))
        model(**batch)
        for handle in handles:
            if not keep:
                handle.remove()
        return choose(bad) if bad else nothing

    return named(name, answer)


def tensors_alone(output):
    return not isinstance(output, torch.Tensor) or bool(output.isfinite().all())


def nan_alone(output):
    return not any(
        part.isnan().any()
        for part in (output if isinstance(output, tuple) else (output,))
        if isinstance(part, torch.Tensor)
    )


def not_all(output):
    return not isinstance(output, torch.Tensor) or bool(output.isfinite().any())


def weights(model, batch):
    for name, weight in model.named_parameters():
        if not weight.isfinite().all():
            return name
    return None


def the_module(model, batch):
    name = with_a_partial(model, batch)
    return None if name is None else model.get_submodule(name)


def in_order_of_names(model, batch):
    bad = _all(model, batch)
    return next((name for name, _ in model.named_modules() if name in bad), None)


def _all(model, batch):
    return _wrong("all", choose=lambda bad: bad)(model, batch) or []


def with_dots(model, batch):
    name = with_a_partial(model, batch)
    return None if name is None else f"model.{name}"


ANSWERS = Answers(
    right=(with_a_partial, with_a_global_hook),
    wrong={
        _wrong("last", choose=lambda bad: bad[-1]): r"it comes after the first one, as number",
        _wrong("empty_string", nothing=""): r"no module gives NaN or infinity",
        _wrong("hooks_left", keep=True): r"hooks are still on the model",
        _wrong("hooks_left_after_an_error"): r"raises an error, \d+ hooks stay",
        _wrong("tensors_alone", test=tensors_alone): r"outputs that are tensors only",
        _wrong("nan_alone", test=nan_alone): r"infinity is not NaN",
        _wrong("not_all", test=not_all): r"one number in the output is enough",
        the_module: r"you return the module\.",
        in_order_of_names: r"that module contains the first one",
        with_dots: r"none of the \d+ names",
    },
)
