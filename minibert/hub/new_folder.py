"""The folder of a new model or run: empty before, and gone again if the work fails."""

import errno
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from minibert.config import InputError
from minibert.hub.atomic_io import ctrl_c_afterwards

LOCK = ".lock"
PATIENCE = 5.0  # seconds; see waiting_for_lock


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """A folder for a new model, which no other process fills while the block runs.

    It is made and can be written. If it is empty at the end, it is removed. Raises an InputError if
    it is filled already, and if another process is at work in it.
    """
    made: list[Path] = []
    lock = None
    try:
        with ctrl_c_afterwards():
            made = make_folder(folder)
            lock = lock_folder(folder)
        refuse_filled(folder)
        yield
    finally:
        with ctrl_c_afterwards():
            if lock:
                lock.release()
            remove_empty(made)


def refuse_filled(folder: Path, but: tuple[str, ...] = ()) -> None:
    """Raise an InputError unless a folder is missing or empty.

    Hidden files do not count, and neither does what has one of the names in `but`.
    """
    if not folder.exists():
        if folder.is_symlink():
            raise InputError(
                f"{folder} is a link to {os.readlink(folder)}, which is not there: make that "
                "folder, or name another one with --out"
            )
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; name a new folder with --out")
    if any(not path.name.startswith(".") and path.name not in but for path in folder.iterdir()):
        raise InputError(
            f"the folder {folder} already exists and is not empty: name a new folder with --out"
        )


def make_folder(folder: Path) -> list[Path]:
    """Make a folder, with those above it, that can be written.

    Returns the folders that were not there before, the innermost first. Raises an InputError if the
    folder cannot be made or written.
    """
    made: list[Path] = []
    try:
        made = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        remove_empty(made)
        raise InputError(f"cannot write to the folder {folder}: {error.strerror}") from error
    return made


def remove_empty(folders: list[Path]) -> None:
    """Remove folders that `make_folder` made, as far as nothing is in them."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


class FolderLock:
    """The open lock file of a folder; the system frees it when this process ends, however."""

    def __init__(self, path: Path, file: BinaryIO, made: bool) -> None:
        self.path, self._file, self._made = path, file, made

    def release(self) -> None:
        """Give the folder free; a lock file that was there before stays."""
        self.remove()
        self._file.close()

    def __del__(self) -> None:
        self._file.close()

    def remove(self) -> None:
        """Remove the lock file, if this process made it."""
        if self._made:
            self.path.unlink(missing_ok=True)


class FolderBusy(InputError):
    """Another process has the lock of a folder."""


@contextmanager
def waiting_for_lock(folder: Path) -> Iterator[None]:
    """Lock a folder during the block, which is short; wait where another process has the lock.

    The block runs without a lock where none can be had: on a system or in a folder without locks,
    and after `PATIENCE` seconds.
    """
    lock = None
    end = time.monotonic() + PATIENCE
    while True:
        try:
            lock = lock_folder(folder)
        except FolderBusy:
            if time.monotonic() < end:
                time.sleep(0.01)
                continue
        except (InputError, OSError):
            pass
        break
    try:
        yield
    finally:
        if lock:
            lock.release()


def lock_folder(folder: Path) -> FolderLock | None:
    """Lock a folder, where the system has locks.

    Raises an InputError if another process has the lock, and if the file of its name is not an
    empty one, as this function makes it: that is neither followed, if it is a link, nor changed.
    """
    if sys.platform == "win32":
        return None
    import fcntl

    path = folder / LOCK
    file, made = _open_lock(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except BlockingIOError:
        free = False
    except OSError:  # a file system without locks
        free = True
    if not free:
        file.close()
        raise FolderBusy(f"another process is at work in {folder}: wait until it ends, or end it")
    return FolderLock(path, file, made)


def _open_lock(path: Path) -> tuple[BinaryIO, bool]:
    """The lock file, made or opened as it is, and whether it was made."""
    try:
        try:
            return open(path, "xb", buffering=0), True
        except FileExistsError:
            file = open(path, "rb+", buffering=0, opener=_open_as_it_is)  # noqa: SIM115 (stays open)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise InputError(f"cannot lock {path.parent} with {path}: {error.strerror}") from error
        raise InputError(_foreign(path)) from error
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode) or found.st_size:
        file.close()
        raise InputError(_foreign(path))
    return file, False


def _open_as_it_is(path: str, flags: int) -> int:
    """Open a file but follow no link, and do not wait for the other end of a pipe."""
    if sys.platform == "win32":  # which has neither; lock_folder is done before this there
        return os.open(path, flags)
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _foreign(path: Path) -> str:
    return (
        f"{path} is not a lock of minibert, which is an ordinary empty file: "
        "move it away, or name another folder with --out"
    )
