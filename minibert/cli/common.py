"""What several commands share: how a command is added, and what they say and read alike."""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from minibert.config import InputError

if TYPE_CHECKING:  # for the signature below; argparse's own name of it is private
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DEBUG_HELP = "show the Python traceback of an error that your input caused"


def add_command(
    commands: "Commands",
    name: str,
    run: Callable[[argparse.Namespace], int | None],
    summary: str,
    examples: list[str],
) -> argparse.ArgumentParser:
    """Add a command to the subparsers `commands`.

    `run` gets the parsed arguments and returns the exit status; None means 0.
    """
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Suppressed, so that `minibert --debug info` is not undone by the default of `info`.
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=DEBUG_HELP)
    parser.set_defaults(run=run)
    return parser


def positive(text: str) -> int:
    """The type of an option that takes a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text!r}")
    return int(text)


def device_kind(name: str) -> str:
    """'cpu' or 'cuda' for the value of --device; 'auto' is a GPU where there is one."""
    import torch  # late: slow to import

    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("--device cuda: PyTorch finds no GPU that it can use here")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


@contextmanager
def unused_parts_ignored() -> Iterator[None]:
    """Hide the warnings about heads and poolers that a command does not use.

    For commands that need the encoder alone: its file may hold a head (left unread) or lack the
    pooler (fresh random weights).
    """
    from minibert.hub.pretrained_io import FreshWeightsWarning, UnreadWeightsWarning  # late: torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FreshWeightsWarning)
        warnings.simplefilter("ignore", UnreadWeightsWarning)
        yield


def read_lines(option: str, name: str) -> list[str]:
    """The lines of a UTF-8 file, or of standard input for '-'.

    `option` is the option that named the file, for messages. Raises an InputError for a file that
    cannot be read, is not UTF-8, or has no line with text.
    """
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        lines = data.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"cannot read {option} {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{option} {name} is not UTF-8 text: byte {error.start} is "
            f"{error.object[error.start]:#04x}"
        ) from error
    if not any(line.strip() for line in lines):
        raise InputError(f"{option} {name} has no lines")
    return lines
