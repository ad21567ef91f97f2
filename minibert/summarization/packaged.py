"""Trained heads on their own, without a second copy of the encoder under them; and summarizers by name."""

import json
import warnings
from pathlib import Path

import torch

from minibert.checkpoint import from_pretrained
from minibert.config import SENTENCE_HEAD
from minibert.files import replace_file, sha256
from minibert.hub import PACKAGED
from minibert.model import BertModel
from minibert.summarization.model import BertSumExt, first_layers
from minibert.tokenization import WordPieceTokenizer
from minibert.weights import SINGLE, read_tensors, write_weights

HEADS = PACKAGED / "summarizers"        # a folder for each encoder, of its name behind the last slash
ABOUT, TENSORS = "head.json", "head.safetensors"


def save_head(model: BertSumExt, folder: Path, encoder: str) -> None:
    """Write head.safetensors and head.json, which says what the head is and which weights of `encoder` it was trained on.

    The model's encoder may be the first layers of that one, see `first_layers`. Raises a ValueError where the model's encoder is not that one: one that was trained along needs save_pretrained.
    """
    bert, digest = _encoder(encoder)
    theirs = bert.state_dict()
    changed = [name for name, tensor in model.bert.state_dict().items() if name not in theirs or not torch.equal(tensor.cpu(), theirs[name])]
    if changed:
        raise ValueError(f"the model's encoder is not {encoder}: {changed[0]} differs. minibert.save_pretrained saves both, encoder and head")
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(model.head.state_dict(), folder / TENSORS)
    about = {"encoder": encoder, "encoder_sha256": digest, "encoder_layers": model.config.num_hidden_layers, "sentence_head": model.config.sentence_head}
    replace_file(folder / ABOUT, json.dumps(about, indent=2) + "\n")


def load_head(folder: Path) -> BertSumExt:
    """The encoder that a folder's head.json names, with the head of the folder on it; in eval mode and float32.

    Raises a ValueError where a file is missing or broken, or the encoder has other weights than the head was trained on.
    """
    about = _about(folder)
    bert, found = _encoder(about["encoder"])
    if found != about["encoder_sha256"]:
        raise ValueError(f"the head in {folder} was trained on other weights of {about['encoder']}: their sha256 was {about['encoder_sha256']}, here it is {found}")
    kind, vector, segments, sizes = (about["sentence_head"][key] for key in SENTENCE_HEAD)
    try:
        model = BertSumExt(first_layers(bert, about["encoder_layers"]), kind, vector, segments, **sizes)
    except ValueError as error:
        raise ValueError(f"{folder / ABOUT}: {error}") from error
    if not (folder / TENSORS).is_file():
        raise ValueError(f"{folder / TENSORS} is missing")
    try:
        model.head.load_state_dict(read_tensors(folder / TENSORS))
    except RuntimeError as error:
        raise ValueError(f"{folder / TENSORS} does not fit the head that {ABOUT} describes: {error}") from error
    return model.eval()


def open_summarizer(name: str) -> tuple[BertSumExt, WordPieceTokenizer]:
    """A summarizer and its tokenizer: by the name of an encoder that this package has a head for; or a folder, of a head or of a saved BertSumExt.

    Raises a ValueError that says what there is, for an encoder without a head.
    """
    packaged = {_about(path.parent)["encoder"]: path.parent for path in sorted(HEADS.glob(f"*/{ABOUT}"))}
    folder = packaged.get(name, Path(name).expanduser())
    if (folder / ABOUT).is_file():
        model = load_head(folder)
    else:
        model = from_pretrained(name)
        if not isinstance(model, BertSumExt):
            raise ValueError(f"{name} is a {type(model).__name__} without a head for sentences. There are trained heads on {', '.join(packaged) or 'none'}; "
                             "or give the folder of a saved BertSumExt")
    return model, WordPieceTokenizer.from_pretrained(model.source_folder)


def _about(folder: Path) -> dict:
    path = folder / ABOUT
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    wanted = {"encoder": str, "encoder_sha256": str, "encoder_layers": int, "sentence_head": dict}
    if not isinstance(about, dict) or any(not isinstance(about.get(key), kind) for key, kind in wanted.items()) \
            or set(about["sentence_head"]) != set(SENTENCE_HEAD) or not isinstance(about["sentence_head"]["sizes"], dict):
        raise ValueError(f"{path} is no description of a head: wanted are {', '.join(wanted)}, and in the last {', '.join(SENTENCE_HEAD)}")
    return about


def _encoder(name: str) -> tuple[BertModel, str]:
    """A BertModel and the digest of its weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)        # about a pooler and heads, none of which is used here
        bert = from_pretrained(name, BertModel)
    if not (bert.source_folder / SINGLE).is_file():
        raise ValueError(f"{bert.source_folder} has no {SINGLE}: a head can stand on weights in one file only")
    return bert, sha256(bert.source_folder / SINGLE)
