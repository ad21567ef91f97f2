"""The folder of a training run: its manifest run.json, its lock, and the paths of what is in it.

That of a pretraining run holds:

run.json        what was asked for, and every session: command, machine, versions, code digest
vocabulary/     vocab.txt
train.tokens    the corpus as token ids; valid.tokens: its validation part (see preparation)
checkpoints/    see checkpointing
log.jsonl       a JSON object for every logged step (see log)
model/          the finished model
"""

import dataclasses
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

from minibert.config import InputError, read_json_file
from minibert.hub.atomic_io import is_link, refuse_link, remove_leftovers, write_atomically
from minibert.hub.new_folder import lock_folder, make_folder, refuse_filled, remove_empty
from minibert.pretraining.checkpointing import checkpoints
from minibert.pretraining.log import read_log
from minibert.pretraining.manifest import check_record, check_settings
from minibert.pretraining.settings import Settings

# Files and folders that a process that was killed may leave behind. The first names are what
# atomic_io.replacing writes to, the second what older versions did; then see write_tokens.
LEFT_FILE = re.compile(
    r"\.[0-9a-f]{8}-(run\.json|log\.jsonl|texts\.txt)"
    r"|\.(run\.json|log\.jsonl)\.[0-9a-f]{8}"
    r"|\.(train|valid)\.tokens\.[0-9]+"
)
LEFT_FOLDER = re.compile(r"\.vocabulary-[0-9a-f]{8}")  # see preparation.keep_vocabulary

# What a run writes to, and what it only reads once it is there. Those without a dot are folders.
WRITTEN = ("run.json", "log.jsonl", "texts.txt", "checkpoints", "model", "teacher", "tensorboard")
READ = ("vocabulary", "train.tokens", "valid.tokens")  # may be in the folder of a new run, too

# options of a session that older versions knew by another name
OLD_NAMES = {"eval_rows": "eval_sequences"}


