"""The command `minibert`: its parser, the dispatch to a command, and what becomes of errors.

Exit status: 0 when the command did what it was asked; 2 for bad input, which is one line on stderr;
130 after Ctrl-C; 141 when the reader of the output went away. A bug in minibert is a traceback.
"""

import argparse
import os
import sys
import traceback
import warnings
from pathlib import Path

import minibert
from minibert.cli import (
    convert,
    embed,
    export,
    fill_mask,
    finetune,
    info,
    predict,
    pretrain,
    search,
    similarity,
    summarize,
    tokenizer,
)
from minibert.cli.common import DEBUG_HELP
from minibert.config import InputError

# In the order of --help.
COMMANDS = (
    info,
    fill_mask,
    similarity,
    embed,
    search,
    summarize,
    finetune,
    predict,
    pretrain,
    tokenizer,
    export,
    convert,
)
PACKAGE = Path(minibert.__file__).parent


def main(argv: list[str] | None = None) -> int:
    """Run one command line (`sys.argv` by default) and return its exit status."""
    arguments = parse(argv)
    command, debug = arguments.command, arguments.debug
    del arguments.debug  # no command has to know of it
    try:
        with warnings.catch_warnings():
            warnings.formatwarning = lambda message, *_, **__: f"minibert {command}: {message}\n"
            status = arguments.run(arguments)
            sys.stdout.flush()
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output is gone, as with `| head`. Without this line Python complains
        # about it once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (InputError, OSError) as error:
        if not _is_bad_input(error):
            raise
        if debug:
            traceback.print_exc()
        print(f"minibert {command}: {_one_line(error)}", file=sys.stderr)
        return 2
    return status or 0


def parse(argv: list[str] | None) -> argparse.Namespace:
    """The arguments of a command line.

    argparse takes positional texts in one place only; a command whose defaults set `rest` to the
    name of an argument takes more of them after its options as well.
    """
    parser = build_parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest and (not hasattr(arguments, "rest") or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        getattr(arguments, arguments.rest).extend(rest)
    return arguments


def build_parser() -> argparse.ArgumentParser:
    """The parser of `minibert` with all its commands; builds without importing torch."""
    parser = argparse.ArgumentParser(
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


def _is_bad_input(error: InputError | OSError) -> bool:
    """Whether it is the user's input: an InputError, or a file of theirs that does not open."""
    if isinstance(error, InputError):
        return True
    return isinstance(error.filename, str | os.PathLike) and not Path(
        error.filename
    ).resolve().is_relative_to(PACKAGE)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())
