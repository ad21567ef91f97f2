"""Freed memory: the C library keeps it for the next step, and returns it when asked."""

import ctypes
import sys
from collections.abc import Callable


def keep_freed_memory() -> None:
    """Ask the C library to keep the memory of freed tensors instead of returning it to the system.

    Every step needs about the same amount again, and fetching it page by page costs time. Works on
    Linux with glibc; elsewhere, and when it is called twice, nothing happens.
    """
    if mallopt := _c_library("mallopt"):
        # M_MMAP_MAX, M_TRIM_THRESHOLD, M_TOP_PAD
        for option, value in ((-4, 0), (-1, 2**31 - 1), (-2, 2**26)):
            mallopt(option, value)


def return_freed_memory() -> None:
    """Return to the system what `keep_freed_memory` keeps and no tensor uses; takes about 0.2 s.

    Steps mask different numbers of tokens, so memory that is never returned fragments: a run of
    hours would hold several times what a step needs. Works on Linux with glibc; elsewhere nothing
    happens.
    """
    if malloc_trim := _c_library("malloc_trim"):
        malloc_trim(0)


def _c_library(name: str) -> Callable[..., int] | None:
    """A function of glibc by its name; None elsewhere."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
