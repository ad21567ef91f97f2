"""`minibert pretrain`: a corpus in, a BERT out; stopped and resumed at any moment."""

import argparse

from minibert.cli.pretrain_options import add_options


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to a parser."""
    add_options(commands, run_pretrain)


def run_pretrain(arguments: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    from minibert.cli.pretrain_run import pretrain  # late: torch

    given = vars(arguments).copy()
    for name in ("command", "run", "debug"):
        given.pop(name, None)
    return pretrain(given)
