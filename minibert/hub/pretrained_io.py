"""Models to disk and back: config.json, model.safetensors and vocab.txt, under the reference's own
names.

`transformers` opens what is saved here, and what it saved opens here. Nothing is ever unpickled:
the one program that reads a pickle is `minibert convert-bertsum`, which runs nothing that the file
names.
"""

import errno
import json
import os
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import torch

from minibert.config import IGNORED_KEYS, PRE_NORM_TYPE, BertConfig, InputError
from minibert.hub import roberta_prelayernorm
from minibert.hub.atomic_io import staging_folder
from minibert.hub.find_pretrained import expanded
from minibert.hub.load_weights import (
    FreshWeightsWarning,
    UnreadWeightsWarning,
    canonical_names,
    check_scale,
    float32_by_default,
    load_weights,
    refuse_unreadable,
)
from minibert.hub.model_folder import ModelFolder, read_config
from minibert.hub.safetensors_io import read_weights, weights_of, write_weights
from minibert.hub.tokenizer_files import TOKENIZER_FILES, VOCABULARIES, read_tokenizer_files
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

__all__ = [
    "FreshWeightsWarning",
    "ModelFolder",
    "UnreadWeightsWarning",
    "canonical_names",
    "from_pretrained",
    "read_config",
    "save_pretrained",
]

MODEL_FILES = ("model.safetensors", "config.json", *TOKENIZER_FILES)  # what a save may write
DTYPES = ("float32", "bfloat16", "float16", "float64")
Model = TypeVar("Model", bound=BertPreTrainedModel)


@overload
def from_pretrained(
    name_or_folder: str | Path | ModelFolder,
    model_class: type[Model],
    *,
    dtype: torch.dtype | str | None = None,
    torch_dtype: torch.dtype | str | None = None,
    **changes: Any,
) -> Model: ...


@overload
def from_pretrained(
    name_or_folder: str | Path | ModelFolder,
    model_class: None = None,
    *,
    dtype: torch.dtype | str | None = None,
    torch_dtype: torch.dtype | str | None = None,
    **changes: Any,
) -> BertPreTrainedModel: ...


def from_pretrained(
    name_or_folder: str | Path | ModelFolder,
    model_class: type[BertPreTrainedModel] | None = None,
    *,
    dtype: torch.dtype | str | None = None,
    torch_dtype: torch.dtype | str | None = None,
    **changes: Any,
) -> BertPreTrainedModel:
    """Open a saved model on the CPU, in evaluation mode.

    name_or_folder  a folder, "minibert-small", or a name on the hub: see `find_pretrained`
    model_class     the class to build, BertModel for example; a head that the file lacks is then
                    fresh, and a warning says so. By default the class that config.json names
    dtype           of the weights, such as torch.bfloat16 or "bfloat16"; float32 by default, also
                    for a file in half precision; "auto": what config.json says. `torch_dtype` is
                    another name for it
    changes         config fields to set, such as num_labels=3 for a fresh classifier

    Raises an InputError that names the file, the tensor, what was found and what was expected.
    """
    folder = ModelFolder.find(name_or_folder)
    if dtype is not None and torch_dtype is not None:
        raise InputError("dtype and torch_dtype are the same option: give one of them")
    number_format = _number_format(dtype if dtype is not None else torch_dtype, folder)
    config, chosen = read_config(folder, model_class, **_with_effect(changes))
    if changes.get("label2id") not in (None, _label2id(config)):
        raise InputError("label2id is not the reverse of id2label: leave it out, or give both")
    with torch.device("cpu"):  # whatever torch.set_default_device says
        tensors = canonical_names(read_weights(folder.path), folder)
        check_scale(config, tensors, folder)
        try:
            with float32_by_default():
                model = chosen(config).to(number_format)
        except InputError as error:
            raise InputError(f"{folder.path / 'config.json'}: {error}") from error
        load_weights(model, tensors, folder, stacklevel=2)
    model.source_folder = folder.path  # so that save_pretrained knows the vocabulary
    return model.eval()


def save_pretrained(
    model: BertPreTrainedModel,
    folder: str | Path,
    tokenizer: WordPieceTokenizer | None = None,
    *,
    more: Mapping[str, str] | None = None,
) -> None:
    """Write config.json and model.safetensors in the reference's names.

    The vocabulary goes with them where the tokenizer is given or known. It then replaces every
    tokenizer file of an older save. `more` are further files, their texts by name.

    Weights keep their precision. Everything is written aside first and then moved into place, so
    that a failure on the way leaves no half folder and an older save as it was. Sinusoidal
    positions are saved as their table, which `transformers` reads as learned positions with equal
    outputs. A pre-norm model is saved as the RobertaPreLayerNorm that it is there
    (`minibert.hub.roberta_prelayernorm`): equal outputs, but for the next-sentence head and the
    sentence head of a summarizer, which the reference leaves unread. For minibert only are a model
    without positions and, with norm_first, a masked-word head with another activation than "gelu":
    a warning and the config.json say so.

    Raises an InputError when the tokenizer has more tokens than the model, when no tokenizer is
    given or known and the folder has one of another size, when a weight is NaN or infinite or not
    of the shape that the config describes, which `from_pretrained` would refuse, when two layers
    share a weight or one is quantized, when the folder cannot be written, and for another model.
    """
    folder = expanded(folder)
    model = getattr(model, "_orig_mod", model)  # inside what torch.compile returns
    if not isinstance(model, BertPreTrainedModel):
        raise InputError(f"the model must be one of minibert's, not a {type(model).__name__}")
    if not isinstance(tokenizer, WordPieceTokenizer | None):
        raise InputError(
            f"the tokenizer must be one of minibert's, not a {type(tokenizer).__name__}"
        )
    try:
        _check_vocabulary(model, tokenizer, folder)
        weights, where = weights_of(model), f"cannot save to {folder}"
        refuse_unreadable(model, weights, where)
        with staging_folder(folder) as staging:
            values = _config_values(model)
            as_pre_norm = values["model_type"] == PRE_NORM_TYPE
            write_weights(
                roberta_prelayernorm.to_reference(model) if as_pre_norm else weights,
                staging / "model.safetensors",
            )
            (staging / "config.json").write_text(
                json.dumps(values, indent=2, sort_keys=True) + "\n", encoding="utf-8"
            )
            for name, text in (more or {}).items():
                (staging / name).write_text(text, encoding="utf-8")
            _write_tokenizer(model, tokenizer, staging)
            if folder.is_dir():
                _move_into(staging, folder)
            else:
                os.rename(staging, folder)
    except OSError as error:
        raise InputError(f"cannot save to {folder}: {error.strerror or error}") from error


