"""Trained heads on their own, without a second copy of the encoder under them; and summarizers by name."""

import json
from pathlib import Path

from minibert.checkpoint import from_pretrained
from minibert.files import replace_file, sha256
from minibert.hub import PACKAGED, find_pretrained
from minibert.model import BertModel
from minibert.summarization.model import BertSumExt
from minibert.tokenization import WordPieceTokenizer
from minibert.weights import read_tensors, write_weights

HEADS = PACKAGED / "summarizers"        # a folder for each encoder, of its name behind the last slash


def save_head(model: BertSumExt, folder: Path, encoder: str) -> None:
    """Write head.safetensors and head.json, which says what the head is and which weights of `encoder` it was trained on."""
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(model.head.state_dict(), folder / "head.safetensors")
    about = {"encoder": encoder, "encoder_sha256": sha256(find_pretrained(encoder) / "model.safetensors"), "sentence_head": model.config.sentence_head}
    replace_file(folder / "head.json", json.dumps(about, indent=2) + "\n")


def load_head(folder: Path) -> BertSumExt:
    """The encoder that a folder's head.json names, with the head of the folder on it; in eval mode.

    Raises a ValueError where a file is missing or broken, or the encoder has other weights than the head was trained on.
    """
    try:
        about = json.loads((folder / "head.json").read_text(encoding="utf-8"))
        encoder, digest, sentence_head = (about[key] for key in ("encoder", "encoder_sha256", "sentence_head"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / 'head.json'} is no description of a head: {error}") from error
    bert = from_pretrained(encoder, BertModel)
    found = sha256(bert.source_folder / "model.safetensors")
    if found != digest:
        raise ValueError(f"the head in {folder} was trained on other weights of {encoder}: their sha256 was {digest}, here it is {found}")
    model = BertSumExt(bert, sentence_head["kind"], sentence_head["vector"], sentence_head["segments"], **sentence_head["sizes"])
    tensors = {name: tensor.float() for name, tensor in read_tensors(folder / "head.safetensors").items()}
    try:
        model.head.load_state_dict(tensors)
    except RuntimeError as error:
        raise ValueError(f"{folder / 'head.safetensors'} does not fit the head that head.json describes: {error}") from error
    return model.eval()


def open_summarizer(name: str) -> tuple[BertSumExt, WordPieceTokenizer]:
    """A summarizer and its tokenizer: by the name of an encoder that this package has a head for, or a saved BertSumExt.

    Raises a ValueError that says what there is, for an encoder without a head.
    """
    packaged = HEADS / name.rpartition("/")[2]
    if (packaged / "head.json").is_file() and json.loads((packaged / "head.json").read_text(encoding="utf-8"))["encoder"] == name:
        return load_head(packaged), WordPieceTokenizer.from_pretrained(name)
    if (Path(name).expanduser() / "head.json").is_file():
        model = load_head(Path(name).expanduser())
        return model, WordPieceTokenizer.from_pretrained(model.source_folder)
    model = from_pretrained(name)
    if not isinstance(model, BertSumExt):
        known = sorted(json.loads(path.read_text(encoding="utf-8"))["encoder"] for path in HEADS.glob("*/head.json"))
        raise ValueError(f"{name} is a {type(model).__name__} without a head for sentences. There are trained heads on {', '.join(known) or 'none'}; "
                         "or give the folder of a saved BertSumExt")
    return model, WordPieceTokenizer.from_pretrained(name)
