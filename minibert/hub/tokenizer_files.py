"""Read and write vocab.txt, tokenizer.json and tokenizer_config.json, as `transformers` does."""

import json
import operator
import re
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any, SupportsIndex

from minibert.config import InputError, read_json_file
from minibert.hub.atomic_io import replacing

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCABULARIES = ("vocab.txt", "tokenizer.json")  # a folder with one of them has a tokenizer
TOKENIZER_FILES = (
    *VOCABULARIES,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
)

# What is implemented, of the options of tokenizer_config.json and of parts of tokenizer.json.
OPTIONS = {
    "tokenize_chinese_chars": True,
    "do_basic_tokenize": True,
    "word_tokenizer_type": "basic",
    "subword_tokenizer_type": "wordpiece",
    "split_special_tokens": False,
    "never_split": [],
}
PARTS: dict[str, dict[str, Any]] = {
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {"unk_token": "[UNK]", "continuing_subword_prefix": "##"},
}

HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair
# Where tokenizer_config.json names tokens that were added to the vocabulary.
ADDED = ("added_tokens_decoder", "additional_special_tokens", "extra_special_tokens")


@dataclass(frozen=True)
class TokenizerFiles:
    """The contents of the files: the vocabulary, and how a text is normalised."""

    vocab: dict[str, int]  # token -> id
    lowercase: bool = True
    strip_accents: bool | None = None  # None: only if the text is lowercased


def read_tokenizer_files(folder: Path) -> TokenizerFiles:
    """Read a folder's vocab.txt or tokenizer.json, and the options in tokenizer_config.json.

    Raises an InputError for a missing or invalid file, another kind of tokenizer, tokens that were
    added to it, and for a vocab.txt and a tokenizer.json that differ.
    """
    lowercase, strip_accents, vocab = True, None, None
    if (folder / "vocab.txt").exists():
        vocab = read_vocab_file(folder / "vocab.txt")
    path = folder / "tokenizer.json"
    if path.exists():  # transformers 5 writes no vocab.txt
        found, normalizer = _read_tokenizer_json(path)
        if vocab not in (None, found):
            raise InputError(
                f"{folder} holds two vocabularies, and its vocab.txt differs from its "
                "tokenizer.json: remove the one that is not the model's"
            )
        vocab = found
        lowercase = _option(path, normalizer, "lowercase", lowercase)
        strip_accents = _option(path, normalizer, "strip_accents", strip_accents)
    if vocab is None:
        is_bpe = (folder / "vocab.json").exists()
        other = ": its vocab.json is not a WordPiece vocabulary" if is_bpe else ""
        raise InputError(f"no vocab.txt and no tokenizer.json in {folder}{other}")
    path = folder / "added_tokens.json"  # as old versions of transformers write them
    if path.exists():
        _refuse_added(path, list(read_json_file(path, "tokenizer")))
    path = folder / "tokenizer_config.json"
    if path.exists():
        stored = read_json_file(path, "tokenizer")
        _refuse_others(path, stored, OPTIONS)
        _refuse_other_tokens(path, stored)
        lowercase = _option(path, stored, "do_lower_case", lowercase)
        strip_accents = _option(path, stored, "strip_accents", strip_accents)
    path = folder / "special_tokens_map.json"
    if path.exists():
        _refuse_other_tokens(path, read_json_file(path, "tokenizer"))
    return TokenizerFiles(vocab, lowercase, strip_accents)


def _option(path: Path, values: dict[str, Any], key: str, default: Any) -> Any:
    """The value of an option that may be missing: a boolean; for strip_accents also None."""
    value = values.get(key, default)
    if not isinstance(value, bool) and (value is not None or key != "strip_accents"):
        allowed = "true, false or null" if key == "strip_accents" else "true or false"
        raise InputError(f"{path}: {key} must be {allowed}, not {shown(value)}")
    return value


def write_tokenizer_files(files: TokenizerFiles, folder: Path) -> None:
    """Write vocab.txt and tokenizer_config.json; create the folder if it does not exist.

    Both are written aside and then moved into place, vocab.txt last. Then every other file of an
    older tokenizer is removed. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    options = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": files.lowercase,
        "strip_accents": files.strip_accents,
        "tokenize_chinese_chars": True,
    }
    options |= {f"{token[1:-1].lower()}_token": token for token in SPECIAL_TOKENS}
    text = json.dumps(options, indent=2) + "\n"
    lines = "".join(f"{token}\n" for token in files.vocab)
    about = folder / "tokenizer_config.json"
    with replacing(folder / "vocab.txt") as words, replacing(about) as config:
        words.write_bytes(lines.encode())  # the same line ends on every system
        config.write_bytes(text.encode())
    for name in TOKENIZER_FILES:
        if name not in ("tokenizer_config.json", "vocab.txt"):
            (folder / name).unlink(missing_ok=True)


def read_vocab_file(path: Path) -> dict[str, int]:
    """Read a vocab.txt: token -> id, where the id is the line number from 0.

    Raises an InputError that names the file and what is wrong with it.
    """
    if not path.is_file():
        raise InputError(f"no vocabulary file at {path}")
    try:
        text = path.read_bytes().decode("utf-8-sig")
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
    _check_vocab_of(path, vocab)
    return vocab


def _read_tokenizer_json(path: Path) -> tuple[dict[str, int], dict[str, Any]]:
    """Read the vocabulary and the normaliser's options from a tokenizer.json."""
    content = read_json_file(path, "tokenizer")
    model, normalizer = content.get("model"), content.get("normalizer") or {}
    for name, value in (("model", model), ("normalizer", normalizer)):
        if not isinstance(value, dict):
            raise InputError(f"{path}: {name} must be an object, not {shown(value)}")
    kind, vocab = content["model"].get("type"), content["model"].get("vocab")
    if kind != "WordPiece" or not isinstance(vocab, dict):
        name = kind if isinstance(kind, str) else shown(kind)
        raise InputError(f"{path} holds a {name} tokenizer; expected WordPiece with its vocab")
    if "normalizer" in content and not normalizer:
        raise InputError(f"{path} has no normalizer; minibert implements BertNormalizer only")
    for name, expected in PARTS.items():
        _refuse_others(path, content.get(name) or {}, expected, f"{name}.")
    _check_vocab_of(path, vocab)
    _refuse_added(path, content.get("added_tokens"))
    return vocab, normalizer


