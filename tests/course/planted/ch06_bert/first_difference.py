"""Answers to `first_difference` on which its check is tried."""

import torch

from planted import Answers


def _record(model, inputs, remove=True):
    """Name -> output of every module, in the order in which they finish."""
    outputs = {}
    handles = [
        module.register_forward_hook(
            lambda _module, _arguments, output, name=name: outputs.update({name: output})
        )
        for name, module in model.named_modules()
    ]
    with torch.no_grad():
        model(**inputs)
    if remove:
        [handle.remove() for handle in handles]
    return {
        name: output[0] if isinstance(output, tuple) else output for name, output in outputs.items()
    }


def _differing(ours, theirs, order, tolerance=1e-4):
    return [
        name
        for name in order
        if isinstance(ours.get(name), torch.Tensor)
        and isinstance(theirs.get(name), torch.Tensor)
        and not torch.allclose(ours[name], theirs[name], rtol=0, atol=tolerance)
    ]


def difference_by_list(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    return next(iter(_differing(ours, theirs, ours)), None)


def difference_of_leaves(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    leaves = {name for name, module in model.named_modules() if not list(module.children())}
    found = _differing(ours, theirs, ours)
    return next((name for name in found if name in leaves), next(iter(found), None))


def difference_as_defined(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    names = [name for name, _ in model.named_modules()]
    return next(iter(_differing(ours, theirs, names)), None)


def difference_at_the_end(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    return next(reversed(_differing(ours, theirs, ours)), None)


def difference_of_weights(model, reference, inputs):
    other = dict(reference.named_parameters())
    for name, parameter in model.named_parameters():
        if (parameter - other[name]).abs().max() > 1e-4:
            return name.rpartition(".")[0]
    return None


def difference_with_hooks_left(model, reference, inputs):
    ours, theirs = _record(model, inputs, remove=False), _record(reference, inputs)
    return next(iter(_differing(ours, theirs, ours)), None)


def difference_without_tolerance(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    return next(iter(_differing(ours, theirs, ours, tolerance=0)), None)


def difference_as_number(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    return len(_differing(ours, theirs, ours))


def difference_nowhere(model, reference, inputs):
    return None


ANSWERS = Answers(
    right=(difference_by_list, difference_of_leaves),
    wrong={
        difference_as_defined: "'embeddings', which contains it",
        difference_at_the_end: "is not the first to differ",
        difference_of_weights: "eps of .* you find no difference",
        difference_with_hooks_left: "still on a model",
        difference_without_tolerance: "differs by 0.000001",
        difference_as_number: "expected is the name of a module",
        difference_nowhere: "find no difference",
    },
)
