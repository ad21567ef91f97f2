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
        result = model(**inputs)
    if remove:
        [handle.remove() for handle in handles]
    return {
        name: output[0] if isinstance(output, tuple) else output for name, output in outputs.items()
    } | {"last_hidden_state": result.last_hidden_state, "pooler_output": result.pooler_output}


def _differing(ours, theirs, order, tolerance=1e-4):
    return [
        name
        for name in order
        if isinstance(ours.get(name), torch.Tensor)
        and isinstance(theirs.get(name), torch.Tensor)
        and not (
            ours[name].shape == theirs[name].shape
            and torch.allclose(ours[name], theirs[name], rtol=0, atol=tolerance)
        )
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


def difference_without_tuples(model, reference, inputs):
    def tensors(each):
        outputs = {}
        handles = [
            module.register_forward_hook(
                lambda _module, _arguments, output, name=name: outputs.update({name: output})
            )
            for name, module in each.named_modules()
        ]
        each(**inputs)
        [handle.remove() for handle in handles]
        return outputs

    ours, theirs = tensors(model), tensors(reference)
    return next(iter(_differing(ours, theirs, ours)), None)


def _first(model, reference, inputs, differs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    for name, output in ours.items():
        if isinstance(output, torch.Tensor) and name in theirs and differs(output - theirs[name]):
            return name
    return None


def difference_by_largest(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    common = {name: output for name, output in ours.items() if name in theirs}
    for name, output in common.items():
        if not torch.is_tensor(output):
            continue
        if output.shape != theirs[name].shape:
            return name
        if not torch.dist(output, theirs[name], p=torch.inf) <= 1e-4:
            return name
    return None


def difference_that_broadcasts(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    for name, output in ours.items():
        both = torch.is_tensor(output) and torch.is_tensor(theirs.get(name))
        if both and not torch.allclose(output, theirs[name], rtol=0, atol=1e-4):
            return name
    return None


def difference_of_modules_only(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    modules = dict(model.named_modules())
    return next((name for name in _differing(ours, theirs, ours) if name in modules), None)


def difference_blind_to_nan(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    for name, output in ours.items():
        both = torch.is_tensor(output) and torch.is_tensor(theirs.get(name))
        if both and (output - theirs[name]).abs().max() > 1e-4:
            return name
    return None


def difference_in_the_mean(model, reference, inputs):
    return _first(model, reference, inputs, lambda gap: gap.abs().mean() > 1e-4)


def difference_without_abs(model, reference, inputs):
    return _first(model, reference, inputs, lambda gap: gap.max() > 1e-4)


def difference_too_strict(model, reference, inputs):
    return _first(model, reference, inputs, lambda gap: gap.abs().max() > 1e-5)


def difference_too_lax(model, reference, inputs):
    return _first(model, reference, inputs, lambda gap: gap.abs().max() > 1e-3)


def difference_of_all_names(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    for name, output in ours.items():
        if isinstance(output, torch.Tensor) and (output - theirs[name]).abs().max() > 1e-4:
            return name
    return None


def difference_of_their_names(model, reference, inputs):
    ours, theirs = _record(model, inputs), _record(reference, inputs)
    for name, output in theirs.items():
        if isinstance(output, torch.Tensor) and (output - ours[name]).abs().max() > 1e-4:
            return name
    return None


def difference_by_last_name(model, reference, inputs):
    def outputs_of(each):
        outputs, handles = {}, []
        for name, module in each.named_modules():

            def keep(module, arguments, output):
                outputs[name] = output

            handles.append(module.register_forward_hook(keep))
        each(**inputs)
        [handle.remove() for handle in handles]
        return outputs

    ours, theirs = outputs_of(model), outputs_of(reference)
    return next(iter(_differing(ours, theirs, ours)), None)


ANSWERS = Answers(
    right=(difference_by_list, difference_by_largest),
    wrong={
        difference_as_defined: "'embeddings', which contains it",
        difference_at_the_end: "is not the first to differ",
        difference_of_weights: "eps of .* you find no difference",
        difference_with_hooks_left: "still on a model",
        difference_without_tolerance: "differs by 0.000001",
        difference_of_leaves: "only the activation .*intermediate is the first .*modules inside them",
        difference_without_tuples: "only the number of heads .*output is a tuple",
        difference_in_the_mean: "one number is wrong by 0.0003 .*largest absolute",
        difference_without_abs: "all too small .*largest absolute",
        difference_too_strict: "differs by 0.00005 ",
        difference_too_lax: "too large by 0.0005 .*first to differ",
        difference_of_all_names: "Only the model .*stops with KeyError",
        difference_of_their_names: "Only the reference .*stops with KeyError",
        difference_by_last_name: "under its own name",
        difference_blind_to_nan: "NaN > 1e-4 is False",
        difference_that_broadcasts: "first of two equal texts only",
        difference_of_modules_only: "twice the last hidden state.*you return None",
        difference_as_number: "expected is the name of a module",
    },
)
