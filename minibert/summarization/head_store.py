"""Trained heads on their own, without a second copy of the encoder under them; and summarizers by
name."""

import json
import warnings
from pathlib import Path
from typing import Any

import torch

from minibert.config import InputError
from minibert.hub.atomic_io import sha256, write_atomically
from minibert.hub.find_pretrained import PACKAGED, expanded
from minibert.hub.pretrained_io import from_pretrained
from minibert.hub.safetensors_io import SINGLE, read_tensors, write_weights
from minibert.model import BertModel, BertPreTrainedModel
from minibert.summarization.model import SENTENCE_HEAD, BertSumExt, first_layers
from minibert.tokenization import WordPieceTokenizer

HEADS = PACKAGED / "summarizers"  # a folder for each encoder, of its name behind the last slash
ABOUT, TENSORS = "head.json", "head.safetensors"


def save_head(model: BertSumExt, folder: Path, encoder: str) -> None:
    """Write head.safetensors and head.json, which says what the head is and which weights of
    `encoder` it was trained on.

    The model's encoder may be the first layers of that one, see `first_layers`. Raises a ValueError
    where the model's encoder is not that one: one that was trained along needs save_pretrained.
    """
    bert, digest = _encoder(encoder)
    theirs = bert.state_dict()
    changed = [
        name
        for name, tensor in model.bert.state_dict().items()
        if name not in theirs or not torch.equal(tensor.cpu(), theirs[name])
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
    """The encoder that a folder's head.json names, with the head of the folder on it; in eval mode
    and float32.

    Raises a ValueError where a file is missing or broken, or the encoder has other weights than the
    head was trained on.
    """
    return _load_head(folder, _about(folder))


def _load_head(folder: Path, about: dict[str, Any]) -> BertSumExt:
    bert, found = _encoder(about["encoder"])
    if found != about["encoder_sha256"]:
        raise InputError(
            f"the head in {folder} was trained on other weights of {about['encoder']}: their "
            f"sha256 was {about['encoder_sha256']}, here it is {found}"
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


def open_summarizer(name: str) -> tuple[BertSumExt, WordPieceTokenizer]:
    """A summarizer and its tokenizer: by the name of an encoder that this package has a head for;
    or a folder, of a head or of a saved BertSumExt.

    Raises a ValueError that says what there is, for an encoder without a head.
    """
    abouts = {path.parent: _about(path.parent) for path in sorted(HEADS.glob(f"*/{ABOUT}"))}
    packaged = {about["encoder"]: folder for folder, about in abouts.items()}
    folder = packaged.get(name, expanded(name))
    if (folder / ABOUT).is_file():
        model = _load_head(folder, abouts.get(folder) or _about(folder))
    else:
        found = from_pretrained(name)
        if not isinstance(found, BertSumExt):
            raise InputError(
                f"{name} is a {type(found).__name__} without a head for sentences. There are "
                f"trained heads on {', '.join(packaged) or 'none'}; "
                "or give the folder of a saved BertSumExt"
            )
        model = found
    return model, WordPieceTokenizer.from_pretrained(_source(model))


def _source(model: BertPreTrainedModel) -> Path:
    """The folder that the model was opened from, which holds its vocabulary."""
    if model.source_folder is None:
        raise InputError(f"the {type(model).__name__} does not come from a folder")
    return model.source_folder


def _about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    wanted = {"encoder": str, "encoder_sha256": str, "encoder_layers": int, "sentence_head": dict}
    if (
        not isinstance(about, dict)
        or any(not isinstance(about.get(key), kind) for key, kind in wanted.items())
        or set(about["sentence_head"]) != set(SENTENCE_HEAD)
        or not isinstance(about["sentence_head"]["sizes"], dict)
    ):
        raise InputError(
            f"{path} is no description of a head: wanted are {', '.join(wanted)}, and in the "
            f"last {', '.join(SENTENCE_HEAD)}"
        )
    return about


def _encoder(name: str) -> tuple[BertModel, str]:
    """A BertModel and the digest of its weights."""
    with warnings.catch_warnings():
        # Its pooler may be fresh and its heads unread: neither is used here.
        warnings.simplefilter("ignore", UserWarning)
        bert = from_pretrained(name, BertModel)
    weights = _source(bert) / SINGLE
    if not weights.is_file():
        raise InputError(
            f"{weights.parent} has no {SINGLE}: a head can be trained on weights in one file only"
        )
    return bert, sha256(weights)
