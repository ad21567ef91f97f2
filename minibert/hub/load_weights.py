"""Tensors from a file into a model.

Their names made those of this package, then every one compared and copied.
"""

import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor

from minibert.config import LARGEST, PRE_NORM_TYPE, BertConfig, InputError
from minibert.hub import roberta_prelayernorm
from minibert.hub.model_folder import ModelFolder
from minibert.hub.shapes_only import shapes_only
from minibert.model import PACKAGE_MODELS, BertModel, BertPreTrainedModel, model_class_named

# Parts on top of the encoder. A file without one of them leaves that part fresh, a model without
# one leaves it unread, each with a warning; half a part is an error. All other tensors must be
# there, and no others.
KNOWN_PARTS = (
    "bert.pooler.",
    "cls.predictions.",
    "cls.seq_relationship.",
    "classifier.",
    "qa_outputs.",
    "head.",
)

# Older files hold the tied tensors a second time.
TIED = {
    "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
    "cls.predictions.decoder.bias": "cls.predictions.bias",
}

FLOATING = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
BUILDING = threading.RLock()  # all threads have one default dtype


class FreshWeightsWarning(UserWarning):
    """A part of the opened model was not in the file: it is random until you train it."""


class UnreadWeightsWarning(UserWarning):
    """The file holds a part that the opened model does not have."""


@contextmanager
def float32_by_default() -> Iterator[None]:
    """Within it fresh weights are float32, whatever torch.set_default_dtype says.

    A model that is to take the numbers of a file would round them if it were built in bfloat16.
    """
    with BUILDING:
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def canonical_names(tensors: dict[str, Tensor], folder: ModelFolder) -> dict[str, Tensor]:
    """A file's tensors under the names of a model with a head, whatever the file's age or form.

    `bert.` in front; LayerNorm.weight and .bias, not gamma and beta; a RobertaPreLayerNorm's names
    as ours.
    """
    pre_norm = folder.model_type == PRE_NORM_TYPE
    renamed: dict[str, Tensor] = {}
    for key, tensor in tensors.items():
        name = key.replace("LayerNorm.gamma", "LayerNorm.weight")
        name = name.replace("LayerNorm.beta", "LayerNorm.bias")
        name = roberta_prelayernorm.our_name(name, folder.config) if pre_norm else _with_body(name)
        if name == "bert.embeddings.position_ids":  # 0, 1, 2, …: old versions of the reference
            continue
        if name in renamed:
            raise InputError(f"{folder.path}: the tensor {name} is there twice, once as {key!r}")
        renamed[name] = tensor
    table = roberta_prelayernorm.POSITIONS
    if pre_norm and table in renamed:
        renamed[table] = roberta_prelayernorm.our_positions(renamed[table], folder.config)
    return renamed


def refuse_not_finite(tensors: Mapping[str, Tensor], where: str | Path) -> None:
    """Raise an InputError that names the first tensor with a NaN or an infinity, and `where`.

    Also for one on the meta device, where a tensor has a shape, but no numbers, and for the packed
    weights of a quantized layer, which are no tensor.
    """
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor) or tensor.is_quantized:
            raise InputError(
                f"{where}: {name} belongs to a quantized layer, expected floating-point numbers"
            )
        if tensor.is_meta:
            raise InputError(f"{where}: {name} is on the meta device and holds no numbers")
        if not tensor.isfinite().all():
            raise InputError(f"{where}: {name} holds numbers that are NaN or infinite")


def refuse_shared(tensors: Mapping[str, Tensor], where: str | Path) -> None:
    """Raise an InputError that names two tensors with the same numbers in memory, and `where`.

    A file would hold them twice, and what opens it would not know that they are one.
    """
    names: dict[tuple[torch.device, int], str] = {}
    for name, tensor in tensors.items():
        other = names.setdefault((tensor.device, tensor.data_ptr()), name)
        if other != name and tensor.numel():
            raise InputError(
                f"{where}: {other} and {name} are one tensor in memory, and a file holds each on "
                "its own: give every layer its own weights, with copy.deepcopy(layer)"
            )


def refuse_unreadable(
    model: BertPreTrainedModel, tensors: Mapping[str, Tensor], where: str
) -> None:
    """Raise an InputError that says, with `where`, why no file of these tensors could be opened.

    What opens it builds a model by its config, so the names and shapes of the tensors must be those
    that the config describes.
    """
    refuse_not_finite(tensors, where)
    refuse_shared(tensors, where)
    kind = type(model)
    if kind.__name__ not in PACKAGE_MODELS or model_class_named(kind.__name__) is not kind:
        return  # a class of your own may need more than a config
    with shapes_only():
        described = kind(model.config).state_dict()
    complaint = f"{where}: the weights do not fit {kind.__name__} as model.config describes it"
    _compare(
        {_with_body(name): tensor for name, tensor in described.items()},
        {_with_body(name): tensor for name, tensor in tensors.items()},
        _parts(model),
        complaint,
    )


def matrix_parameters(config: BertConfig) -> int:
    """The parameters in the tables and matrices of an encoder, nearly all that it has."""
    tables = config.vocab_size + config.max_position_embeddings + config.type_vocab_size
    in_layer = 4 * config.hidden_size + 2 * config.intermediate_size
    return config.hidden_size * (tables + config.num_hidden_layers * in_layer)