def _refuse_others(
    path: Path, values: dict[str, Any], expected: dict[str, Any], prefix: str = ""
) -> None:
    """Raise an InputError if an option has another value than the one that is implemented."""
    for key, only in expected.items():
        if values.get(key, only) not in (only, None):
            raise InputError(
                f"{path}: {prefix}{key} is {shown(values[key])}; minibert implements "
                f"{shown(only)} only"
            )


def _refuse_other_tokens(path: Path, stored: dict[str, Any]) -> None:
    """Raise an InputError for other names of the special tokens, and for added tokens."""
    for token in SPECIAL_TOKENS:
        named = stored.get(key := f"{token[1:-1].lower()}_token")
        content = named.get("content") if isinstance(named, dict) else named
        _refuse_others(path, {key: content}, {key: token})
    for key in ADDED:
        _refuse_added(path, stored.get(key))


def _refuse_added(path: Path, added: Any) -> None:
    """Raise an InputError for an added token other than the five special ones.

    `transformers` cuts it out of a text first, whether the vocabulary has it or not.
    """
    entries = list(added.values()) if isinstance(added, dict) else added or []
    for entry in entries if isinstance(entries, list) else [entries]:
        token = entry.get("content") if isinstance(entry, dict) else entry
        if token not in SPECIAL_TOKENS:
            raise InputError(
                f"{path}: the token {shown(token)} was added to the vocabulary, and minibert "
                f"implements no added tokens but {', '.join(SPECIAL_TOKENS)}"
            )


def _check_vocab_of(path: Path, vocab: dict[str, Any]) -> None:
    try:
        check_vocab(vocab)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def check_vocab(vocab: dict[str, int]) -> None:
    """Raise an InputError for what is no dict, if a special token is missing, the ids are not 0 to
    len(vocab) - 1, or a token is not made of characters, or vocab.txt cannot hold it.
    """
    if not isinstance(vocab, dict):
        raise InputError(f"a vocabulary is a dict of token to id, not a {type(vocab).__name__}")
    missing = [token for token in SPECIAL_TOKENS if token not in vocab]
    if missing:
        raise InputError(f"the vocabulary of {len(vocab)} tokens lacks {', '.join(missing)}")
    for token, number in vocab.items():
        if not isinstance(token, str):
            raise InputError(f"the tokens of a vocabulary must be texts, not {shown(token)}")
        if type(number) is not int:
            raise InputError(
                f"the ids of a vocabulary must be whole numbers, but {token!r} has {shown(number)}"
            )
    if sorted(vocab.values()) != list(range(len(vocab))):
        raise InputError(
            f"the ids of a vocabulary of {len(vocab)} tokens must be 0 to "
            f"{len(vocab) - 1}, each once"
        )
    for token, number in vocab.items():
        # see read_vocab_file: a byte order mark at the beginning of a file is no part of its text
        marked = number == 0 and token.startswith("\ufeff")
        if not token or "\n" in token or token.endswith("\r") or marked:
            raise InputError(
                f"the token {shown(token)} cannot be a line of vocab.txt: it is empty, has a line "
                "break, or begins with a byte order mark"
            )
    try:
        "".join(vocab).encode()
    except UnicodeEncodeError as error:
        raise InputError("a token holds half of a surrogate pair: no character") from error


def listed(name: str, texts: Iterable[str], wanted: str = "a list of texts") -> list[str]:
    """The texts as a list; an InputError for one text, and for what has no order or no texts."""
    if not isinstance(texts, str | bytes | Set | Mapping):
        with suppress(TypeError):  # also of a tensor without dimensions, which is Iterable
            return list(texts)
    raise InputError(f"{name} must be {wanted}, not {shown(texts)}")


def list_of_texts(name: str, texts: Iterable[str], longest: int | None = None) -> list[str]:
    """The texts as a list; an InputError for what is no text, and for one that is too long."""
    texts = listed(name, texts)
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"a text must be a str, not {type(text).__name__}: {shown(text)}")
        if not text.isascii() and HALF.search(text):
            raise InputError(
                f"the text {shown(text)} holds half of a surrogate pair: no character, or a byte "
                "that is not UTF-8"
            )
        if longest and len(text) > longest:
            raise InputError(
                f"{text[:20]!r}… has {len(text):,} characters; the limit is {longest:,}"
            )
    return texts


def check_switches(**values: bool | None) -> None:
    """Raise an InputError for a value that is neither True nor False, nor None in strip_accents."""
    for name, value in values.items():
        if not isinstance(value, bool) and (name, value) != ("strip_accents", None):
            raise InputError(f"{name} must be True or False, not {shown(value)}")


def whole_numbers(ids: Iterable[SupportsIndex]) -> list[int]:
    """The ids as ints; an InputError for a text, whose characters may be digits, and for 1.5."""
    try:
        ids = ids if isinstance(ids, str | bytes) else list(ids)
        if not any(isinstance(each, str | bytes | bool) for each in (ids, *ids)):
            return [operator.index(token_id) for token_id in ids]
    except (TypeError, RuntimeError):  # such as a tensor on the device "meta"
        pass
    raise InputError(f"ids must be whole numbers, not {shown(ids)}")
