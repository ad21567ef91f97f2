"""Files and folders that are written atomically: aside, forced to the disk, then renamed."""

import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from minibert.config import InputError

# with the number of its process, and what stands for the machine where that is one
STAGING = re.compile(r"\.saving-(?P<process>[0-9]+)-(?P<machine>[0-9a-f]{8})?[0-9a-f]{8}")
ABANDONED = 3600  # seconds without a change, after which a staging folder is taken for abandoned


@contextmanager
def replacing(path: Path, follow: bool = True) -> Iterator[Path]:
    """A path to write to; when the block ends, that file replaces `path`.

    Whoever opens `path` finds the old file or the whole new one, also when the block fails or the
    process is killed. The new file has the old one's permissions. Where `path` is a symbolic link,
    it replaces the file that the link names, or without `follow` the link itself. Raises OSError,
    also where `path` is a device, a pipe or a folder.
    """
    if follow:
        path = Path(os.path.realpath(path))
    may_replace = path.is_file() or (is_link(path) and not follow)
    if os.path.lexists(path) and not may_replace:  # a link to itself exists, but is no file
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
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


def write_atomically(path: Path, text: str, follow: bool = True) -> None:
    """Write a text file as `replacing` does. Raises OSError."""
    with replacing(path, follow) as writing:
        writing.write_text(text, encoding="utf-8")


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """An empty folder to fill before its files replace those of `folder`.

    It lies inside `folder`, or beside it where that does not exist yet. It is removed when the
    block ends, and so are those that a killed process of this machine left behind, and those of
    others after an hour.
    """
    parent = folder if folder.is_dir() else folder.parent
    for other in parent.glob(".saving-*"):
        if _is_abandoned(other):
            shutil.rmtree(other, ignore_errors=True)
    staging = parent / f".saving-{os.getpid()}-{_machine()}{secrets.token_hex(4)}"
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


def refuse_link(path: Path | None) -> None:
    """Raise an InputError for a path that is a link."""
    if path is not None and is_link(path):
        raise InputError(
            f"{path} is a link, and a run would write to what it names: move it away, or put a "
            "copy in its place"
        )


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


def _machine() -> str:
    """What stands for the machine, or the container, in which a process number is one process."""
    numbers = Path("/proc/self/ns/pid")  # on Linux: containers may share the name of a machine
    space = numbers.stat().st_ino if numbers.exists() else 0
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


def _is_gone(process: int) -> bool:
    """Whether a process of this machine has ended, as far as the system tells."""
    if os.name == "nt":  # where the signal 0 is Ctrl-C
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # somebody else's process; a number that none has
        return False
    return False


def _is_abandoned(staging: Path) -> bool:
    name = STAGING.fullmatch(staging.name)
    if not name or is_link(staging) or not staging.is_dir():
        return False
    if name["machine"] == _machine() and _is_gone(int(name["process"])):
        return True
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


def refuse_endless(path: Path) -> None:
    """Raise an OSError for a device such as /dev/zero and for a named pipe: both may never end.

    What a shell makes of `<(command)` is a pipe without a name, which ends with its command.
    """
    if path.is_char_device():
        raise OSError(errno.EINVAL, "it is a device, and not a file", str(path))
    if path.is_fifo() and os.path.exists(os.path.realpath(path)):
        raise OSError(errno.EINVAL, "it is a named pipe, and not a file", str(path))


def sha256(path: Path) -> str:
    """The digest of a file. Raises an OSError where it cannot be read, and as `refuse_endless`."""
    refuse_endless(path)
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
