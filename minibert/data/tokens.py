"""A corpus as one file of token ids, memory-mapped: ten million tokens are twenty megabytes on disk and none in memory.

The file: 512 bytes of header (the word `minibert`, then JSON, padded with spaces), the ids of all tokens (uint16 where
the vocabulary fits, else uint32), then, at the next multiple of 8 bytes, where each sentence starts (uint64, and the
end of the last), and the number of each document's first sentence (uint64, and the end).
"""

import json
import os
import zlib
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

MAGIC = b"minibert"
HEADER_BYTES = 512
VERSION = 1


def write_tokens(path: str | Path, documents: Iterable[Sequence[Sequence[int]]], vocab_size: int) -> None:
    """Write documents, each a list of sentences, each a list of token ids, as a token file; a stream, never all in memory.

    Empty sentences and documents are left out. The file appears under its name once it is whole. Raises a ValueError
    for an id outside 0 … vocab_size - 1 and for a corpus without any sentence.
    """
    path = Path(path)
    dtype = np.dtype("<u2" if vocab_size <= 1 << 16 else "<u4")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    sentences, first_sentences = array("Q", [0]), array("Q", [0])
    checksum = 0
    try:
        with open(unfinished, "wb") as file:
            file.write(b" " * HEADER_BYTES)
            for document in documents:
                ids = [token for sentence in document for token in sentence]
                if not ids:
                    continue
                if min(ids) < 0 or max(ids) >= vocab_size:
                    raise ValueError(f"documents hold the token id {min(ids) if min(ids) < 0 else max(ids)}; "
                                     f"ids go from 0 to {vocab_size - 1} (vocab_size is {vocab_size})")
                checksum = _append(file, np.asarray(ids, dtype), checksum)
                for sentence in filter(len, document):
                    sentences.append(sentences[-1] + len(sentence))
                first_sentences.append(len(sentences) - 1)
            if len(sentences) == 1:
                raise ValueError("documents hold no sentence: there is nothing to write")
            checksum = _append(file, np.zeros(-file.tell() % 8, np.uint8), checksum)
            for index in (sentences, first_sentences):
                checksum = _append(file, np.asarray(index, "<u8"), checksum)
            header = {"version": VERSION, "dtype": dtype.str, "vocab_size": vocab_size, "tokens": sentences[-1],
                      "sentences": len(sentences) - 1, "documents": len(first_sentences) - 1, "crc32": checksum}
            file.seek(0)
            file.write((MAGIC + json.dumps(header).encode()).ljust(HEADER_BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _append(file, values: np.ndarray, checksum: int) -> int:
    """Write an array; the checksum of everything written so far."""
    data = values.tobytes()
    file.write(data)
    return zlib.crc32(data, checksum)


class TokenFile:
    """A token file, opened: its arrays are read from disk as they are used.

    tokens     [number of tokens]         uint16 or uint32, all documents one after the other
    sentences  [number of sentences + 1]  int64, the index of each sentence's first token, then the number of tokens
    documents  [number of documents + 1]  int64, the index of each document's first sentence, then the number of sentences

    Raises a ValueError for a file that is not one, is cut short, or does not have the checksum it was written with.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
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
            raise ValueError(f"{path} has {found} bytes where its header announces {size}: it was cut short or written over")
        self.tokens = np.memmap(self.path, dtype, "r", HEADER_BYTES, (header["tokens"],))
        index = np.memmap(self.path, "<u8", "r", index_at, (indices,)).astype(np.int64)
        self.sentences, self.documents = np.split(index, [header["sentences"] + 1])
        if self._checksum() != self.checksum:
            raise ValueError(f"{path} does not have the checksum it was written with: make it again")

    def _read_header(self) -> dict:
        try:
            with open(self.path, "rb") as file:
                start = file.read(HEADER_BYTES)
        except OSError as error:
            raise ValueError(f"cannot read the token file {self.path}: {error.strerror}") from error
        if not start.startswith(MAGIC):
            raise ValueError(f"{self.path} is not a token file of minibert: write one with minibert.data.write_tokens")
        try:
            header = json.loads(start[len(MAGIC):])
            version = header["version"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"the header of the token file {self.path} is damaged: make it again") from error
        if version != VERSION:
            raise ValueError(f"{self.path} is a token file of version {version}; this program reads version {VERSION}: make it again")
        return header

    def _checksum(self) -> int:
        checksum = 0
        with open(self.path, "rb") as file:
            file.seek(HEADER_BYTES)
            while part := file.read(1 << 22):
                checksum = zlib.crc32(part, checksum)
        return checksum

    def document_bounds(self) -> np.ndarray:
        """[number of documents + 1]: the index of each document's first token, then the number of tokens."""
        return self.sentences[self.documents]
