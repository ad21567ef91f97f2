"""Closed and full streams, other locales and users, no home, a full disk, little memory, Ctrl-C: one line, nothing half-written."""

import os
import random
import re
import shlex
import shutil
import tempfile
import tomllib
from pathlib import Path

import pytest
from forked_command import Done
from hostile_world import PRETRAIN, everything

TABLE = tomllib.loads((Path(__file__).parent / "surroundings.toml").read_text(encoding="utf-8"))
HOME = {"XDG_CACHE_HOME": "/proc/self/cwd/cache"}  # in the folder of the case
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


def test_a_run_whose_corpus_has_a_name_that_is_no_text_goes_on(forker):
    """Its run.json holds the name, as Python escapes bytes that are not UTF-8."""
    odd = os.fsdecode(b"odd-\xff.txt")
    shutil.copy(forker.world / "corpus.txt", forker.world / odd)
    try:
        line = PRETRAIN.replace("corpus.txt", odd).replace("--out run", "--out odd")
        for argv in (line.split(), ["pretrain", "--resume", "--out", "odd"]):
            done = forker.run(argv, forker.world)
            assert done.status == 0, done.err
    finally:
        (forker.world / odd).unlink()
        shutil.rmtree(forker.world / "odd", ignore_errors=True)


def test_fine_tuning_with_names_that_are_no_text(forker):
    """Of the data and of the new folder, which `predict` opens."""
    odd, out = os.fsdecode(b"odd-\xff.csv"), os.fsdecode(b"out-\xff")
    shutil.copy(forker.world / "reviews.csv", forker.world / odd)
    tune = ["finetune", "classification", "--train", odd, "--dev", odd, "--test", odd]
    try:
        for argv in (
            [*tune, "--model", "model", "--out", out, "--epochs", "1"],
            ["predict", out, "a film"],
        ):
            done = forker.run(argv, forker.world)
            assert done.status == 0 and "Traceback" not in done.err, done.err
    finally:
        (forker.world / odd).unlink()
        shutil.rmtree(forker.world / out, ignore_errors=True)


# -- Ctrl-C ----------------------------------------------------------------------------------------


INTERRUPTED = TABLE["interrupted"]
UNFINISHED = r"/\.(saving-|writing-|[0-9a-f]{8}-)"  # names of what is being written


@pytest.fixture(scope="module")
def undisturbed(forker):
    """What a command leaves, and how long it takes: run once for each."""
    known: dict[str, Done] = {}

    def undisturbed(line: str) -> Done:
        if line not in known:
            folder = Path(tempfile.mkdtemp(dir=forker.folder))
            for path in forker.world.iterdir():
                (folder / path.name).symlink_to(path)
            before = everything(folder)
            known[line] = done = forker.run(shlex.split(line), folder, env=HOME, limit=120)
            assert done.status == 0, done.err
            done.left = sorted(map(str, everything(folder) - before))
        return known[line]

    return undisturbed


@pytest.mark.parametrize("line", INTERRUPTED["argv"])
@pytest.mark.parametrize("number", range(INTERRUPTED["times"]))
def test_ctrl_c_at_a_random_moment(case, undisturbed, line, number):
    """Rather among a command's first moments than later; some commands have ended before."""
    whole = undisturbed(line)
    longest = min(whole.seconds, INTERRUPTED["within"])
    moment = random.Random(f"{line} {number}").random() ** 2 * longest
    done = case(shlex.split(line), interrupt=moment, env=HOME)
    assert done.status in (0, 130), (done.status, done.out, done.err)
    assert "Traceback" not in done.err and "Exception ignored" not in done.err, done.err
    if done.status == 130:
        assert done.err.strip().count("\n") == 0, done.err
        if not line.startswith(tuple(INTERRUPTED["leave"])):
            assert done.left in ([], ["('new', 0)"], whole.left), done.left  # an empty folder
    assert not [name for name in done.left if re.search(UNFINISHED, name)], done.left
