"""Reading text files, document by document: .txt and .jsonl, compressed or not, every fault with its file and line."""

import glob
import gzip
import json
import lzma
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

SUFFIXES = (".txt", ".txt.gz", ".txt.xz", ".jsonl", ".jsonl.gz", ".jsonl.xz")
SPLIT_NAME = re.compile(r"(train|valid|val|dev|test)(?![a-z])|validation")
NAMES = {"train": ("train",), "valid": ("valid", "val", "dev", "validation")}
HELD_OUT = 12           # one document in this many is for validation, where nothing else says which
LONGEST = 200_000       # characters after which a document in a .txt file ends at the next blank line: memory stays small
DAMAGED = (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error)


def find_files(paths) -> list[Path]:
    """The files of a file, folder or pattern (or of a list of these), each once, sorted within each."""
    found = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        path = Path(path).expanduser()
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file())
            if not inside:
                raise ValueError(f"the folder {path} holds no file that ends in {', '.join(SUFFIXES)}")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            matching = sorted(Path(file) for file in glob.glob(str(path), recursive=True) if Path(file).is_file())
            if not matching:
                raise ValueError(f"there is no file or folder {str(path)!r} (looked for in {Path.cwd()})")
            found += matching
    for path in found:
        if not path.name.endswith(SUFFIXES):
            raise ValueError(f"cannot read {path}: its name must end in one of {', '.join(SUFFIXES)}")
    return list(dict.fromkeys(found))


def choose_files(paths: list[Path], split: str) -> tuple[list[Path], str]:
    """The files of a split, and the split of their documents that is wanted: 'all' where the files' names decide."""
    named = {path: match[0] for path in paths if (match := SPLIT_NAME.match(path.name.lower()))}
    if split == "all" or not named:
        return paths, split
    chosen = [path for path, name in named.items() if name in NAMES[split]]
    if not chosen:
        raise ValueError(f"split is {split!r}, but no file's name begins with {' or '.join(NAMES[split])}: there are "
                         f"{', '.join(path.name for path in paths[:5])}{' ...' if len(paths) > 5 else ''} (split='all' reads every file)")
    return chosen, "all"


def file_texts(paths: list[Path], split: str, blank_lines: int) -> Iterator[str]:
    """The documents of files, uncut. In a .txt file one ends at `blank_lines` blank lines in a row, or more."""
    paths, split = choose_files(paths, split)
    # counted from the file's number, so that of many files with one document each every twelfth is held out too
    return chain.from_iterable(of_split(_texts(path, blank_lines), split, first=number) for number, path in enumerate(paths))


def of_split(texts: Iterable[str], split: str, first: int = 0) -> Iterator[str]:
    """Those of numbered texts that belong to a split: every HELD_OUT-th is 'valid', the others are 'train'."""
    for number, text in enumerate(texts, start=first):
        if split == "all" or (number % HELD_OUT == HELD_OUT - 1) == (split == "valid"):
            yield text


def _texts(path: Path, blank_lines: int) -> Iterator[str]:
    return _json_texts(path) if ".jsonl" in path.suffixes else _plain_texts(read_lines(path), blank_lines)


def read_lines(path: Path) -> Iterator[str]:
    """The decoded lines of a file, compressed (.gz, .xz) or not, without their ends.

    Raises a ValueError with file and line for what is no UTF-8 text, damaged, empty or not there.
    """
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    number = 0
    try:
        with opener(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if b"\0" in line:
                    raise ValueError(f"{path}, line {number}: holds a zero byte, so this is no text file")
                yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}, line {number}: not UTF-8 text (byte {error.start + 1} of the line is "
                         f"{error.object[error.start]:#04x})") from error
    except DAMAGED as error:
        raise ValueError(f"{path}, after line {number}: the compressed file is damaged or cut short ({error})") from error
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    if number == 0:
        raise ValueError(f"{path} is empty")


def _plain_texts(lines: Iterable[str], blank_lines: int) -> Iterator[str]:
    document, size, blanks = [], 0, 0
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


def _json_texts(path: Path) -> Iterator[str]:
    for number, record in json_lines(path):
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise ValueError(f'{path}, line {number}: wanted an object with a "text" that is a string, found {json.dumps(record)[:60]!r}')
        yield record["text"]


def json_lines(path: Path) -> Iterator[tuple[int, object]]:
    """What the lines of a .jsonl file hold, each with its number; blank lines are passed over, errors as of `read_lines`."""
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{path}, line {number}: not JSON ({error})") from error