# -- options of from_pretrained --------------------------------------------------------------------


def _number_format(given: torch.dtype | str | None, folder: ModelFolder) -> torch.dtype:
    """The dtype that an option asks for."""
    if given == "auto":
        given = folder.values.get("dtype") or folder.values.get("torch_dtype")
    name = "float32" if given is None else str(given).removeprefix("torch.")
    if not isinstance(given, (torch.dtype, str, type(None))) or name not in DTYPES:
        raise InputError(f"dtype must be one of {', '.join(DTYPES)} or auto, not {given!r:.60}")
    found: torch.dtype = getattr(torch, name)
    return found


def _with_effect(changes: dict[str, Any]) -> dict[str, Any]:
    """Refuse an option that would be dropped in silence, as the same key in a config.json is."""
    for key in changes:
        if key in IGNORED_KEYS and key != "label2id":  # which is compared with id2label
            raise InputError(f"{key} has no effect in minibert: leave it out")
    return changes


# -- config.json -----------------------------------------------------------------------------------


def _label2id(config: BertConfig) -> dict[str, int]:
    return {label: index for index, label in (config.id2label or {}).items()}


def _config_values(model: BertPreTrainedModel) -> dict[str, Any]:
    config = model.config
    values = config.to_dict() | {
        "architectures": [type(model).__name__],
        "model_type": "bert",
        "torch_dtype": str(model.dtype).removeprefix("torch."),
    }
    if config.id2label is not None:
        values["label2id"] = _label2id(config)
    if config.position_embedding_type == "sinusoidal":
        values["position_embedding_type"] = (
            "absolute"  # the table is in the file, and others know no formula
        )
        values["minibert"] = {"position_embedding_type": "sinusoidal"}
    special = (
        "position_embedding_type='none'"
        if config.position_embedding_type == "none"
        else roberta_prelayernorm.without_counterpart(model)
    )
    if special:
        note = (
            f"only minibert computes a model with {special}: "
            "other programs would open it and be wrong"
        )
        warnings.warn(note, stacklevel=3)
        values |= {"model_type": "minibert", "_comment": note}
    elif config.norm_first:
        del values["norm_first"]  # the model_type says it
        values |= roberta_prelayernorm.reference_config(model)
    return values


# -- files -----------------------------------------------------------------------------------------


def _check_vocabulary(
    model: BertPreTrainedModel, tokenizer: WordPieceTokenizer | None, folder: Path
) -> None:
    """Raise an InputError where the model would be saved with a vocabulary that is not its own."""
    size = model.config.vocab_size
    if tokenizer is not None:
        if len(tokenizer) > size:
            raise InputError(
                f"the tokenizer has {len(tokenizer)} tokens but the model's vocab_size is {size}"
            )
    elif not _has_tokenizer(model.source_folder) and _has_tokenizer(folder):
        found = len(read_tokenizer_files(folder).vocab)
        if found != size:
            raise InputError(
                f"{folder} has a tokenizer of {found} tokens from an older save, but the model's "
                f"vocab_size is {size}. What to do: give the model's tokenizer too, or save to "
                "another folder"
            )


def _has_tokenizer(folder: Path | None) -> bool:
    return folder is not None and any((folder / name).is_file() for name in VOCABULARIES)


def _write_tokenizer(
    model: BertPreTrainedModel, tokenizer: WordPieceTokenizer | None, staging: Path
) -> None:
    source = model.source_folder
    if tokenizer is not None:
        tokenizer.save(staging)
    elif source is not None and not source.is_dir():
        warnings.warn(
            f"no vocabulary is saved: the folder {source}, from which this model was opened, is "
            "gone. What to do: give the model's tokenizer too",
            stacklevel=3,
        )
    elif source is not None and _has_tokenizer(source):
        for name in TOKENIZER_FILES:
            if (source / name).is_file():
                shutil.copyfile(source / name, staging / name)


def _move_into(staging: Path, folder: Path) -> None:
    """Replace file by file, the weights first (the likeliest to be in use), then drop what an older
    save left behind. Raises an OSError before the first one where a folder has a file's name.
    """
    new = sorted(path.name for path in staging.iterdir())
    stale = [folder / "model.safetensors.index.json", *folder.glob("model-*-of-*.safetensors")]
    if not {*VOCABULARIES}.isdisjoint(new):
        stale += [folder / name for name in TOKENIZER_FILES if name not in new]
    for path in (*(folder / name for name in new), *stale):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, f"{path} is a folder")
    for name in sorted(new, key=lambda name: name != "model.safetensors"):
        if (folder / name).exists():
            shutil.copymode(folder / name, staging / name)
        os.replace(staging / name, folder / name)
    for path in stale:
        path.unlink(missing_ok=True)
