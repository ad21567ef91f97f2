"""Files and folders that are written atomically: aside, forced to the disk, then renamed."""

import errno
import hashlib
import os
import re
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STAGING = re.compile(r"\.saving-[0-9]+-[0-9a-f]{8}")  # with the number of its process
ABANDONED = 3600  # seconds without a change, after which a staging folder is taken for abandoned


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to; when the block ends, that file replaces `path`.

    Whoever opens `path` finds the old file or the whole new one, also when the block fails or the
    process is killed. The new file has the old one's permissions, and where `path` is a symbolic
    link, it replaces the file that the link names. Raises OSError, also where `path` is a device, a
    pipe or a folder.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file")
    writing = path.with_name(f".{secrets.token_hex(4)}-{path.name}")
    try:
        if path.exists():  # nobody else may read meanwhile what nobody else may read afterwards
            writing.touch(mode=0o600)
        yield writing
        sync(writing)
        if path.exists():
            shutil.copymode(path, writing)
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
        if STAGING.fullmatch(other.name) and _is_abandoned(other):
            shutil.rmtree(other, ignore_errors=True)
    staging = parent / f".saving-{os.getpid()}-{secrets.token_hex(4)}"
    # nobody else may read meanwhile what nobody else may read afterwards
    staging.mkdir(parents=True, mode=0o700 if folder.is_dir() else 0o777)
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def is_link(path: Path) -> bool:
    """Whether a path is a symbolic link, or what stands for one to a folder on Windows."""
    is_junction = getattr(os.path, "isjunction", os.path.islink)  # since Python 3.12
    return path.is_symlink() or is_junction(path)


def remove_leftovers(
    folder: Path, files: re.Pattern[str] | None = None, folders: re.Pattern[str] | None = None
) -> None:
    """Remove the files and the folders of a folder whose whole names match, but follow no link."""
    for path in folder.iterdir():
        if is_link(path):
            continue
        if files and files.fullmatch(path.name) and path.is_file():
            path.unlink(missing_ok=True)
        elif folders and folders.fullmatch(path.name) and path.is_dir():
            shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(staging: Path) -> bool:
    if is_link(staging) or not staging.is_dir():
        return False
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


@contextmanager
def ctrl_c_afterwards() -> Iterator[None]:
    """Let Ctrl-C have its effect at the end of the block.

    For short work that must not stop halfway, and for safetensors, which calls Python while it
    reads, and reports a KeyboardInterrupt there as a damaged file.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed.is_set():
            signal.raise_signal(signal.SIGINT)
