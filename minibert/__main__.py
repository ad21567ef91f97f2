"""`python -m minibert …` is the command `minibert …`."""

import _thread
import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn


def run() -> int:
    """Run the command line and return its exit status.

    Ctrl-C during the imports, and after the end of the command, ends the process at once. A
    terminal that is closed has the effect of one Ctrl-C, except under nohup.
    """
    signal.signal(signal.SIGINT, _leave)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _hang_up)
    sys.unraisablehook = _unraisable
    from minibert.cli.main import main

    try:
        signal.signal(signal.SIGINT, _interrupt)
        status = main()
        signal.signal(signal.SIGINT, _leave)
    except KeyboardInterrupt:  # just before main handles it, or just after
        _leave()
    return status


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C that came inside a destructor, because Python would only report it."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        threading.Timer(0.05, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(what)


def _hang_up(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # the shell and the system may both send it
    signal.raise_signal(signal.SIGINT)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but end the process where torch or numpy is being imported: their
    code may catch it there, and go on with a module that is half imported.
    """
    above = frame
    while above:
        if above.f_code.co_name == "<module>" and above.f_globals["__name__"] in ("torch", "numpy"):
            _leave()
        above = above.f_back
    signal.default_int_handler(number, frame)


def _leave(*_: object) -> NoReturn:
    os._exit(130)


if __name__ == "__main__":
    raise SystemExit(run())
