"""Every file that a command reads, spoilt in every way: one line that names it, status 2, nothing left behind."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

TABLE = tomllib.loads((Path(__file__).parent / "readers.toml").read_text(encoding="utf-8"))


def ways(reader: dict, which: str = "ways") -> list[str]:
    """The ways in which a file is spoilt, or those that are accepted, with groups as what is in them."""
    names = reader.get(which, "").split()
    return [way for name in names for way in TABLE["groups"].get(name, name).split()]


CASES = [
    pytest.param(reader, way, id=f"{reader['command'].split()[0]}-{reader['file']}-{way}")
    for reader in TABLE["reader"]
    for way in ways(reader)
]


@pytest.mark.parametrize(("reader", "way"), CASES)
def test_a_spoilt_file_is_named_in_one_line(case, reader, way):
    done = case(shlex.split(reader["command"]), (reader["file"], way))
    assert "Traceback" not in done.err, done.err
    if way in ways(reader, "accepted"):
        assert done.status == 0, done.err
        return
    assert done.status == 2, (done.out, done.err)
    assert done.err.count("\n") == 1, done.err
    command = reader["command"].split()[0]
    assert done.err.startswith(f"minibert {command}: "), done.err
    names = reader.get("names", re.escape(Path(reader["file"]).parts[0]))
    assert re.search(names, done.err), done.err
    kept = reader.get("leaves", "nothing at all")
    assert not [name for name in done.left if not name.startswith(f"('{kept}'")], done.left
