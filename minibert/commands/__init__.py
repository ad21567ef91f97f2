"""The larger commands of the command line, a module for each."""

import argparse
from collections.abc import Callable


def add_command(commands, name: str, run: Callable[[argparse.Namespace], int | None], summary: str, examples: list[str]) -> argparse.ArgumentParser:
    """Add a command to the subparsers `commands`; `run` is given its arguments and returns its exit status (None: 0)."""
    parser = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".",
                                 epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=run)
    return parser
