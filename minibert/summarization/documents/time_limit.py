"""A limit for the processor time that a block of code may take."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from minibert.config import InputError


@contextmanager
def time_limit(seconds: float, message: str) -> Iterator[None]:
    """Raise an InputError with `message` when the block has taken so many seconds of processor
    time.

    A document that was made to keep a parser busy would otherwise do so for hours. Python has such
    a clock in the main thread, and not on Windows; elsewhere the block has no limit.
    """
    if sys.platform == "win32" or threading.current_thread() != threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise InputError(message)

    before = signal.signal(signal.SIGVTALRM, stop)
    # again and again, because Python drops an exception that is raised while it frees an object
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
