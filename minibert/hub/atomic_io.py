"""Files and folders that are written atomically: aside, forced to the disk, then renamed."""

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ABANDONED = 3600  # seconds without a change, after which a staging folder is taken for abandoned


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


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """An empty folder to fill before its files replace those of `folder`.

    It lies inside `folder`, or beside it where that does not exist yet. It is removed when the
    block ends, and so are those that a killed process left behind more than an hour ago.
    """
    parent = folder if folder.is_dir() else folder.parent
    for other in parent.glob(".saving-*"):
        if _is_abandoned(other):
            shutil.rmtree(other, ignore_errors=True)
    staging = parent / f".saving-{os.getpid()}-{secrets.token_hex(4)}"
    staging.mkdir(parents=True)
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _is_abandoned(staging: Path) -> bool:
    try:
        changed = max(path.stat().st_mtime for path in (staging, *staging.iterdir()))
    except OSError:  # its process has just removed it
        return False
    return time.time() - changed > ABANDONED


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
