"""What several commands share."""

import io
import json
import sys
from pathlib import Path

import pytest

from minibert.cli.common import json_line, one_line, read_lines
from minibert.config import InputError


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_holds_no_character_that_commands_a_terminal(encoding, monkeypatch):
    """And the same value: C1 controls, DEL and what turns the direction of writing are escaped."""
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    value = {"a\x9b31m": "é \x7f \x85 \u202e \u2066 \x1b[31m \\u202e \U0001f600", "file": "\udce9"}
    line = json_line(value)
    assert json.loads(line) == value
    assert not set(line) & set("\x7f\x85\x9b\u202e\u2066\x1b\udce9")
    assert ("é" in line) is (encoding == "utf-8")


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="there is no /dev/zero")
def test_a_device_that_never_ends_is_not_read():
    with pytest.raises(InputError, match="cannot read --file /dev/zero: it is a device, and not"):
        read_lines("--file", "/dev/zero")


def test_a_name_with_two_spaces_stays_as_it_is():
    assert one_line(" a\x1b[31m  b \r\n\n c\td\u202e\n") == "a[31m  b c d"


def test_a_long_run_of_spaces_is_read_once():
    """Not once from each of its spaces on, which would take minutes."""
    assert one_line("a" + 300_000 * " " + "b\n") == "a" + 300_000 * " " + "b"
    assert one_line("a" + 300_000 * " " + "\tb") == "a b"
