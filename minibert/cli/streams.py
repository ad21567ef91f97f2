"""The standard streams of a command, whatever the shell has made of them."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from minibert.config import InputError

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def repair_streams() -> None:
    """Make the standard streams usable.

    A closed stdin reads as empty, and what is written to a closed stderr is dropped. A character
    that the encoding of stdout lacks is written as '?'. Raises an InputError if stdout is closed.
    """
    closed = [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None]
    for name in closed:
        # the number of a closed stream is free, and must not go to the next file that is opened
        mode, descriptor = "r" if name == "stdin" else "w", os.open(os.devnull, os.O_RDWR)
        setattr(sys, name, open(descriptor, mode, encoding="utf-8"))  # noqa: SIM115 (stays open)
    if "stdout" in closed:
        raise InputError("standard output is closed: send it to a file, or to /dev/null")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in (
        "strict",
        "surrogateescape",  # in the C locale
    ):
        sys.stdout.reconfigure(errors="replace")


def stdout_problem() -> str | None:
    """Why standard output cannot be written, such as a full disk; None if it can."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return error.strerror
    return None


def discard(stream: TextIO) -> None:
    """Drop what waits in a stream that cannot be written, before Python fails to flush it."""
    with suppress(OSError, ValueError):  # not a real stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(line: str) -> None:
    """Print a line to stderr, where that is possible."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)
