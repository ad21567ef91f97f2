"""Commands that are killed go on, or begin anew, to the same result: one kill of each here, and the log of many."""

import json
import random
import shutil
import tempfile
from pathlib import Path

import kills
import pytest


@pytest.fixture(scope="module")
def killer(forker):
    world = Path(tempfile.mkdtemp(prefix="kills-", dir=forker.folder))
    for path in forker.world.iterdir():
        (world / path.name).symlink_to(path)
    kills.prepare(world)
    yield kills.Killer(forker, world)
    shutil.rmtree(world)


@pytest.mark.slow
@pytest.mark.parametrize("name", kills.WORKS)
def test_a_command_that_was_killed_ends_the_same(killer, name):
    row = killer.kill_once(name, random.Random(f"{name} 1"))
    assert not row["wrong"], row


def test_another_result_is_noticed(killer, monkeypatch):
    monkeypatch.setitem(killer.undisturbed, "tokenizer", ("0" * 64, 0.1))
    assert (
        killer.kill_once("tokenizer", random.Random(0))["wrong"]
        == "another result than undisturbed"
    )


def test_the_log_of_many_kills():
    log = json.loads((Path(__file__).parent / "kills.json").read_text())
    assert log["rows"].keys() == {*kills.WORKS, *kills.OTHERS}
    assert sum(row["kills"] for row in log["rows"].values()) >= 100
    assert not [row["wrong"] for row in log["rows"].values() if row["wrong"]]
