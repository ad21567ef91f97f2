"""The command `minibert`: parse the arguments, run a command, report errors.

Exit status: 0 for success; 2 for bad input, too little memory or a full disk, which is reported in
one line on stderr; 130 after Ctrl-C; 141 if the reader of the output has closed it. A bug in
minibert produces a traceback.
"""

import argparse
import os
import re
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import minibert
from minibert.cli import (
    convert,
    embed,
    evaluate,
    export,
    fill_mask,
    finetune,
    info,
    predict,
    pretrain,
    score,
    search,
    similarity,
    summarize,
    tokenizer,
    train_sentences,
)
from minibert.cli.common import DEBUG_HELP, commands_terminal, one_line
from minibert.cli.streams import DISK_FULL, complain, discard, repair_streams, stdout_problem
from minibert.config import InputError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

# in the order of --help
COMMANDS = (
    info,
    fill_mask,
    score,
    similarity,
    embed,
    search,
    summarize,
    finetune,
    predict,
    pretrain,
    train_sentences,
    evaluate,
    tokenizer,
    export,
    convert,
)
# Arguments that are texts to read. All others name something, and "" names nothing; without a check
# it would be the current folder, or the same as no option.
TEXTS = ("text", "texts", "question")
PACKAGE = Path(minibert.__file__).parent
# What Python says, in an OSError, when an import asks for the folder of temporary files.
NO_TEMPORARY = "No usable temporary directory"
# What PyTorch says, in a RuntimeError, when an allocation on the CPU fails.
NO_MEMORY = r"DefaultCPUAllocator|Storage size calculation overflowed|std::bad_alloc"


def main(argv: list[str] | None = None) -> int:
    """Run one command line (`sys.argv` by default) and return its exit status."""
    name, debug = "minibert", False
    try:
        repair_streams()
        try:
            arguments = parse(argv)
            name, debug = f"minibert {arguments.command}", arguments.debug
            del arguments.debug  # commands do not need it
            _check_surroundings()
            with warnings.catch_warnings():
                # ours are lines for the user, whatever PYTHONWARNINGS says
                warnings.filterwarnings("default", category=UserWarning)
                warnings.showwarning = lambda message, *_, **__: complain(
                    f"{name}: {one_line(str(message))}"
                )
                return arguments.run(arguments) or 0
        finally:
            sys.stdout.flush()
    except BaseException as error:
        if isinstance(error, SystemExit):  # argparse has printed the help, or an error
            raise
        if _is_ctrl_c(error):
            complain("")
            return 130
        broken = stdout_problem() if isinstance(error, OSError) else None
        if broken:
            discard(sys.stdout)
        if isinstance(error, BrokenPipeError):  # our reader has gone, as `| head` does
            return 141
        message = f"standard output: {broken}" if broken else _about_input(error)
        if message is None:
            raise
        if debug:
            traceback.print_exc()
        complain(f"{name}: {one_line(message)}")
        return 2


class _Parser(argparse.ArgumentParser):
    """A parser that reports a wrong option in one line, as commands report bad input, and does not
    hide that the help cannot be printed.
    """

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        print(message, end="", file=file or sys.stderr)

    def error(self, message: str) -> NoReturn:
        complain(f"{self.prog}: {one_line(message)} ('{self.prog} --help' explains the options)")
        raise SystemExit(2)


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Parse a command line.

    argparse accepts the values of a positional argument only in one group. If a command's defaults
    set `rest` to the name of such an argument, more values may follow after the options, and after
    a "--" also those that begin with "-".
    """
    parser = build_parser()
    arguments, rest = parser.parse_known_args(argv)
    parser.prog += f" {arguments.command}"  # for the errors below
    end = rest.index("--") if "--" in rest else len(rest)
    words, any_words = rest[:end], rest[end + 1 :]
    if rest and (not hasattr(arguments, "rest") or any(word.startswith("-") for word in words)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        getattr(arguments, arguments.rest).extend(words + any_words)
    for name, given in vars(arguments).items():
        if name not in TEXTS and "" in (given if isinstance(given, list) else [given]):
            shown = "from" if name == "start" else name
            wanted = "text" if name in ("context", "choices") else "a name"
            parser.error(f"{shown}: expected {wanted}, not an empty text")
    if any(map(commands_terminal, getattr(arguments, "out", None) or "")):
        parser.error(f"out: expected a name without control characters, not {arguments.out!r}")
    return arguments


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of `minibert` with all its commands, without importing torch."""
    parser = _Parser(
        prog="minibert",
        description="BERT on the command line: train it, fine-tune it, and run it on your text.",
        epilog="'minibert COMMAND --help' explains a command and shows examples.",
    )
    parser.add_argument("--version", action="version", version=f"minibert {minibert.__version__}")
    parser.add_argument("--debug", action="store_true", help=DEBUG_HELP)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add(commands)
    return parser


def _check_surroundings() -> None:
    """Raise an InputError for what would end a command in an error of a library."""
    try:
        os.getcwd()
    except FileNotFoundError as error:
        raise InputError(
            "the current folder is not there any more: change to one that exists"
        ) from error
    if names := [name for name in os.environ if name.startswith("TQDM_")]:
        try:
            import tqdm  # noqa: F401 (it reads them now)
        except ValueError as error:
            raise InputError(
                f"the progress bars cannot take the environment variable {' or '.join(names)}: "
                f"{error}"
            ) from error


def _is_ctrl_c(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error: libraries may raise another one when an import is stopped."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _about_input(error: BaseException) -> str | None:
    """The message for an error that the user or the machine caused; None for a bug.

    The former are an InputError, a file outside this package, a full disk, and too little memory.
    """
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        if NO_TEMPORARY in str(error):
            return (
                "there is no folder for temporary files that can be written: name one in the "
                "environment variable TMPDIR"
            )
        if isinstance(error.filename, str | os.PathLike):
            of_package = Path(error.filename).resolve().is_relative_to(PACKAGE)
            return None if of_package else f"{error.filename}: {error.strerror}"
        return f"cannot write: {error.strerror}" if error.errno in DISK_FULL else None
    if isinstance(error, MemoryError) or re.search(NO_MEMORY, str(error)):
        return (
            "there is not enough memory for this: a smaller model, fewer or shorter texts, or a "
            "smaller batch may fit"
        )
    return None
