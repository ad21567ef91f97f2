"""Code that several commands share: adding a parser, option types, reading lines of text."""

import argparse
import json
import math
import re
import sys
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from minibert.config import MOST, InputError
from minibert.hub.find_pretrained import read_input
from minibert.pretraining.options import MOST_THREADS

if TYPE_CHECKING:  # the name of this class in argparse is private
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DEBUG_HELP = "show the Python traceback of an error in your input"


def add_command(
    commands: "Commands",
    name: str,
    run: Callable[[argparse.Namespace], int | None],
    summary: str,
    examples: list[str],
) -> argparse.ArgumentParser:
    """Add a command to the subparsers `commands` and return its parser.

    `run` takes the parsed arguments and returns the exit status, where None means 0.
    """
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # without SUPPRESS, the default here would overwrite the value in `minibert --debug info`
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=DEBUG_HELP)
    parser.set_defaults(run=run)
    return parser


# What turns the direction of writing for the characters after it (Unicode Standard Annex 9).
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
# Both, and the halves of surrogate pairs that stand for bytes in the name of a file, as far as JSON
# does not escape them itself.
UNSAFE = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


# White space that does not stay on its line; a name may hold two spaces.
LINE_ENDS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]")


def _joined(space: re.Match[str]) -> str:
    return " " if LINE_ENDS.search(space[0]) else space[0]


def one_line(text: str) -> str:
    """A text on one line, without characters that colour a terminal or reverse what follows."""
    line = re.sub(r"\s+", _joined, text.strip())  # each run of spaces is looked at once
    return "".join(c for c in line if not commands_terminal(c))


def commands_terminal(character: str) -> bool:
    """Whether a character is a control character, or turns the direction of writing."""
    category = unicodedata.category(character)
    return category == "Cc" or unicodedata.bidirectional(character) in DIRECTIONS


def json_line(value: Any) -> str:
    """A value as JSON for standard output, without characters that command a terminal.

    What an encoding other than UTF-8 may lack is escaped, too. Raises a ValueError for NaN.
    """
    ascii_only = (sys.stdout.encoding or "").lower() not in ("utf-8", "utf8")
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def whole(text: str, wanted: str = "a whole number") -> int:
    """Parse a whole number that fits into 64 bits; the `type` of an option."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected {wanted}, not {text[:60]!r}") from None
    if abs(value) > MOST:
        raise argparse.ArgumentTypeError(f"expected {wanted}, at most {MOST:,}")
    return value


def number(text: str) -> float:
    """Parse a number that is not NaN or infinite; the `type` of an option."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"expected a number, not {text[:60]!r}")
    return value


# How the fields of a recipe are parsed where they are options.
PARSERS: dict[type, Callable[[str], Any]] = {int: whole, float: number, str: str}


def positive(text: str) -> int:
    """Parse a whole number of at least 1; the `type` of an option."""
    wanted = "a whole number of at least 1"
    value = whole(text, wanted)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected {wanted}, not {text!r}")
    return value


def threads(text: str) -> int:
    """Parse a number of CPU threads; the `type` of an option."""
    value = positive(text)
    if value > MOST_THREADS:
        raise argparse.ArgumentTypeError(f"expected at most {MOST_THREADS:,} threads, not {text}")
    return value


def use_threads(count: int) -> None:
    """Let PyTorch compute with so many CPU threads.

    Raises an InputError where the system lets this process start fewer: PyTorch would end it.
    """
    import torch  # imported late because it is slow

    ends, started = threading.Event(), list[threading.Thread]()
    try:
        for _ in range(count):
            thread = threading.Thread(target=ends.wait, daemon=True)
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError) as error:
        raise InputError(
            f"--threads {count:,}: the system lets this process start only {len(started):,} "
            "threads (ulimit -u, ulimit -v)"
        ) from error
    finally:
        ends.set()
        for thread in started:
            thread.join()
    torch.set_num_threads(count)


def filled(text: str) -> str:
    """Refuse an empty text, which would mean the same as no option; the `type` of an option."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a name, not an empty text")
    return text


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """Add the option --encoding of the commands that read documents."""
    parser.add_argument(
        "--encoding",
        type=filled,
        help="encoding of the files, such as cp1252 or euc-kr (default: UTF-8, or what an HTML "
        "page declares)",
    )


def device_kind(name: str) -> str:
    """Return 'cpu' or 'cuda' for a value of --device; 'auto' is a GPU if there is one.

    Raises an InputError for 'cuda' if PyTorch cannot use a GPU.
    """
    import torch  # imported late because it is slow

    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("--device cuda: PyTorch finds no GPU that it can use")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


@contextmanager
def unused_parts_ignored() -> Iterator[None]:
    """Hide the warnings about heads and poolers, for commands that use only the encoder.

    A saved model may have a head, which is not read, or lack the pooler, which is then random.
    """
    from minibert.hub.pretrained_io import FreshWeightsWarning, UnreadWeightsWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FreshWeightsWarning)
        warnings.simplefilter("ignore", UnreadWeightsWarning)
        yield


def read_lines(option: str, name: str) -> list[str]:
    """Read the lines of a UTF-8 file, or of standard input for '-'.

    Only "\\n" and "\\r\\n" end a line. `option` is the option that named the file, for error
    messages. Raises an InputError for a file that cannot be read, is not UTF-8, or contains no
    text, and for a blank line before the end, because the results after it would have other
    numbers than their lines.
    """
    try:
        data = read_input(name)
        lines = data.decode("utf-8-sig").rstrip("\r\n").split("\n")
    except OSError as error:
        raise InputError(f"cannot read {option} {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{option} {name} is not UTF-8 text: byte {error.start} is "
            f"{error.object[error.start]:#04x}"
        ) from error
    if not any(line.strip() for line in lines):
        raise InputError(f"{option} {name} contains no text")
    return without_blanks(lines, f"{option} {name}")


def without_blanks(lines: list[str], shown: str) -> list[str]:
    """The lines without a "\r" at their ends. Raises an InputError for a blank one."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise InputError(f"{shown}, line {number}: the line is blank")
    return [line.removesuffix("\r") for line in lines]
