"""Every option of every command with values that make no sense: one line, status 2, nothing written."""

import argparse
import shlex
import tomllib
from pathlib import Path

import pytest

from minibert.cli import common
from minibert.cli.main import build_parser

TABLE = tomllib.loads((Path(__file__).parent / "options.toml").read_text(encoding="utf-8"))
KINDS = {option: kind for kind, options in TABLE["kinds"].items() for option in options.split()}
PARSED = {
    common.whole: "whole",
    common.positive: "whole",
    common.threads: "whole",
    common.number: "number",
}


def kind_of(action: argparse.Action) -> str | None:
    """The kind of value that an option takes, as the table names it."""
    if action.choices:
        return "choice"
    name = action.option_strings[0] if action.option_strings else action.dest
    return KINDS.get(name) or PARSED.get(action.type)


def cases():
    subparsers = next(
        a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)
    )
    for name, parser in subparsers.choices.items():
        for action in parser._actions:
            if action.nargs == 0 or not (kind := kind_of(action)):
                continue
            option = action.option_strings[0] if action.option_strings else action.dest
            for value in TABLE["values"][kind]:
                if value not in TABLE["accepted"].get(f"{name} {option}", ()):
                    yield pytest.param(
                        name, option, value, id=f"{name} {option} {value or 'empty'}"
                    )


def command_line(name: str, option: str, value: str) -> list[str]:
    """The command line that would work, with another value of the option, or of its first argument."""
    argv = shlex.split(TABLE["commands"][name])
    if not option.startswith("-"):
        return [name, value.replace("LONG", "x" * 300), *argv[2:]]
    if option in argv:
        del argv[argv.index(option) : argv.index(option) + 2]
    return [*argv, f"{option}={value.replace('LONG', 'x' * 300)}"]


@pytest.mark.parametrize(("name", "option", "value"), cases())
def test_a_wrong_value_of_an_option_is_told_in_one_line(case, name, option, value):
    done = case(command_line(name, option, value))
    assert "Traceback" not in done.err, done.err
    assert done.status == 2, (done.out, done.err)
    assert done.err.count("\n") == 1 and done.err.startswith(f"minibert {name}: "), done.err
    given = value.replace("LONG", "x" * 300)
    assert any(
        word in done.err
        for word in (option, option.lstrip("-").replace("-", "_"), option.upper(), given or option)
    ), done.err
    assert not done.left, done.left
