"""Read text files, document by document: .txt and .jsonl, compressed or not. Every error names the
file and the line."""

import codecs
import glob
import json
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TypeVar

from minibert.config import InputError
from minibert.data.compressed import DAMAGED, open_decompressed
from minibert.hub.find_pretrained import expanded
from minibert.hub.json_text import parse_json

Text = TypeVar("Text")
Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
SUFFIXES = (".txt", ".txt.gz", ".txt.xz", ".jsonl", ".jsonl.gz", ".jsonl.xz")
SPLIT_NAME = re.compile(r"(train|valid|val|dev|test)(?![a-z])|validation")
NAMES = {"train": ("train",), "valid": ("valid", "val", "dev", "validation")}
OURS = frozenset({"run.json", "tokenizer_config.json"})  # not a folder of a corpus
HELD_OUT = 12  # one document in this many is for validation, unless file names decide
# a document in a .txt file that has more characters ends at the next blank line, to limit memory
LONGEST = 200_000

# codecs of Python in which no text file is written
NO_TEXT_FILES = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined")


def decoded(data: bytes, encoding: str, errors: str = "strict") -> str:
    """The text of bytes. Raises a LookupError for an encoding that is none of text files or that
    Python does not know, and a UnicodeError for bytes that are not in it."""
    try:
        codec = codecs.lookup(encoding).name
    except (ValueError, TypeError) as error:  # a character that no name has, or no text
        raise LookupError(encoding) from error
    if codec in NO_TEXT_FILES:
        raise LookupError(encoding)
    return data.decode(encoding, errors)


def find_files(paths: Paths) -> list[Path]:
    """The files that a file name, folder or pattern (or a list of these) refers to, each once, also
    where several names or links lead to it. The files of one folder or pattern are sorted."""
    found = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        path = expanded(path)
        if path.is_dir():
            inside = sorted(file for file in files_below(path) if file.name.endswith(SUFFIXES))
            if not inside:
                raise InputError(
                    f"the folder {path} contains no file that ends in {', '.join(SUFFIXES)}"
                )
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            matching = sorted(
                Path(file) for file in glob.glob(str(path), recursive=True) if Path(file).is_file()
            )
            if not matching and path.exists():
                raise InputError(f"cannot read {path}: it is neither an ordinary file nor a folder")
            if not matching:
                raise InputError(
                    f"there is no file or folder {str(path)!r} (looked for in {Path.cwd()})"
                )
            found += matching
    for path in found:
        if not path.name.endswith(SUFFIXES):
            raise InputError(
                f"cannot read {path}: its name must end in one of {', '.join(SUFFIXES)}"
            )
    first: dict[Path, Path] = {}
    for path in found:
        first.setdefault(path.resolve(), path)
    return list(first.values())


def files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder and in the folders below it, but not in hidden ones and in those of a
    run, a model or a vocabulary, whose files are no corpus.

    Raises an InputError that names a folder which may not be read.
    """

    def refuse(error: OSError) -> None:
        raise InputError(f"cannot read the folder {error.filename}: {error.strerror}") from error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        if Path(parent) != folder and OURS.intersection(names):
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (path for name in names if (path := Path(parent, name)).is_file())


def choose_files(paths: list[Path], split: str) -> tuple[list[Path], str]:
    """The files of a split, and the split to apply to their documents, which is 'all' if the file
    names decide. Warns of files that then belong to no part.

    Raises an InputError where they would leave files out, but name no two parts of a corpus: a book
    called "Train dreams" is none.
    """
    named = {path: match[0] for path in paths if (match := SPLIT_NAME.match(path.name.lower()))}
    if split == "all" or not named:
        return paths, split
    others = [path.name for path in paths if path not in named]
    parts = {name == "train" for name in named.values()}
    if others and len(parts) == 1:
        odd, name = next(iter(named.items()))
        raise InputError(
            f"{odd} begins with {name!r}, like a part of a corpus, and {len(others):,} other "
            f"files are no part ({', '.join(others[:3])}{', …' * (len(others) > 3)}): rename it, "
            "or give the files of one part only"
        )
    chosen = [path for path, name in named.items() if name in NAMES[split]]
    if not chosen:
        raise InputError(
            f"split is {split!r}, but no file's name begins with {' or '.join(NAMES[split])}: "
            "there are "
            f"{', '.join(path.name for path in paths[:5])}{' ...' if len(paths) > 5 else ''} "
            "(rename them; in Python, split='all' reads every file)"
        )
    if others:
        warnings.warn(
            f"{len(others):,} of the files of the corpus are left out, because their names name no "
            f"part of it, as {next(iter(named)).name} does: {', '.join(others[:3])}"
            f"{', …' * (len(others) > 3)}",
            stacklevel=2,
        )
    return chosen, "all"


def check_split(paths: list[Path], split: str) -> None:
    """Raise the errors of `choose_files`, and leave its warning to the reading of the files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        choose_files(paths, split)