def check_scale(config: BertConfig, tensors: dict[str, Tensor], folder: ModelFolder) -> None:
    """Raise an InputError if the config describes a far larger model than the one in the file.

    Building it could take all memory, so this is checked first.
    """
    described = matrix_parameters(config)
    found = sum(tensor.numel() for tensor in tensors.values())
    if described > 10 * found + 10**8:
        sizes = ", ".join(f"{name} {getattr(config, name):,}" for name in LARGEST)
        raise InputError(
            f"{folder.path / 'config.json'} describes a model of {described:,} parameters "
            f"({sizes}), but the weights have {found:,}"
        )


def load_weights(
    model: BertPreTrainedModel, tensors: dict[str, Tensor], folder: ModelFolder, stacklevel: int = 2
) -> None:
    """Copy tensors with canonical names into a model, after every name, shape and type has been
    compared, and every number is known to be finite.

    Warns of parts that the file or the model lacks. Raises an InputError that lists what does not
    fit.
    """
    prefix = "bert." if isinstance(model, BertModel) else ""
    expected = {prefix + key: tensor for key, tensor in model.state_dict().items()}
    _resolve_tied(tensors, expected, folder)
    name = type(model).__name__
    complaint = f"the weights in {folder.path} do not fit {name} as config.json describes it"
    compared, fresh, unread = _compare(expected, tensors, _parts(model), complaint)
    refuse_not_finite({key: tensors[key] for key in compared}, folder.path)
    if model.config.position_embedding_type == "sinusoidal":
        key = roberta_prelayernorm.POSITIONS
        found, table = tensors[key].float(), expected[key].float()
        if not torch.allclose(found, table, atol=0.01):  # the file may be in half precision
            raise InputError(f"{folder.path}: its table of positions is not the sinusoidal one")
    activation = folder.values.get("hidden_act", "gelu")
    mlm_head = any(key.startswith("cls.predictions.") for key in compared)
    if folder.model_type == PRE_NORM_TYPE and activation != "gelu" and mlm_head:
        raise InputError(
            f"{folder.path}: hidden_act is {activation!r}, but the masked-word head of a "
            "RobertaPreLayerNorm has 'gelu' whatever that says, and minibert has one activation "
            "for both. What to do: open the body alone, with model_class=BertModel"
        )
    if fresh:
        warnings.warn(
            f"{folder.path} has no {_listed(fresh)}: fresh random weights in this {name}, "
            "train it before use",
            FreshWeightsWarning,
            stacklevel=stacklevel + 1,
        )
    if unread:
        warnings.warn(
            f"{folder.path} also holds {_listed(unread)}: not part of {name}, left unread",
            UnreadWeightsWarning,
            stacklevel=stacklevel + 1,
        )
    ours = {key.removeprefix(prefix): tensors[key] for key in expected if key in tensors}
    model.load_state_dict(ours, strict=False)


def _compare(
    expected: Mapping[str, Tensor],
    tensors: Mapping[str, Tensor],
    parts: tuple[str, ...],
    complaint: str,
) -> tuple[list[str], list[str], list[str]]:
    """The names that were compared, the parts that are only expected, and those only found.

    Raises an InputError, which begins with `complaint`, where something does not fit.
    """
    part_of = {
        key: next((part for part in parts if key.startswith(part)), None)
        for key in {**expected, **tensors}
    }
    in_model = {part for key in expected if (part := part_of[key])}
    in_file = {part for key in tensors if (part := part_of[key])}
    fresh, unread = sorted(in_model - in_file), sorted(in_file - in_model)
    compared = [key for key in sorted(part_of) if part_of[key] not in (*fresh, *unread)]
    problems = [
        problem
        for key in compared
        if (problem := _problem(key, expected.get(key), tensors.get(key)))
    ]
    if problems:
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise InputError(f"{complaint}: {'; '.join(problems[:5])}{more}")
    return compared, fresh, unread


def _with_body(name: str) -> str:
    """A tensor's name in a model with a head, where the body is `bert`."""
    return f"bert.{name}" if name.startswith(("embeddings.", "encoder.", "pooler.")) else name


def _parts(model: BertPreTrainedModel) -> tuple[str, ...]:
    """The parts that a file may lack: the known ones, and those of a class of your own."""
    if isinstance(model, BertModel):
        return KNOWN_PARTS
    own = (name for name, _ in model.named_children() if name not in ("bert", "cls"))
    return (*KNOWN_PARTS, *(f"{name}." for name in own))


def _problem(key: str, expected: Tensor | None, found: Tensor | None) -> str | None:
    """What is wrong with a tensor of a file, None where nothing is."""
    if found is None:
        shape = list(expected.shape) if expected is not None else []
        return f"{key} is missing (expected shape {shape})"
    if expected is None:
        return f"{key} of shape {list(found.shape)} has no place in the model"
    if found.shape != expected.shape:
        return f"{key} has the shape {list(found.shape)}, expected {list(expected.shape)}"
    if found.dtype not in FLOATING:
        return f"{key} holds {found.dtype}, expected floating-point numbers"
    return None


def _resolve_tied(
    tensors: dict[str, Tensor], expected: dict[str, Tensor], folder: ModelFolder
) -> None:
    """Drop the second copies of tied tensors, after a look whether they are equal."""
    if "cls.predictions.bias" not in expected:
        return
    for copy, original in TIED.items():
        if copy in tensors:
            tensor = tensors.pop(copy)
            if not torch.equal(tensors.setdefault(original, tensor), tensor):
                raise InputError(
                    f"{folder.path}: {copy} differs from {original}; "
                    "minibert ties the two, as the original does"
                )


def _listed(parts: list[str]) -> str:
    return ", ".join(part.rstrip(".") for part in parts)
