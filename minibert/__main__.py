"""`python -m minibert …` is the command `minibert …`."""

import _thread
import os
import signal
import sys
import threading
from typing import NoReturn


def run() -> int:
    """Run the command line and return its exit status.

    Ctrl-C during the imports, and after the end of the command, ends the process at once.
    """
    signal.signal(signal.SIGINT, _leave)
    sys.unraisablehook = _unraisable
    from minibert.cli.main import main

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
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


def _leave(*_: object) -> NoReturn:
    os._exit(130)


if __name__ == "__main__":
    raise SystemExit(run())
