"""The manifest of a run, also one that an older version wrote."""

import dataclasses
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from minibert.cli.session_options import moment
from minibert.config import InputError
from minibert.finetuning.sentence_vectors.preparation import SentenceRunDir
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.run_dir import READ, WRITTEN, RunDir
from minibert.pretraining.session import _save
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


def test_only_what_the_program_can_have_left_is_removed(tmp_path):
    """A process that was killed leaves such names; other hidden files are somebody's own."""
    run = tmp_path / "run"
    old_run(run)
    left = [
        ".0123abcd-run.json",
        ".0123abcd-log.jsonl",
        ".0123abcd-texts.txt",
        ".run.json.0123abcd",
        ".log.jsonl.0123abcd",
        ".train.tokens.4711",
        ".valid.tokens.1",
    ]
    own = [
        ".my-notes-1",
        ".password-list",
        ".0123abcd-notes.txt",
        ".0123ABCD-run.json",
        ".run.json.bak",
        ".log.jsonl.1",
        ".my.tokens.txt",
        ".train.tokens.old",
        ".vocabulary-0123abcd.txt",
    ]
    for name in (*left, *own):
        (run / name).write_text("something")
    for name in (".vocabulary-0123abcd", ".vocabulary-mine", ".0123abcd-run.json.d"):
        (run / name).mkdir()
        (run / name / "vocab.txt").write_text("a")
    (tmp_path / "elsewhere").mkdir()
    (run / ".vocabulary-00000000").symlink_to(tmp_path / "elsewhere")
    RunDir.open(run)
    kept = {".vocabulary-mine", ".0123abcd-run.json.d", ".vocabulary-00000000", *own}
    assert {path.name for path in run.iterdir()} - {".lock", "run.json"} == kept