def file_texts(paths: list[Path], split: str, blank_lines: int) -> Iterator[tuple[str, str]]:
    """The documents of files, each with its source, not yet split into sentences. The source is the
    "source" that the line of a .jsonl names, or "". In a .txt file a document ends at `blank_lines`
    or more consecutive blank lines."""
    paths, split = choose_files(paths, split)
    # the count starts at the file's number, so with one document per file every twelfth document is
    # held out too
    return chain.from_iterable(
        of_split(_texts(path, blank_lines), split, first=number)
        for number, path in enumerate(paths)
    )


def of_split(texts: Iterable[Text], split: str, first: int = 0) -> Iterator[Text]:
    """The texts that belong to a split: every HELD_OUT-th is 'valid', the others are 'train'.
    `first` is the number of the first text."""
    for number, text in enumerate(texts, start=first):
        if split == "all" or (number % HELD_OUT == HELD_OUT - 1) == (split == "valid"):
            yield text


def _texts(path: Path, blank_lines: int) -> Iterator[tuple[str, str]]:
    """The source and the text of each document."""
    if ".jsonl" in path.suffixes:
        return _json_texts(path)
    return (("", text) for text in _plain_texts(read_lines(path), blank_lines))


def read_lines(path: Path) -> Iterator[str]:
    """The decoded lines of a file, compressed (.gz, .xz) or not, without the line breaks.

    Raises a ValueError with file and line if the file is not UTF-8 text, damaged, empty or missing.
    """
    number = 0
    try:
        with open_decompressed(path) as file:
            if file.peek(2).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise InputError(f"{path} is UTF-16 text: save it as UTF-8")
            for number, line in enumerate(file, start=1):
                if b"\0" in line:
                    raise InputError(
                        f"{path}, line {number}: holds a zero byte, so this is not a text file"
                    )
                yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}, line {number}: not UTF-8 text (byte {error.start + 1} of the line is "
            f"{error.object[error.start]:#04x})"
        ) from error
    except DAMAGED as error:
        raise InputError(
            f"{path}, after line {number}: the compressed file is damaged or cut short ({error})"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if number == 0:
        raise InputError(f"{path} is empty")


def _plain_texts(lines: Iterable[str], blank_lines: int) -> Iterator[str]:
    document, size, blanks = list[str](), 0, 0
    for line in lines:
        if not line.strip():
            blanks += 1
            continue
        if document and blanks:
            if blanks >= blank_lines or size > LONGEST:
                yield "\n".join(document)
                document, size = [], 0
            else:
                document.append("")
        document.append(line)
        size, blanks = size + len(line), 0
    if document:
        yield "\n".join(document)


def _json_texts(path: Path) -> Iterator[tuple[str, str]]:
    for number, record in json_lines(path):
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise InputError(
                f'{path}, line {number}: expected an object with a "text" that is a string, found '
                f"{json.dumps(record)[:60]!r}"
            )
        source = record.get("source")
        yield source if isinstance(source, str) else "", record["text"]


def titled_texts(path: Path) -> Iterator[tuple[str, str, str]]:
    """Source, title and text of the documents of a .jsonl file that have a title."""
    for _, record in json_lines(path):
        if isinstance(record, dict) and isinstance(record.get("text"), str):
            source, title = record.get("source"), record.get("title")
            if isinstance(title, str) and (words := " ".join(title.split())):
                yield source if isinstance(source, str) else "", words, record["text"]


def json_lines(path: Path) -> Iterator[tuple[int, object]]:
    """The parsed lines of a .jsonl file, each with its line number. Blank lines are skipped.
    Raises the errors of `read_lines`, and a ValueError for a line that is not JSON."""
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            yield number, parse_json(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{path}, line {number}: not JSON ({error})") from error
