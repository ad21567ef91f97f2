"""Compressed files are read whole, and what is none is noticed."""

import gzip
import lzma
import os
import sys
from pathlib import Path

import pytest

from minibert.data.compressed import DAMAGED, open_decompressed

TEXT = bytes(range(256)) * 700  # more than a buffer


@pytest.mark.parametrize("suffix, pack", [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_what_was_packed_comes_out(suffix, pack, tmp_path):
    path = tmp_path / f"a.txt{suffix}"
    whole = pack(TEXT)
    for content, wanted in (
        (whole, TEXT),
        (whole + pack(b"more"), TEXT + b"more"),
        (pack(b"") + whole, TEXT),
        (whole + bytes(8), TEXT),
        (whole + bytes(40_000) + pack(b"more"), TEXT + b"more"),
    ):
        path.write_bytes(content)
        with open_decompressed(path) as file:
            assert file.peek(2)[:2] == wanted[:2] and file.read() == wanted
        with open_decompressed(path) as file:
            assert b"".join(file) == wanted
    for content in (b"", b"no", whole[:-3], whole[: len(whole) // 2], whole + b"x", b"x" + whole):
        path.write_bytes(content)
        if suffix == ".gz" and not content:
            continue  # gzip takes it for an empty file
        with pytest.raises(DAMAGED), open_decompressed(path) as file:
            file.read()


def test_other_files_are_read_as_they_are(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    with open_decompressed(tmp_path / "a.txt") as file:
        assert file.peek(1) and file.read() == TEXT


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="there is no /dev/zero")
def test_a_device_is_refused_because_it_may_never_end():
    with pytest.raises(OSError, match="it is a device, and not a file"):
        open_decompressed(Path("/dev/zero"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_named_pipe_is_refused_and_one_of_the_shell_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(OSError, match="it is a named pipe, and not a file"):
        open_decompressed(tmp_path / "pipe.txt")
    reader, writer = os.pipe()
    os.write(writer, TEXT[:100])
    os.close(writer)
    with open_decompressed(Path(f"/dev/fd/{reader}")) as file:
        assert file.read() == TEXT[:100]
    os.close(reader)
