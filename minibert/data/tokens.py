"""A corpus as one memory-mapped file of token ids: ten million tokens take twenty megabytes on disk
and are not loaded into memory.

The file consists of a header of 512 bytes (the word `minibert`, then JSON, padded with spaces) and
the ids of all tokens (uint16 if the vocabulary fits, else uint32). Then follow, from the next
multiple of 8 bytes on, the index of each sentence's first token (uint64, and the number of tokens),
and the index of each document's first sentence (uint64, and the number of sentences).
"""

import json
import os
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any, BinaryIO

import numpy as np

from minibert.config import InputError, check_size
from minibert.hub.find_pretrained import expanded

MAGIC = b"minibert"
HEADER_BYTES = 512
VERSION = 1
CHUNK = 1 << 22  # tokens, or bytes, read at once


def write_tokens(
    path: str | Path, documents: Iterable[Sequence[Sequence[int]]], vocab_size: int
) -> None:
    """Write documents, each a list of sentences, each a list of token ids, as a token file. The
    documents are streamed, never all in memory.

    Empty sentences and documents are left out. The file is written atomically. Raises a ValueError
    for an id outside 0 … vocab_size - 1 and for a corpus without any sentence.
    """
    check_size("vocab_size", vocab_size, most=1 << 32)  # ids have up to four bytes
    dtype = _dtype(vocab_size)
    sentences, first_sentences = array("Q", [0]), array("Q", [0])
    checksum = 0
    with _writing(expanded(path)) as file:
        for document in documents:
            ids = _ids(document)  # [tokens of the document]
            if not len(ids):
                continue
            if ids.min() < 0 or ids.max() >= vocab_size:
                raise InputError(
                    f"documents contain the token id {ids.min() if ids.min() < 0 else ids.max()}; "
                    f"ids go from 0 to {vocab_size - 1} (vocab_size is {vocab_size})"
                )
            checksum = _append(file, ids.astype(dtype), checksum)
            for sentence in filter(len, document):
                sentences.append(sentences[-1] + len(sentence))
            first_sentences.append(len(sentences) - 1)
        if len(sentences) == 1:
            raise InputError("documents contain no sentence, so there is nothing to write")
        _finish(file, checksum, vocab_size, np.asarray(sentences), np.asarray(first_sentences))


def join_tokens(path: str | Path, parts: Sequence["TokenFile"]) -> None:
    """Join several token files into one; their documents keep the order of the parts.

    This lets many processes tokenize a large corpus in parallel: each writes one `shard` of
    `corpora.documents`. Raises a ValueError if the parts differ in vocab_size, or if there are no
    parts.
    """
    sizes = {part.vocab_size for part in parts}
    if len(sizes) != 1:
        raise InputError(
            f"parts must be token files with one vocab_size, but have {sorted(sizes) or 'none'}"
        )
    checksum, sentences, first_sentences = 0, [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
    with _writing(expanded(path)) as file:
        for part in parts:
            for start in range(0, len(part.tokens), CHUNK):
                checksum = _append(file, part.tokens[start : start + CHUNK], checksum)
            sentences.append(part.sentences[1:] + sentences[-1][-1])
            first_sentences.append(part.documents[1:] + first_sentences[-1][-1])
        _finish(
            file, checksum, sizes.pop(), np.concatenate(sentences), np.concatenate(first_sentences)
        )


def _ids(document: Sequence[Sequence[int]]) -> np.ndarray:
    """All token ids of a document; an InputError unless they are whole numbers."""
    try:
        found = [token for sentence in document for token in sentence]
        ids = np.asarray(found if found else np.zeros(0, np.int64))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a document is a list of sentences, each a list of token ids, not {shown(document)}"
        ) from error
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise InputError(f"token ids must be whole numbers, but a document is {shown(document)}")
    return ids


def _dtype(vocab_size: int) -> np.dtype:
    return np.dtype("<u2" if vocab_size <= 1 << 16 else "<u4")


@contextmanager
def _writing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file for writing, positioned after the header. It is renamed to `path` once
    it is complete and on the disk."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(unfinished, "wb") as file:
            file.write(b" " * HEADER_BYTES)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _finish(
    file: BinaryIO,
    checksum: int,
    vocab_size: int,
    sentences: np.ndarray,
    first_sentences: np.ndarray,
) -> None:
    """Write what follows the tokens, then the header in front of them."""
    checksum = _append(file, np.zeros(-file.tell() % 8, np.uint8), checksum)
    for index in (sentences, first_sentences):
        checksum = _append(file, index.astype("<u8"), checksum)
    header = {
        "version": VERSION,
        "dtype": _dtype(vocab_size).str,
        "vocab_size": vocab_size,
        "tokens": int(sentences[-1]),
        "sentences": len(sentences) - 1,
        "documents": len(first_sentences) - 1,
        "crc32": checksum,
    }
    file.seek(0)
    file.write((MAGIC + json.dumps(header).encode()).ljust(HEADER_BYTES))


