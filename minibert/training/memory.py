"""Freed memory: keep it for the next step, and return it to the system now and then."""

import ctypes
import os
import sys
from collections.abc import Callable

from minibert.config import InputError


def keep_freed_memory() -> None:
    """Ask the C library to keep the memory of freed tensors instead of returning it to the system.

    Every step needs about the same amount again, and getting it page by page takes time. This works
    on Linux with glibc and does nothing elsewhere. Calling it twice has no further effect.
    """
    if mallopt := _c_library("mallopt"):
        # M_MMAP_MAX, M_TRIM_THRESHOLD, M_TOP_PAD
        for option, value in ((-4, 0), (-1, 2**31 - 1), (-2, 2**26)):
            mallopt(option, value)


def refuse_too_large(parameters: int) -> None:
    """Raise an InputError if the training of a model needs more memory than this machine has.

    A parameter needs 16 bytes: itself, its gradient and two moments of the optimiser. Nothing is
    checked on a system that does not say how much memory it has.
    """
    if not hasattr(os, "sysconf"):  # Windows
        return
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except ValueError:
        return
    if 16 * parameters > memory:
        raise InputError(
            f"a model of {parameters:,} parameters needs {16 * parameters / 2**30:,.0f} GiB of "
            f"memory to be trained, and this machine has {memory / 2**30:,.0f} GiB"
        )


def return_freed_memory() -> None:
    """Return to the system the memory that no tensor uses; takes about 0.2 s.

    Steps mask different numbers of tokens, so memory that is never returned becomes fragmented, and
    after some hours a run would hold several times what a step needs. This works on Linux with
    glibc and does nothing elsewhere.
    """
    if malloc_trim := _c_library("malloc_trim"):
        malloc_trim(0)


def _c_library(name: str) -> Callable[..., int] | None:
    """The glibc function with this name; None on other systems."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
