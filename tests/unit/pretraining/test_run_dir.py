"""The manifest of a run, also one that an older version wrote."""

import dataclasses
import json
from pathlib import Path

import pytest

from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.run_dir import RunDir
from minibert.pretraining.settings import Settings


def old_run(path: Path) -> None:
    settings = dataclasses.asdict(Settings(PretrainingOptions(steps=5, nsp_weight=0.3)))
    settings["options"]["pair_weight"] = settings["options"].pop("nsp_weight")
    session = {"given": {"eval_rows": 7, "log_every": 3}}
    record = {"settings": settings, "sources": {}, "sessions": [session]}
    path.mkdir()
    (path / "run.json").write_text(json.dumps(record))


def test_a_run_of_an_older_version_goes_on_by_the_present_names(tmp_path):
    old_run(tmp_path / "run")
    run_dir = RunDir.open(tmp_path / "run")
    assert run_dir.settings.options.nsp_weight == 0.3
    assert run_dir.remembered == {"eval_sequences": 7, "log_every": 3}


def test_a_process_that_does_not_write_leaves_the_folder_as_it_is(tmp_path):
    old_run(tmp_path / "run")
    (tmp_path / "run" / ".run.json.1234").write_text("half written")
    before = sorted(path.name for path in (tmp_path / "run").iterdir())
    run_dir = RunDir.open(tmp_path / "run", writes=False)
    run_dir.add_session({"given": {}})
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == before
    assert len(json.loads((tmp_path / "run" / "run.json").read_text())["sessions"]) == 1


def test_a_changed_file_is_noticed(tmp_path):
    old_run(tmp_path / "run")
    run_dir = RunDir.open(tmp_path / "run")
    run_dir.check_digest("train.tokens", 5)
    run_dir.check_digest("train.tokens", 5)
    with pytest.raises(ValueError, match="train.tokens is not the one that this run began with"):
        run_dir.check_digest("train.tokens", 6)
