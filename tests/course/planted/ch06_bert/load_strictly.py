"""Answers to `load_strictly` on which its check is tried."""

from minibert.course.exercises.ch06_bert.load_strictly import load_strictly
from planted import Answers


def load_by_pytorch(model, tensors):
    wanted, found = (
        {(name, tuple(t.shape)) for name, t in side.items()}
        for side in (model.state_dict(), tensors)
    )
    if wanted != found:
        raise ValueError(
            f"wanted but not found: {wanted - found}; found but not wanted: {found - wanted}"
        )
    model.load_state_dict(tensors)


def load_in_two_walks(model, tensors):
    named = dict(model.named_parameters())
    for name in {**named, **tensors}:
        if (name in named) != (name in tensors) or named[name].shape != tensors[name].shape:
            raise ValueError(f"{name} does not fit")
    for name, parameter in named.items():
        parameter.data = tensors[name].to(parameter.dtype, copy=True)


def load_naming_the_first(model, tensors):
    own = model.state_dict()
    for name in sorted(own.keys() | tensors.keys()):
        if name not in own or name not in tensors or own[name].shape != tensors[name].shape:
            raise ValueError(f"{name} does not fit")
    return model.load_state_dict(tensors, strict=False)


def load_and_take_back(model, tensors):
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        model.load_state_dict(before)
        raise ValueError(str(error)) from None


def load_with_the_dtype_of_the_file(model, tensors):
    load_strictly(model, tensors)
    for name, parameter in model.named_parameters():
        parameter.data = tensors[name].clone()


def load_refusing_dtypes(model, tensors):
    own = model.state_dict()
    for name in own.keys() & tensors.keys():
        if own[name].dtype != tensors[name].dtype:
            raise ValueError(f"{name} is {tensors[name].dtype}")
    load_strictly(model, tensors)


def load_loosely(model, tensors):
    model.load_state_dict(tensors, strict=False)


def load_strict_of_pytorch(model, tensors):
    model.load_state_dict(tensors)


def load_ignoring_extras(model, tensors):
    own = model.state_dict()
    load_strictly(model, {name: tensors[name] for name in tensors if name in own})


def load_ignoring_missing(model, tensors):
    load_strictly(model, {**model.state_dict(), **tensors})


def load_without_shapes(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys():
        raise ValueError(f"{own.keys() ^ tensors.keys()}")
    for name in own:
        own[name].copy_(tensors[name])


def load_by_number_of_elements(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys():
        raise ValueError(f"{own.keys() ^ tensors.keys()}")
    for name in own:
        if own[name].numel() != tensors[name].numel():
            raise ValueError(name)
    for name in own:
        own[name].copy_(tensors[name].reshape(own[name].shape))


def load_while_looking(model, tensors):
    own = model.state_dict()
    for name in {**own, **tensors}:
        if name not in own or name not in tensors or own[name].shape != tensors[name].shape:
            raise ValueError(name)
        own[name].copy_(tensors[name])


def load_by_sharing(model, tensors):
    load_strictly(model, tensors)
    for name, parameter in model.named_parameters():
        parameter.data = tensors[name]


def load_nothing(model, tensors):
    if model.state_dict().keys() != tensors.keys():
        raise ValueError(f"{model.state_dict().keys() ^ tensors.keys()}")


def load_in_order(model, tensors):
    if model.state_dict().keys() != tensors.keys():
        raise ValueError(f"{model.state_dict().keys() ^ tensors.keys()}")
    for own, tensor in zip(model.state_dict().values(), tensors.values()):
        own.copy_(tensor)


def load_comparing_in_order(model, tensors):
    own = model.state_dict()
    wrong = [
        name
        for name, one, other in zip(own, own.values(), tensors.values())
        if one.shape != other.shape
    ]
    if own.keys() != tensors.keys() or wrong:
        raise ValueError(f"{own.keys() ^ tensors.keys()}, {wrong}")
    model.load_state_dict(tensors)


def load_comparing_values(model, tensors):
    own = model.state_dict()
    wrong = [name for name in own if name not in tensors or own[name] != tensors[name]]
    if wrong:
        raise ValueError(f"{wrong}")
    model.load_state_dict(tensors)


def load_comparing_matrices(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys() or any(
        own[name].dim() > 1 and own[name].shape != tensors[name].shape for name in own
    ):
        load_strictly(model, tensors)
    for name in own:
        own[name].copy_(tensors[name])


def load_with_names_swapped(model, tensors):
    own = model.state_dict()
    missing, unexpected = tensors.keys() - own.keys(), own.keys() - tensors.keys()
    if missing or unexpected:
        raise ValueError(f"missing: {sorted(missing)}, unexpected: {sorted(unexpected)}")
    load_strictly(model, tensors)


def load_by_assert(model, tensors):
    own = model.state_dict()
    assert own.keys() == tensors.keys()
    load_strictly(model, tensors)


def load_naming_all(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys() or any(own[name].shape != tensors[name].shape for name in own):
        raise ValueError(f"something does not fit among {[*own, *tensors]}")
    load_strictly(model, tensors)


def load_and_freeze(model, tensors):
    load_strictly(model, tensors)
    model.requires_grad_(False)


def load_using_up(model, tensors):
    load_strictly(model, tensors)
    tensors.clear()


def load_turned(model, tensors):
    load_strictly(model, tensors)
    model.state_dict()["2.weight"].copy_(tensors["2.weight"].T)


def load_silent(model, tensors):
    try:
        load_strictly(model, tensors)
    except ValueError:
        raise ValueError("the checkpoint does not fit") from None


ANSWERS = Answers(
    right=(load_by_pytorch, load_in_two_walks, load_naming_the_first, load_and_take_back),
    wrong={
        load_loosely: "'model.' before every name \\(0.weight\\) is loaded without an error",
        load_strict_of_pytorch: "ends in RuntimeError",
        load_ignoring_extras: "a tensor too many \\(3.bias\\) is loaded",
        load_ignoring_missing: "a tensor missing \\(2.weight\\) is loaded without an error",
        load_without_shapes: "a wrong shape ends in RuntimeError",
        load_by_number_of_elements: "right number of numbers",
        load_while_looking: "refused too late",
        load_by_sharing: "shares its memory",
        load_nothing: "leaves 6 of 6 tensors",
        load_silent: "does not name 0.weight",
        load_in_order: "fits ends in RuntimeError",
        load_comparing_in_order: "its 6 names in another order",
        load_comparing_values: "Boolean value of Tensor",
        load_with_names_swapped: "calls 3.bias missing",
        load_by_assert: "ends in AssertionError",
        load_naming_all: "names 1.weight as well",
        load_comparing_matrices: "one number where a vector belongs",
        load_and_freeze: "requires_grad False",
        load_using_up: "changes `tensors`",
        load_turned: "leaves 1 of 6",
        load_with_the_dtype_of_the_file: "your float32 model torch.float16",
        load_refusing_dtypes: "refused because its numbers are float16",
    },
)
