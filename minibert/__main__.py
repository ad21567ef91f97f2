"""`python -m minibert …` is the command `minibert …`."""

import os
import signal


def run() -> int:
    """Run the command line and return its exit status.

    Ctrl-C during the imports, and after the end of the command, ends the process at once.
    """
    signal.signal(signal.SIGINT, _leave)
    from minibert.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    status = main()
    signal.signal(signal.SIGINT, _leave)
    return status


def _leave(*_: object) -> None:
    os._exit(130)


if __name__ == "__main__":
    raise SystemExit(run())
