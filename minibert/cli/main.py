"""The command `minibert`: parse the arguments, run a command, report errors.

Exit status: 0 for success; 2 for bad input, which is reported in one line on stderr; 130 after
Ctrl-C; 141 if the reader of the output has closed it. A bug in minibert produces a traceback.
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
from minibert.cli.common import DEBUG_HELP
from minibert.config import InputError

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
PACKAGE = Path(minibert.__file__).parent


def main(argv: list[str] | None = None) -> int:
    """Run one command line (`sys.argv` by default) and return its exit status."""
    arguments = parse(argv)
    command, debug = arguments.command, arguments.debug
    del arguments.debug  # commands do not need it
    try:
        with warnings.catch_warnings():
            warnings.formatwarning = lambda message, *_, **__: f"minibert {command}: {message}\n"
            status = arguments.run(arguments)
            sys.stdout.flush()
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has closed our output, as `| head` does. Redirect stdout, because otherwise
        # Python prints another error when it flushes stdout at exit.
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
    """Parse a command line.

    argparse accepts the values of a positional argument only in one group. If a command's defaults
    set `rest` to the name of such an argument, more values may follow after the options.
    """
    parser = build_parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest and (not hasattr(arguments, "rest") or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        getattr(arguments, arguments.rest).extend(rest)
    return arguments


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of `minibert` with all its commands, without importing torch."""
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
    """Whether the user's input caused the error: an InputError, or a file outside this package."""
    if isinstance(error, InputError):
        return True
    return isinstance(error.filename, str | os.PathLike) and not Path(
        error.filename
    ).resolve().is_relative_to(PACKAGE)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())
