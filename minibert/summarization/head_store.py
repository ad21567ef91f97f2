"""Save and load trained heads without a copy of their encoder, and open summarizers by name."""

import json
import os
import warnings
from pathlib import Path
from typing import Any

import torch

from minibert.config import InputError, read_json_file
from minibert.hub.atomic_io import sha256, write_atomically
from minibert.hub.find_pretrained import PACKAGED, expanded
from minibert.hub.load_weights import refuse_not_finite
from minibert.hub.pretrained_io import (
    FreshWeightsWarning,
    UnreadWeightsWarning,
    from_pretrained,
)
from minibert.hub.safetensors_io import SINGLE, read_tensors, write_weights
from minibert.model import BertModel, BertPreTrainedModel
from minibert.summarization.model import SENTENCE_HEAD, BertSumExt, first_layers
from minibert.tokenization import WordPieceTokenizer

HEADS = (
    PACKAGED / "summarizers"
)  # one folder per encoder, named after the part behind the last slash
ABOUT, TENSORS = "head.json", "head.safetensors"


def save_head(model: BertSumExt, folder: Path, encoder: str) -> None:
    """Write head.safetensors, and head.json, which describes the head and records the sha256 of the
    weights of `encoder` it was trained on.

    The model's encoder may consist of the first layers of `encoder` (see `first_layers`). Raises a
    ValueError if it has other weights: save a fine-tuned encoder with save_pretrained instead.
    """
    refuse_not_finite(model.state_dict(), f"cannot save to {folder}")
    bert, digest = _encoder(encoder)
    original = bert.state_dict()
    changed = [
        name
        for name, tensor in model.bert.state_dict().items()
        if name not in original or not torch.equal(tensor.cpu(), original[name])
    ]
    if changed:
        raise InputError(
            f"the model's encoder is not {encoder}: {changed[0]} differs. "
            "minibert.save_pretrained saves both, encoder and head"
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(model.head.state_dict(), folder / TENSORS)
    about = {
        "encoder": encoder,
        "encoder_sha256": digest,
        "encoder_layers": model.config.num_hidden_layers,
        "sentence_head": model.config.sentence_head,
    }
    write_atomically(folder / ABOUT, json.dumps(about, indent=2) + "\n")


def load_head(folder: Path) -> BertSumExt:
    """Load the encoder that the folder's head.json names, with the folder's head on it; in eval
    mode and float32.

    Raises a ValueError if a file is missing or broken, or if the encoder's weights are not those
    the head was trained on.
    """
    return _load_head(folder, _about(folder))


def _load_head(folder: Path, about: dict[str, Any]) -> BertSumExt:
    bert, found = _encoder(about["encoder"])
    if found != about["encoder_sha256"]:
        raise InputError(
            f"the head in {folder} was trained on other weights of {about['encoder']}: expected "
            f"sha256 {about['encoder_sha256']}, found {found}"
        )
    kind, vector, segments, sizes = (about["sentence_head"][key] for key in SENTENCE_HEAD)
    try:
        model = BertSumExt(
            first_layers(bert, about["encoder_layers"]), kind, vector, segments, **sizes
        )
    except ValueError as error:
        raise InputError(f"{folder / ABOUT}: {error}") from error
    if not (folder / TENSORS).is_file():
        raise InputError(f"{folder / TENSORS} is missing")
    try:
        model.head.load_state_dict(read_tensors(folder / TENSORS))
    except RuntimeError as error:
        raise InputError(
            f"{folder / TENSORS} does not fit the head that {ABOUT} describes: {error}"
        ) from error
    return model.eval()


def open_summarizer(name: str | Path) -> tuple[BertSumExt, WordPieceTokenizer]:
    """Open a summarizer and its tokenizer.

    `name` is an encoder that this package has a head for, the folder of a head, or the folder of a
    saved BertSumExt. Raises a ValueError that lists the available heads if the encoder has none.
    """
    abouts = {path.parent: _about(path.parent) for path in sorted(HEADS.glob(f"*/{ABOUT}"))}
    packaged = {about["encoder"]: folder for folder, about in abouts.items()}
    folder = (isinstance(name, str) and packaged.get(name)) or expanded(name)
    if os.path.isfile(folder / ABOUT):  # unlike is_file, also for a name that is too long
        model = _load_head(folder, abouts.get(folder) or _about(folder))
    else:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            found = from_pretrained(name)
        if not isinstance(found, BertSumExt):
            raise InputError(
                f"{name} is a {type(found).__name__} without a sentence head. Encoders with a "
                f"trained head: {', '.join(packaged) or 'none'}; "
                "or pass the folder of a saved BertSumExt"
            )
        for warning in raised:  # not beside an error, which says enough
            warnings.warn(warning.message, stacklevel=2)
        model = found
    return model, WordPieceTokenizer.from_pretrained(_source(model))


def _source(model: BertPreTrainedModel) -> Path:
    """Return the folder that the model was loaded from, which holds its vocabulary."""
    if model.source_folder is None:
        raise InputError(f"the {type(model).__name__} was not loaded from a folder")
    return model.source_folder


def _about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    about = read_json_file(path, "head")
    expected = {"encoder": str, "encoder_sha256": str, "encoder_layers": int, "sentence_head": dict}
    if (
        any(not isinstance(about.get(key), kind) for key, kind in expected.items())
        or set(about["sentence_head"]) != set(SENTENCE_HEAD)
        or not isinstance(about["sentence_head"]["sizes"], dict)
    ):
        raise InputError(
            f"{path} does not describe a head: expected the keys {', '.join(expected)}, and in "
            f"sentence_head the keys {', '.join(SENTENCE_HEAD)}"
        )
    return about


def _encoder(name: str) -> tuple[BertModel, str]:
    """Return a BertModel and the sha256 of its weights."""
    with warnings.catch_warnings():
        # about a missing pooler and unused heads: neither is needed here
        warnings.simplefilter("ignore", FreshWeightsWarning)
        warnings.simplefilter("ignore", UnreadWeightsWarning)
        bert = from_pretrained(name, BertModel)
    weights = _source(bert) / SINGLE
    if not weights.is_file():
        raise InputError(
            f"{weights.parent} has no {SINGLE}: a head needs an encoder with one weight file"
        )
    return bert, sha256(weights)