@pytest.mark.parametrize(
    "place, name, value, said",
    [
        ("given", "checkpoint_every", "abc", "checkpoint_every is 'abc', expected a text such as"),
        ("given", "checkpoint_every", "", "checkpoint_every is '', expected"),
        ("given", "checkpoint_every", "0", "checkpoint_every is '0', expected"),
        ("given", "checkpoint_every", 10, "checkpoint_every is 10, expected"),
        ("given", "threads", 100_000, "threads is 100000, expected a whole number from 1 to 1,024"),
        ("given", "time_limit", "x", "time_limit is 'x', expected a number of seconds"),
        ("given", "eval_every", 0, "eval_every is 0, expected a whole number of at least 1"),
        ("given", "log_every", True, "log_every is True, expected a whole number"),
        ("given", "shard", 1, "shard is 1, expected true or false"),
        ("options", "seed", 2**64, "seed must be at most 1,000,000,000,000,000,000, not 18446"),
        ("options", "learning_rate", 10**400, "learning_rate is 1000.*, expected at most"),
        ("settings", "vocab_size", 2**64, "vocab_size is 18446.*, expected at most"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_damaged_record_is_refused_by_the_name_of_its_field(place, name, value, said, tmp_path):
    path = tmp_path / "run" / "run.json"
    old_run(path.parent)
    record = json.loads(path.read_text())
    places = {
        "given": record["sessions"][0]["given"],
        "options": record["settings"]["options"],
        "settings": record["settings"],
    }
    places[place][name] = value
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match=said) as error:
        RunDir.open(path.parent)
    assert "run.json is not what minibert wrote there" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("when", ["100", "10m", "1h30m", "1.5h", "0s"])
def test_the_times_of_a_record_are_those_of_the_option(when, tmp_path):
    old_run(tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    record = json.loads(path.read_text())
    record["sessions"][0]["given"]["checkpoint_every"] = moment(when)
    path.write_text(json.dumps(record))
    assert RunDir.open(tmp_path / "run").remembered["checkpoint_every"] == when


def test_a_changed_file_is_noticed(tmp_path):
    old_run(tmp_path / "run")
    run_dir = RunDir.open(tmp_path / "run")
    run_dir.check_digest("train.tokens", 5)
    run_dir.check_digest("train.tokens", 5)
    with pytest.raises(ValueError, match="train.tokens is not the one that this run began with"):
        run_dir.check_digest("train.tokens", 6)


# -- what is in the folder -------------------------------------------------------------------------


def untouched(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", [RunDir, SentenceRunDir], ids=lambda kind: kind.command)
@pytest.mark.parametrize(
    "name", [*WRITTEN, "teacher/vectors-00000.safetensors", "model/config.json"]
)
def test_a_link_that_a_run_would_write_through_is_refused(kind, name, tmp_path):
    old_run(tmp_path / "run")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "diary.txt").write_text("years of work")
    link = tmp_path / "run" / name
    link.parent.mkdir(exist_ok=True)
    if name == "run.json":
        link.rename(mine / "run.json")
        link.symlink_to(mine / "run.json")
    else:
        link.symlink_to(mine / "diary.txt" if "." in name else mine)
    before = untouched(tmp_path)
    with pytest.raises(InputError, match=f"{re.escape(str(link))} is a link") as error:
        kind.open(tmp_path / "run")
    assert "\n" not in str(error.value) and untouched(tmp_path) == before
    assert not (tmp_path / "run" / ".lock").exists()


def test_a_new_run_does_not_write_through_a_link_either(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "teacher").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="already exists and is not empty"):
        RunDir.create(tmp_path / "run", Settings(PretrainingOptions(steps=5)), {})
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["teacher"]


def test_a_link_to_what_is_only_read_is_followed(tmp_path):
    old_run(tmp_path / "run")
    (tmp_path / "run" / "train.tokens").symlink_to(tmp_path / "other.tokens")
    (tmp_path / "run" / "notes").symlink_to(tmp_path)  # no name of a run
    RunDir.open(tmp_path / "run")


@pytest.mark.parametrize("name", [*WRITTEN[1:], *READ])
def test_a_file_in_the_place_of_a_folder_or_the_reverse_is_named(name, tmp_path):
    old_run(tmp_path / "run")
    path = tmp_path / "run" / name
    path.mkdir() if "." in name else path.write_text("a")
    kind = "an ordinary file" if "." in name else "a folder"
    with pytest.raises(InputError, match=f"{re.escape(str(path))} must be {kind}"):
        RunDir.open(tmp_path / "run")


def test_the_run_of_another_command_is_refused_by_its_name(tmp_path):
    old_run(tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    record = json.loads(path.read_text())
    record["settings"]["options"]["micro_batch"] = 4
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match="holds a run of pretrain, not of train-sentences"):
        SentenceRunDir.open(tmp_path / "run")
    record["settings"]["options"] = {"objective": "distill"}
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match="holds a run of train-sentences, not of pretrain"):
        RunDir.open(tmp_path / "run")


def test_a_run_whose_checkpoints_are_gone_does_not_begin_again_without_a_word(tmp_path):
    old_run(tmp_path / "run")
    log = tmp_path / "run" / "log.jsonl"
    log.write_text('{"step": 10}\n{"step": 20}\n')
    with pytest.raises(InputError, match="holds no checkpoint, but .*log.jsonl goes to step 20"):
        RunDir.open(tmp_path / "run")
    assert log.read_text().count("\n") == 2
    RunDir.open(tmp_path / "run", writes=False)
    log.unlink()
    (tmp_path / "run" / "model").mkdir()
    with pytest.raises(InputError, match="holds no checkpoint, but .*model is there"):
        RunDir.open(tmp_path / "run")
    (tmp_path / "run" / "model").rmdir()
    RunDir.open(tmp_path / "run")


@pytest.mark.parametrize("name", ["checkpoints", "log.jsonl", "model", "model/config.json"])
def test_a_link_that_comes_during_a_run_is_not_written_through(name, tmp_path):
    old_run(tmp_path / "run")
    run_dir = RunDir.open(tmp_path / "run")
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "run" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=f"{name} is a link, and a run would write to what it"):
        _save(None, run_dir, SimpleNamespace(sync_log=lambda: None))
    assert not list((tmp_path / "elsewhere").iterdir())