def _append(file: BinaryIO, values: np.ndarray, checksum: int) -> int:
    """Write an array and return the checksum of everything written so far."""
    data = values.tobytes()
    file.write(data)
    return zlib.crc32(data, checksum)


def _is_whole(header: dict[str, Any]) -> bool:
    """Whether a header has all that is written there, of the right types."""
    counts = [header[name] for name in ("vocab_size", "tokens", "sentences", "documents", "crc32")]
    return header["dtype"] in ("<u2", "<u4") and all(
        type(count) is int and count >= 0 for count in counts
    )


class TokenFile:
    """An open token file, whose tokens are read from disk as they are used.

    tokens     uint16 or uint32, the tokens of all documents, one after the other
    sentences  int64, the index of each sentence's first token, then the number of tokens
    documents  int64, the index of each document's first sentence, then the number of sentences

    Raises a ValueError for a file that is not a token file, is truncated, or does not have the
    checksum it was written with. The checksum requires reading the whole file once; `check=False`
    skips it, for example in all but one of many processes.
    """

    def __init__(self, path: str | Path, check: bool = True):
        self.path = expanded(path)
        header = self._read_header()
        self.vocab_size = header["vocab_size"]
        self.checksum = header["crc32"]
        dtype = np.dtype(header["dtype"])
        after_tokens = HEADER_BYTES + header["tokens"] * dtype.itemsize
        index_at = after_tokens + -after_tokens % 8
        indices = header["sentences"] + header["documents"] + 2
        size = index_at + 8 * indices
        found = self.path.stat().st_size
        if found != size:
            raise InputError(
                f"{path} has {found} bytes, but its header says {size}: it was truncated "
                "or overwritten"
            )
        self.tokens = np.memmap(
            self.path, dtype, "r", HEADER_BYTES, (header["tokens"],)
        )  # [tokens]
        index = np.asarray(
            np.memmap(self.path, "<i8", "r", index_at, (indices,))
        )  # signed, because offsets are added and subtracted
        self.sentences, self.documents = np.split(
            index, [header["sentences"] + 1]
        )  # [sentences + 1], [documents + 1]
        if check and self._checksum() != self.checksum:
            raise InputError(
                f"{path} does not have the checksum it was written with: make it again"
            )

    def _read_header(self) -> dict[str, Any]:
        try:
            with open(self.path, "rb") as file:
                start = file.read(HEADER_BYTES)
        except OSError as error:
            raise InputError(f"cannot read the token file {self.path}: {error.strerror}") from error
        if not start.startswith(MAGIC):
            raise InputError(
                f"{self.path} is not a token file of minibert: write one with "
                "minibert.data.write_tokens"
            )
        try:
            header = json.loads(start[len(MAGIC) :])
            version = header["version"]
            if version == VERSION and not _is_whole(header):
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                f"the header of the token file {self.path} is damaged: make it again"
            ) from error
        if version != VERSION:
            raise InputError(
                f"{self.path} is a token file of version {version}; this program reads version "
                f"{VERSION}: make it again"
            )
        return dict(header)

    def _checksum(self) -> int:
        checksum = 0
        with open(self.path, "rb") as file:
            file.seek(HEADER_BYTES)
            while part := file.read(CHUNK):
                checksum = zlib.crc32(part, checksum)
        return checksum

    def document_bounds(self) -> np.ndarray:
        """The index of each document's first token, then the number of tokens: [documents + 1]."""
        return np.asarray(self.sentences[self.documents])


def shared_documents(some: TokenFile, others: TokenFile) -> int:
    """How many documents of one file have all their tokens in common with one of another file."""
    counts = Counter(_hashes(some))
    return sum(counts[found] for found in {each for each in _hashes(others) if each in counts})


def _hashes(corpus: TokenFile) -> Iterator[int]:
    tokens = np.asarray(corpus.tokens)  # not memmap, whose slices are slow
    for first, last in pairwise(corpus.document_bounds().tolist()):
        yield hash(tokens[first:last].tobytes())
