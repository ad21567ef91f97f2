"""What several commands share."""

import io
import json
import sys

import pytest

from minibert.cli.common import json_line


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_holds_no_character_that_commands_a_terminal(encoding, monkeypatch):
    """And the same value: C1 controls, DEL and what turns the direction of writing are escaped."""
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    value = {"a\x9b31m": "é \x7f \x85 \u202e \u2066 \x1b[31m \\u202e \U0001f600"}
    line = json_line(value)
    assert json.loads(line) == value
    assert not set(line) & set("\x7f\x85\x9b\u202e\u2066\x1b")
    assert ("é" in line) is (encoding == "utf-8")
