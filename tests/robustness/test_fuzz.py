"""What the fuzzer found once is refused now; a short run of it finds nothing; its long run is in the log."""

import json
from pathlib import Path

import fuzz
import pytest
from fuzz_targets import TARGETS, Target, more_files

HERE = Path(__file__).parent
FINDINGS = sorted((HERE / "findings").iterdir())


@pytest.fixture(scope="module")
def fuzzer(forker, tmp_path_factory):
    world = tmp_path_factory.mktemp("fuzz")
    for path in forker.world.iterdir():
        if path.name != "secret":
            (world / path.name).symlink_to(path)
    for name in ("page.html", "page.md"):
        (world / name).unlink()
    more_files(world)
    return fuzz.Fuzzer(world, tmp_path_factory.mktemp("copies"), seed=0)


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.name)
def test_what_was_found_is_refused_or_read(fuzzer, path):
    name = path.name.rpartition(".")[0].replace("_", " ")
    assert not fuzzer.try_one(name, path.read_bytes())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TARGETS)
def test_a_few_changes_of_every_file(fuzzer, name):
    for _ in range(40):
        assert not fuzzer.try_one(name)


def test_the_fuzzer_can_find(fuzzer, monkeypatch):
    """A reader that falls over one byte is found, with its place."""

    def read(path):
        return 1 // (b"{" in path.read_bytes())

    target = Target("model/config.json", "json", read)
    target.kept = [b"{}"]
    monkeypatch.setitem(TARGETS, "planted", target)
    found = [fuzzer.try_one("planted") for _ in range(200)]
    assert any(text and "ZeroDivisionError" in text for text in found)


def test_the_long_run_is_logged_and_what_it_found_is_a_case():
    log = json.loads((HERE / "fuzz.json").read_text())
    assert log.keys() == TARGETS.keys()
    cases = [path.name.rpartition(".")[0].replace("_", " ") for path in FINDINGS]
    for name, row in log.items():
        assert row["inputs"] >= 1000 and len(row["findings"]) <= cases.count(name), name
