"""Files that are whole or not there at all: written aside, forced to the disk, renamed."""

import hashlib
import os
import secrets
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write a text file so that whoever opens `path`, at any moment, finds the old text or the new one. Raises OSError."""
    writing = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        writing.write_text(text, encoding="utf-8")
        sync(writing)
        os.replace(writing, path)
    finally:
        writing.unlink(missing_ok=True)
    sync(path.parent)


def sync(path: Path) -> None:
    """Wait until a file or the names in a folder are on the disk, where the system can do that."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):       # Windows cannot open a folder
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
