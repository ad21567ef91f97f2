"""Files that are replaced as a whole."""

import pytest

from minibert.hub.atomic_io import replacing, write_atomically


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="disk full"), replacing(path) as writing:
        writing.write_bytes(b"half of the n")
        raise OSError("disk full")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_block_that_ends_replaces_the_file(tmp_path):
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")
    with replacing(path) as writing:
        writing.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    write_atomically(tmp_path / "text.txt", "é")
    assert path.read_bytes() == b"new"
    assert (tmp_path / "text.txt").read_text(encoding="utf-8") == "é"
    assert {each.name for each in tmp_path.iterdir()} == {"file.bin", "text.txt"}
