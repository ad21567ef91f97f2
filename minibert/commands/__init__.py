"""The larger commands of the command line, a module for each."""

import argparse
from collections.abc import Callable

import torch


def add_command(commands, name: str, run: Callable[[argparse.Namespace], int | None], summary: str, examples: list[str]) -> argparse.ArgumentParser:
    """Add a command to the subparsers `commands`; `run` is given its arguments and returns its exit status (None: 0)."""
    parser = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".",
                                 epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=run)
    return parser


def device_kind(name: str) -> str:
    """'cpu' or 'cuda', for what --device said; 'auto' is a GPU where there is one."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: PyTorch finds no GPU that it can use here")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"
