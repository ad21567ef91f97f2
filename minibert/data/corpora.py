"""Where the text comes from: documents, each a list of sentences, from sets known by name and from files of your own.

Everything streams: one document is in memory at a time, or one line of a .jsonl file.
"""

import glob
import gzip
import json
import lzma
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from minibert.data.sentences import split_sentences

SUFFIXES = (".txt", ".txt.gz", ".txt.xz", ".jsonl", ".jsonl.gz", ".jsonl.xz")
SPLITS = ("train", "valid", "all")
HELD_OUT = 12           # one document in this many is for validation, where nothing else says which
LONGEST = 200_000       # characters after which a document in a .txt file ends at the next blank line: memory stays small


def documents(name_or_paths, split: str = "train", *, shard: tuple[int, int] = (0, 1),
              sentence_per_line: bool = False) -> Iterator[list[str]]:
    """Iterate over the documents of a corpus; a document is the list of its sentences, in order.

    `name_or_paths` is a file, a folder (searched all through), a pattern ('texts/*.txt'), or a list of these:

    - .txt: a blank line ends a paragraph, two or more blank lines or the end of the file end a document. A line break
      inside a paragraph is a space, so that wrapped lines read as written. No sentence reaches across two paragraphs.
    - .txt with `sentence_per_line=True`, the format of google-research/bert: each line is a sentence, left as it is, and
      one blank line ends a document.
    - .jsonl: a JSON object a line, whose "text" is one document; a blank line in it ends a paragraph.

    Either may be compressed (.gz, .xz). Text is UTF-8.

    `split` is 'train', 'valid' or 'all'. If any file's name begins with train, valid, val, dev or test, these names decide
    and the other files are left out. Otherwise every twelfth document is 'valid' and the others are 'train'.
    `shard=(index, count)` gives process `index` of `count` its part: each document goes to exactly one of them.

    Raises a ValueError for an unknown name, and one that names file and line where text cannot be read.
    """
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
    index, count = shard
    if not 0 <= index < count:
        raise ValueError(f"shard must be (index, count) with 0 <= index < count, not {shard!r}")
    paths = find_files(name_or_paths)
    return _read_all(_files_of(paths, split), index, count, _one_a_line if sentence_per_line else split_sentences,
                     sentence_per_line)


# -- which files -------------------------------------------------------------------------------------------------------

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


def _files_of(paths: list[Path], split: str) -> Iterator[tuple[Path, int, int]]:
    """Each file with the part of its documents wanted: those k with (k + offset) % HELD_OUT in `wanted`."""
    named = {path: re.match(r"(train|valid|val|dev|test)(?![a-z])|validation", path.name.lower()) for path in paths}
    if split == "all":
        return [(path, None) for path in paths]
    if not any(named.values()):
        return [(path, (number, split)) for number, path in enumerate(paths)]
    names = ("train",) if split == "train" else ("valid", "val", "dev", "validation")
    chosen = [(path, None) for path, match in named.items() if match and match[0] in names]
    if not chosen:
        raise ValueError(f"split {split!r}: no file's name begins with {' or '.join(names)} among "
                         f"{', '.join(path.name for path in paths[:5])}{' ...' if len(paths) > 5 else ''} (split='all' reads them all)")
    return chosen


def _read_all(files, index: int, count: int, cut, sentence_per_line: bool) -> Iterator[list[str]]:
    for number, (path, part) in enumerate(files):
        kept = number                           # so that folders of small files are spread over the processes too
        for place, text in enumerate(_texts(path, sentence_per_line)):
            if part is not None and ((place + part[0]) % HELD_OUT == HELD_OUT - 1) != (part[1] == "valid"):
                continue
            kept += 1
            if kept % count == index and (sentences := cut(text)):      # cutting is dear, so only what this process keeps
                yield sentences


def _one_a_line(text: str) -> list[str]:
    return [stripped for line in text.split("\n") if (stripped := " ".join(line.split()))]


# -- reading one file --------------------------------------------------------------------------------------------------

def _texts(path: Path, sentence_per_line: bool) -> Iterator[str]:
    """The documents of one file, uncut."""
    lines = _lines(path)
    if ".jsonl" in path.suffixes:
        return _json_texts(path, lines)
    return _plain_texts(lines, blank_lines=1 if sentence_per_line else 2)


def _lines(path: Path) -> Iterator[str]:
    """The decoded lines of a file, compressed or not, without their ends."""
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
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}, after line {number}: the compressed file is damaged or cut short ({error})") from error
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    if number == 0:
        raise ValueError(f"{path} is empty")


def _plain_texts(lines: Iterable[str], blank_lines: int) -> Iterator[str]:
    """Documents, at `blank_lines` blank lines or more in a row."""
    document, size, blanks = [], 0, 0
    for line in lines:
        if line and not line.isspace():
            if document and (blanks >= blank_lines or blanks and size > LONGEST and blank_lines > 1):
                yield "\n".join(document)
                document, size = [], 0
            elif blanks and document:
                document.append("")
            document.append(line)
            size, blanks = size + len(line), 0
        else:
            blanks += 1
    if document:
        yield "\n".join(document)


def _json_texts(path: Path, lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{path}, line {number}: not JSON ({error})") from error
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise ValueError(f'{path}, line {number}: wanted an object with a "text" that is a string, found {line[:60]!r}')
        yield record["text"]
