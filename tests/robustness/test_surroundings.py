"""Closed and full streams, other locales and users, no home, a full disk, little memory, Ctrl-C: one line, nothing half-written."""

import random
import re
import shlex
import tomllib
from pathlib import Path

import pytest

TABLE = tomllib.loads((Path(__file__).parent / "surroundings.toml").read_text(encoding="utf-8"))
CASES = [
    pytest.param(case, line, id=f"{case['name']}: {line[:60]}")
    for case in TABLE["case"]
    for line in case["argv"]
]


@pytest.mark.parametrize(("entry", "line"), CASES)
def test_a_command_in_hostile_surroundings(case, entry, line):
    how = dict(entry.get("how", {}))
    if "stdin_bytes" in how:
        how["stdin"] = bytes(how.pop("stdin_bytes"))
    how["env"] = {
        name: None if value == "REMOVED" else value for name, value in how.get("env", {}).items()
    }
    done = case(shlex.split(line), **how)
    assert "Traceback" not in done.err and "Exception ignored" not in done.err, done.err
    assert done.status == entry.get("status", 2), (done.out, done.err)
    if done.status == 2 and "stderr" not in how:
        assert done.err.count("\n") == 1 and done.err.startswith("minibert"), done.err
    assert re.search(entry.get("says", ""), done.err.strip()), done.err
    assert re.search(entry.get("prints", ""), done.out, re.DOTALL), done.out
    allowed = entry.get("leaves", "nothing at all")
    assert not [name for name in done.left if not name.startswith(f"('{allowed}")], done.left


# -- Ctrl-C ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", TABLE["interrupted"]["argv"])
@pytest.mark.parametrize("number", range(TABLE["interrupted"]["times"]))
def test_ctrl_c_at_a_random_moment(case, line, number):
    """Rather among a command's first moments than later; some commands have ended before."""
    seconds = random.Random(f"{line} {number}").random() ** 2 * TABLE["interrupted"]["within"]
    done = case(shlex.split(line), interrupt=seconds)
    assert done.status in (0, 130), (done.status, done.out, done.err)
    assert "Traceback" not in done.err and "Exception ignored" not in done.err, done.err
    if line.startswith(("tokenizer", "embed")) and done.status == 130:
        assert not done.left, done.left
