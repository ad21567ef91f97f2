"""Read and write a tokenizer's files, in the formats of `transformers`.

They are vocab.txt, tokenizer.json and tokenizer_config.json.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minibert.config import InputError, read_json_file

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@dataclass(frozen=True)
class TokenizerFiles:
    """The contents of the files: the vocabulary, and how a text is normalised."""

    vocab: dict[str, int]  # token -> id
    lowercase: bool = True
    strip_accents: bool | None = None  # None: only if the text is lowercased


def read_tokenizer_files(folder: Path) -> TokenizerFiles:
    """Read a folder's vocab.txt or tokenizer.json, and the options in tokenizer_config.json.

    Raises an InputError for a missing or invalid file, or another kind of tokenizer.
    """
    options: dict[str, Any] = {"do_lower_case": True, "strip_accents": None}
    if (folder / "vocab.txt").exists():
        vocab = read_vocab_file(folder / "vocab.txt")
    elif (folder / "tokenizer.json").exists():  # transformers 5 writes no vocab.txt
        vocab, normalizer = _read_tokenizer_json(folder / "tokenizer.json")
        options["do_lower_case"] = normalizer.get("lowercase", True)
        options["strip_accents"] = normalizer.get("strip_accents")
    else:
        is_bpe = (folder / "vocab.json").exists()
        other = ": its vocab.json is not a WordPiece vocabulary" if is_bpe else ""
        raise InputError(f"no vocab.txt and no tokenizer.json in {folder}{other}")
    if (folder / "tokenizer_config.json").exists():
        stored = read_json_file(folder / "tokenizer_config.json", "tokenizer")
        options.update({key: stored[key] for key in options if key in stored})
    return TokenizerFiles(vocab, options["do_lower_case"], options["strip_accents"])


def write_tokenizer_files(files: TokenizerFiles, folder: Path) -> None:
    """Write vocab.txt and tokenizer_config.json; create the folder if it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{token}\n" for token in files.vocab)
    (folder / "vocab.txt").write_bytes(lines.encode("utf-8"))
    options = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": files.lowercase,
        "strip_accents": files.strip_accents,
        "tokenize_chinese_chars": True,
    }
    options |= {f"{token[1:-1].lower()}_token": token for token in SPECIAL_TOKENS}
    text = json.dumps(options, indent=2) + "\n"
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")


def read_vocab_file(path: Path) -> dict[str, int]:
    """Read a vocab.txt: token -> id, where the id is the line number from 0.

    Raises an InputError that names the file and what is wrong with it.
    """
    if not path.is_file():
        raise InputError(f"no vocabulary file at {path}")
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start} cannot be read") from error
    # not splitlines(), because a token may be a character that Python treats as a line break
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    vocab: dict[str, int] = {}
    for number, token in enumerate(lines):
        if not token:
            raise InputError(
                f"{path}: line {number + 1} is empty; every line holds one token"
                if text
                else f"{path} is empty: a vocabulary has one token on every line"
            )
        if token in vocab:
            raise InputError(
                f"{path}: {token!r} is on line {vocab[token] + 1} and again on line {number + 1}"
            )
        vocab[token] = number
    try:
        check_vocab(vocab)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    return vocab


def _read_tokenizer_json(path: Path) -> tuple[dict[str, int], dict[str, Any]]:
    """Read the vocabulary and the normaliser's options from a tokenizer.json."""
    content = read_json_file(path, "tokenizer")
    model = content.get("model") or {}
    if model.get("type") != "WordPiece" or not isinstance(model.get("vocab"), dict):
        raise InputError(
            f"{path} holds a {model.get('type')} tokenizer; expected WordPiece with its vocab"
        )
    return model["vocab"], content.get("normalizer") or {}


def check_vocab(vocab: dict[str, int]) -> None:
    """Raise an InputError if a special token is missing or the ids are not 0 to len(vocab) - 1."""
    missing = [token for token in SPECIAL_TOKENS if token not in vocab]
    if missing:
        raise InputError(f"the vocabulary of {len(vocab)} tokens lacks {', '.join(missing)}")
    if sorted(vocab.values()) != list(range(len(vocab))):
        raise InputError(
            f"the ids of a vocabulary of {len(vocab)} tokens must be 0 to "
            f"{len(vocab) - 1}, each once"
        )
