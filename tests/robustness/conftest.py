"""The world of the hostile cases, made once; and a folder for each case, in which a command runs."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_command import Done, Forker
from hostile_world import build, everything, spoil

NOBODY = 65534  # an ordinary user, whom permissions stop


@pytest.fixture(scope="session")
def forker():
    """The process that runs the commands, and the world that it has built."""
    # not in pytest's own folder, which other users may not enter
    folder = Path(tempfile.mkdtemp(prefix="minibert-hostile-"))
    folder.chmod(0o755)
    (folder / "world").mkdir()
    running = Forker(folder)
    running.world = folder / "world"
    build(running.world, running)
    yield running
    running.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def case(forker) -> Callable[..., Done]:
    """Run a command in a folder that has all of the world, with one file spoilt; nothing else may change there."""
    folder = Path(tempfile.mkdtemp(prefix="case-", dir=forker.folder))

    def case(argv: list[str], spoilt: tuple[str, str] | None = None, **how) -> Done:
        folder.chmod(0o777)
        for path in forker.world.iterdir():
            (folder / path.name).symlink_to(path)
        if spoilt:
            name, way = spoilt
            top = folder / Path(name).parts[0]
            top.unlink()
            original = forker.world / top.name
            (shutil.copytree if original.is_dir() else shutil.copy)(original, top)
            spoil(folder / name, way)
            if way == "unreadable" and os.getuid() == 0:
                for path in (top, *top.rglob("*")):
                    os.chown(path, NOBODY, NOBODY)
                how["uid"] = NOBODY
        if os.getuid() and how.pop("uid", NOBODY) != NOBODY:
            pytest.skip("only root can be a user without a home")
        before = everything(folder)
        done = forker.run(argv, folder, **how)
        done.left = sorted(str(path) for path in everything(folder) ^ before)
        return done

    yield case
    shutil.rmtree(folder)
