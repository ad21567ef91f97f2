"""Files that are replaced as a whole."""

import os
import stat

import pytest

from minibert.hub.atomic_io import replacing, write_atomically


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="disk full"), replacing(path) as writing:
        writing.write_bytes(b"half of the n")
        raise OSError("disk full")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="links and permissions of Unix")
def test_the_permissions_stay_and_a_link_is_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder" / "file.txt", tmp_path / "link.txt"
    write_atomically(path, "old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_atomically(link, "new")
    assert link.is_symlink() and path.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and list(path.parent.iterdir()) == [path]
    write_atomically(link, "newest", follow=False)
    assert not link.is_symlink() and link.read_text(encoding="utf-8") == "newest"
    assert path.read_text(encoding="utf-8") == "new"


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_a_link_to_itself_stays(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="not a regular file"):
        write_atomically(tmp_path / "loop", "new")
    assert (tmp_path / "loop").is_symlink() and len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")
def test_a_pipe_stays_a_pipe(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "pipe").is_fifo() and len(list(tmp_path.iterdir())) == 2


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
