"""Exercise `load_strictly`: task, hints, solution and check."""

import torch
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def load_strictly(model, tensors):
    """Copy tensors, name -> tensor, into the model.

    If anything does not fit: a ValueError that names the tensor.
    """
    # blank from here: the whole loader
    own = model.state_dict()
    missing = own.keys() - tensors.keys()  # names that the model has and the file lacks
    unexpected = tensors.keys() - own.keys()  # names that the file has and the model lacks
    if missing or unexpected:
        raise ValueError(f"missing: {sorted(missing)}, unexpected: {sorted(unexpected)}")
    wrong = [name for name in own if own[name].shape != tensors[name].shape]  # names whose shapes differ  # fmt: skip
    if wrong:
        raise ValueError(f"wrong shape: {[(name, list(tensors[name].shape)) for name in wrong]}")
    with torch.no_grad():
        for name in own:
            own[name].copy_(tensors[name])  # state_dict holds the parameters' own memory


def check_load_strictly(answer):
    def model():
        return nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 4))

    def refused(change, what, name, innocent=None):
        """A file is refused with the name of a tensor; any of several names may be right."""
        names = (name,) if isinstance(name, str) else name
        shown = names[0]
        target = model()
        before = {key: tensor.clone() for key, tensor in target.state_dict().items()}
        tensors = {key: torch.randn_like(tensor) for key, tensor in before.items()}
        change(tensors)
        try:
            answer(target, tensors)
        except ValueError as error:
            if not any(name in str(error) for name in names):
                raise Mistake(
                    f"A file with {what} is refused, but the message does not name {shown}: “{error}”."
                ) from None
            if f"missing: ['{shown}']" in str(error) and shown not in before:
                raise Mistake(
                    f"A file with {what} is refused, but your message calls {shown} missing: it is in the file and not in the model."
                ) from None
            if any(
                not torch.equal(before[key], tensor) for key, tensor in target.state_dict().items()
            ):
                raise Mistake(
                    f"A file with {what} is refused too late: half of it has been copied by then. Look first, copy after."
                ) from None
            if innocent and innocent in str(error):
                raise Mistake(
                    f"A file with {what} is refused, but your message names {innocent} as well, which fits: “{error}”."
                ) from None
        except (KeyError, RuntimeError, AttributeError, AssertionError) as error:
            raise Mistake(
                f"A file with {what} ends in {type(error).__name__} ({' '.join(str(error).split())}); expected is a ValueError that names {shown}."
            ) from None
        else:
            raise Mistake(f"A file with {what} ({shown}) is loaded without an error.")

    target, tensors = (
        model(),
        {key: torch.randn_like(tensor) for key, tensor in reversed(model().state_dict().items())},
    )
    try:
        answer(target, tensors)
    except ValueError as error:
        raise Mistake(
            f"A file that fits, its {len(tensors)} names in another order than the model's, is refused: “{error}”."
        ) from None
    except RuntimeError as error:
        raise Mistake(
            f"A file that fits ends in RuntimeError ({error}): compare shapes and copy by name, never whole tensors or by order."
        ) from None
    loaded = target.state_dict()
    fresh = [key for key in tensors if not torch.equal(loaded[key], tensors[key])]
    if fresh:
        raise Mistake(
            f"A file that fits leaves {len(fresh)} of {len(tensors)} tensors as they were, {fresh[0]} among them."
        )
    if frozen := [
        name
        for name, parameter in target.named_parameters()
        if not parameter.requires_grad or parameter.dtype != torch.float32
    ]:
        raise Mistake(
            f"A file that fits changes more than numbers: {frozen[0]} of your model is now {target.get_parameter(frozen[0]).dtype}, "
            f"requires_grad {target.get_parameter(frozen[0]).requires_grad}; it was torch.float32, True."
        )
    tensors["0.bias"].add_(1)
    if torch.equal(target.state_dict()["0.bias"], tensors["0.bias"]):
        raise Mistake(
            "Your model now shares its memory with the file's tensors: a change of one changes the other. Copy."
        )
    _check_half_precision(answer, model(), tensors)
    refused(
        lambda t: [t.update({f"model.{name}": t.pop(name)}) for name in list(t)],
        "'model.' before every name",
        # none of the six fits, so a loader that stops at the first may name any
        ("0.weight", *model().state_dict()),
    )
    refused(lambda t: t.pop("2.weight"), "a tensor missing", "2.weight")
    refused(lambda t: t.update({"3.bias": torch.zeros(4)}), "a tensor too many", "3.bias")
    refused(
        lambda t: t.update({"0.weight": torch.randn(4, 4)}), "a wrong shape", "0.weight", "1.weight"
    )
    refused(
        lambda t: t.update({"0.bias": torch.randn(1)}),
        "one number where a vector belongs, which would broadcast",
        "0.bias",
    )
    refused(
        lambda t: t.update({"2.weight": torch.randn(4)}),
        "a vector where a matrix belongs, which would broadcast",
        "2.weight",
    )
    refused(
        lambda t: t.update({"2.weight": torch.randn(16)}),
        "the right number of numbers in a wrong shape",
        "2.weight",
    )


def _check_half_precision(answer, target, tensors):
    """A file in float16 goes into a float32 model, which stays float32."""
    half = {key: tensor.half() for key, tensor in tensors.items()}
    try:
        answer(target, half)
    except ValueError as error:
        raise Mistake(
            f"A file whose names and shapes fit is refused because its numbers are float16: “{error}”. Convert them to the model's dtype."
        ) from None
    for key, tensor in target.state_dict().items():
        if tensor.dtype != torch.float32:
            raise Mistake(
                f"A file in float16 makes {key} of your float32 model {tensor.dtype}: the model keeps its dtype, and the numbers are converted."
            )
        if not torch.equal(tensor, half[key].float()):
            raise Mistake(f"A file in float16 leaves other numbers in {key} than it holds.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="A strict loader",
    solution=load_strictly,
    check=check_load_strictly,
    task="Write the whole loader. It copies tensors into a model by name. If a name or a shape does not fit, it raises a `ValueError` that names the tensor, and the model "
    "stays as it was. Dtypes may differ: a file in float16 fits a model in float32. The numbers are then converted, and the model keeps its dtype.",
    hints=(
        "In how many ways can a file not fit a model? Write down one example of each before you write any code.",
        "Look at what `state_dict()` returns: are its tensors copies, or the model's own memory? Change one in place on `nn.Linear(1, 1)` and see. And what would `copy_` do with each of your examples?",
    ),
    paragraph="Load a checkpoint by name",
)