class RunFolder:
    """The folder of a run of any kind, opened with `create` or `open`.

    As long as the process that opened it for writing lives, a second one is refused. Of several
    processes that work on one run the first creates or opens it; the others open it, without
    writing, once it is prepared.
    """

    record: dict[str, Any]  # run.json
    settings: Any  # a dataclass: what was asked for
    settings_class: ClassVar[Any]  # its class, with from_dict
    command: ClassVar[str]  # that makes such a run

    def __init__(self, path: Path, writes: bool) -> None:
        self.path, self.writes = path, writes
        self.made: list[Path] = []  # by this process; what was there before is somebody's work
        self.checkpoints, self.model = path / "checkpoints", path / "model"
        self.log = path / "log.jsonl"
        if writes:
            check_places(path)
            self._new_folders = make_folder(path)
            self._lock = lock_folder(path)
            remove_leftovers(path, LEFT_FILE, LEFT_FOLDER)

    @classmethod
    def create(cls, path: Path, settings: Any, given: dict[str, Any]) -> Self:
        """A new run. `given` holds the options of its first session; see `remembered`.

        Raises an InputError where there is a run already.
        """
        if any((path / name).exists() for name in ("run.json", "checkpoints", "model")):
            raise InputError(
                f"{path} already holds a run: continue it with --resume, "
                "or name another folder with --out"
            )
        refuse_filled(path, but=READ)
        run_dir = cls(path, writes=True)
        run_dir.settings = settings
        run_dir.record = {
            "settings": dataclasses.asdict(settings),
            "given": given,
            "sources": None,  # until their files are hashed
            "sessions": [],
        }
        try:
            run_dir.write_record()
        except OSError:
            run_dir.abandon()
            raise
        return run_dir

    @classmethod
    def open(cls, path: Path, writes: bool = True) -> Self:
        """The run in a folder. Raises an InputError where there is none, or run.json is damaged."""
        manifest = path / "run.json"
        if not manifest.is_file():
            what, advice = "run", ""
            if writes:
                what, advice = "run to resume", ". Without --resume a new run begins there"
            raise InputError(f"there is no {what} in {path}: it has no run.json{advice}")
        run_dir = cls(path, writes)
        try:
            record = read_json_file(manifest, "run")
            check_record(record)
        except ValueError as error:
            raise InputError(_not_ours(manifest, error)) from error
        if (command := _command_of(record)) not in (cls.command, None):
            raise InputError(f"{path} holds a run of {command}, not of {cls.command}")
        if writes:
            run_dir.check_checkpoints()
        try:
            run_dir.settings = cls.settings_class.from_dict(record["settings"])
            check_settings(run_dir.settings)
            run_dir.record = {
                "sources": record["sources"],
                "sessions": record["sessions"],
                **record,
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(_not_ours(manifest, error)) from error
        return run_dir

    def check_checkpoints(self) -> None:
        """Raise an InputError if there is no checkpoint where the log or the model tells of one."""
        if checkpoints(self.checkpoints):
            return
        if not self.log.is_file():
            if self.model.is_dir():
                raise InputError(
                    f"{self.checkpoints} holds no checkpoint, but {self.model} is there: put the "
                    f"checkpoints back, or move {self.model.name} away to begin again at step 0"
                )
            return
        if steps := [record["step"] for record in read_log(self.log)]:
            raise InputError(
                f"{self.checkpoints} holds no checkpoint, but {self.log} goes to step {steps[-1]}: "
                f"put the checkpoints back, or delete {self.log.name} to begin again at step 0"
            )

    def check_links(self) -> None:
        """Raise an InputError if somebody has put a link in the place of what the run writes to."""
        for name in WRITTEN:
            refuse_link(self.path / name)
        refuse_link(_first_link(self.model))

    def write_record(self) -> None:
        """Write run.json, in the process that writes."""
        if self.writes:
            text = json.dumps(self.record, indent=2) + "\n"
            write_atomically(self.path / "run.json", text, follow=False)

    @property
    def sessions(self) -> list[dict[str, Any]]:
        """How the run was started and continued, the last time last."""
        sessions: list[dict[str, Any]] = self.record["sessions"]
        return sessions

    @property
    def remembered(self) -> dict[str, Any]:
        """The options of the last session, or of the beginning: a run may be killed before it."""
        given = self.sessions[-1]["given"] if self.sessions else self.record.get("given", {})
        return {OLD_NAMES.get(name, name): value for name, value in given.items()}

    def add_session(self, session: dict[str, Any]) -> None:
        """Add a session to run.json."""
        self.sessions.append(session)
        self.write_record()

    def remember(self, name: str, value: Callable[[], object]) -> Any:
        """A value in run.json that is found out the first time and then stays."""
        if name not in self.record:
            self.record[name] = value()
            self.write_record()
        return self.record[name]

    def check_digest(self, name: str, digest: object) -> None:
        """Remember the digest of a file in this folder; raise an InputError if it has changed."""
        known = self.record.setdefault("digests", {})
        if known.setdefault(name, digest) != digest:
            raise InputError(
                f"{self.path / name} is not the one that this run began with: put that back, "
                "or begin a new run with another --out"
            )

    def abandon(self) -> None:
        """Delete what this process made of a run that could not begin: its folder is free again."""
        for path in (self.path / "run.json", self.log, self.checkpoints, *self.made):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if self._lock:
            self._lock.remove()
        remove_empty(self._new_folders)


class RunDir(RunFolder):
    """The folder of a pretraining run."""

    settings: Settings
    settings_class = Settings
    command = "pretrain"


def check_places(folder: Path) -> None:
    """Raise an InputError for a link, and for what is not the kind of file that a run has there.

    Through a link a run would change what lies elsewhere, so no name that it writes may be one, and
    none in its folders. The files that it only reads may be links to those of another run.
    """
    for name in (*WRITTEN, *READ):
        path = folder / name
        if name in WRITTEN:
            refuse_link(_first_link(path))
        is_right = path.is_file if "." in name else path.is_dir
        if path.exists() and not is_right():
            kind = "an ordinary file" if "." in name else "a folder"
            raise InputError(f"{path} must be {kind} where it is part of a run: move it away")


def _first_link(path: Path) -> Path | None:
    """A path itself or the first in it that is a link, if there is one."""
    if is_link(path):
        return path
    inside = (
        Path(parent, name)
        for parent, folders, files in os.walk(path)
        for name in (*folders, *files)
    )
    return next(filter(is_link, inside), None)


def _command_of(record: dict[str, Any]) -> str | None:
    """The command that made a run, by an option that only its runs have; None if it has none."""
    options = record["settings"].get("options")
    known = {"objective": "train-sentences", "micro_batch": "pretrain"}
    found = [known[name] for name in known if isinstance(options, dict) and name in options]
    return found[0] if found else None


def _not_ours(manifest: Path, error: Exception) -> str:
    reason = error if isinstance(error, ValueError) else "a value is of another kind"
    return f"{manifest} is not what minibert wrote there ({reason}): the run cannot go on"
