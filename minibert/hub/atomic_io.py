"""Files that are whole or not there at all: written aside, forced to the disk, renamed."""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to; when the block ends, that file replaces `path`.

    Whoever opens `path` finds the old file or the whole new one, also when the block fails or the
    process is killed. Raises OSError.
    """
    writing = path.with_name(f".{secrets.token_hex(4)}-{path.name}")
    try:
        yield writing
        sync(writing)
        os.replace(writing, path)
    finally:
        writing.unlink(missing_ok=True)
    sync(path.parent)


def write_atomically(path: Path, text: str) -> None:
    """Write a text file as `replacing` does. Raises OSError."""
    with replacing(path) as writing:
        writing.write_text(text, encoding="utf-8")


def sync(path: Path) -> None:
    """Wait until a file or the names in a folder are on the disk, where the system can do that."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):  # Windows cannot open a folder
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
