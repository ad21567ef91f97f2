"""`minibert pretrain`: train a BERT on a corpus; a run can be stopped and resumed at any time."""

import argparse

from minibert.cli.pretrain_options import add_options


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command's parser."""
    add_options(commands, run_pretrain)


def run_pretrain(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from minibert.cli.pretrain_run import pretrain  # imported late because torch is slow

    given = vars(arguments).copy()
    for name in ("command", "run", "debug"):
        given.pop(name, None)
    return pretrain(given)
