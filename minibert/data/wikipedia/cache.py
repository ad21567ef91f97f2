"""A cache folder for files that are slow to create, each stored with a checksum."""

import hashlib
import json
import lzma
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from minibert.config import InputError
from minibert.hub.atomic_io import refuse_endless, replacing
from minibert.hub.find_pretrained import expanded


def cache_folder() -> Path:
    """The folder of cached files: $MINIBERT_CACHE_DIR, or ~/.cache/minibert if it is not set.

    Raises an InputError if there is no home folder.
    """
    return Path(os.environ.get("MINIBERT_CACHE_DIR") or expanded("~/.cache/minibert"))


def cached(name: str, make: Callable[[], Iterable[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """The records of the cache file `name`; `make` creates it if it is missing or damaged."""
    try:
        path = cache_folder() / name
    except InputError as error:
        warnings.warn(f"the cleaned corpus is not kept: {error}", stacklevel=2)
        path = None
    lines = _read_cache(path) if path else None
    if lines is None:
        lines = [json.dumps(record, ensure_ascii=False) for record in make()]
        if path:
            _write_cache(path, lines)
    return map(json.loads, lines)


def _read_cache(path: Path) -> list[str] | None:
    """The lines of a cache file, or None if it is missing or damaged. Its first line is the digest
    of the others."""
    try:
        refuse_endless(path)
        digest, *lines = lzma.decompress(path.read_bytes()).decode().split("\n")
    except (OSError, lzma.LZMAError, UnicodeDecodeError, ValueError):
        return None
    return lines if digest == _digest(lines) else None


def _write_cache(path: Path, lines: list[str]) -> None:
    """Write the cache file atomically; if the folder is not writable, warn and continue."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as writing:
            writing.write_bytes(lzma.compress("\n".join([_digest(lines), *lines]).encode()))
    except OSError as error:
        warnings.warn(
            f"the cleaned corpus could not be kept in {path}: {error.strerror}", stacklevel=3
        )


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
