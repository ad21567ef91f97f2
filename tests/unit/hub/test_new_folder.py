"""The folder of a new model or run, and the lock that is in it while a process is at work."""

import gc
import os
import stat
import sys
import warnings

import pytest

from minibert.config import InputError
from minibert.hub.new_folder import LOCK, lock_folder, new_folder, refuse_filled

posix = pytest.mark.skipif(sys.platform == "win32", reason="no such locks, links and pipes")


@posix
def test_a_lock_is_there_while_the_block_runs(tmp_path):
    folder = tmp_path / "new"
    with new_folder(folder):
        assert os.listdir(folder) == [LOCK]
        with pytest.raises(InputError, match="another process is at work in"), new_folder(folder):
            pass
    assert os.listdir(tmp_path) == []


@posix
def test_a_link_to_nowhere_is_named(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(InputError, match="link to nowhere, which is not there"):
        refuse_filled(tmp_path / "link")


@posix
def test_a_link_of_the_locks_name_is_not_followed(tmp_path):
    precious, folder = tmp_path / "precious.txt", tmp_path / "new"
    precious.write_text("years of work")
    folder.mkdir()
    (folder / LOCK).symlink_to(precious)
    with pytest.raises(InputError, match="lock is not a lock of minibert"), new_folder(folder):
        pass
    assert precious.read_text() == "years of work" and (folder / LOCK).is_symlink()
    precious.unlink()
    with pytest.raises(InputError, match="lock is not a lock of minibert"), new_folder(folder):
        pass
    assert not precious.exists()


@posix
@pytest.mark.parametrize("kind", ["text", "pipe", "folder"])
def test_what_is_no_lock_is_refused_and_stays(kind, tmp_path):
    path = tmp_path / LOCK
    if kind == "text":
        path.write_text("mine")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(InputError, match="an ordinary empty file: move it away"):
        lock_folder(tmp_path)
    if kind == "text":
        assert path.read_text() == "mine"
    assert stat.S_ISFIFO(path.stat().st_mode) == (kind == "pipe") and path.is_dir() == (
        kind == "folder"
    )


@posix
def test_an_empty_file_that_was_there_before_serves_as_lock_and_stays(tmp_path):
    """A process that was killed leaves one, and so may a user."""
    (tmp_path / LOCK).touch()
    with (
        new_folder(tmp_path),
        pytest.raises(InputError, match="another process"),
        new_folder(tmp_path),
    ):
        pass
    assert os.listdir(tmp_path) == [LOCK]


@posix
def test_a_lock_that_its_process_has_just_removed_is_not_taken(tmp_path, monkeypatch):
    """Opened before the other process removed it, locked after: a third would make a new one."""
    import fcntl

    (tmp_path / LOCK).touch()
    monkeypatch.setattr(fcntl, "flock", lambda *_: (tmp_path / LOCK).unlink())
    with pytest.raises(InputError, match="another process is at work in"):
        lock_folder(tmp_path)


def test_a_lock_that_nobody_holds_any_more_is_freed_without_a_warning(tmp_path, recwarn):
    """As at the end of a run, in a Python that makes errors of warnings."""
    warnings.simplefilter("always")
    lock_folder(tmp_path)
    gc.collect()
    lock_folder(tmp_path).release()
    assert not recwarn.list
