"""The folder of a pretraining run: what was asked for, the vocabulary, the text as tokens, the log.

    run.json        what was asked for, and every session: its command, machine, versions, the hash of the code
    vocabulary/     vocab.txt
    train.tokens    the corpus as token ids; valid.tokens: the part that is held out
    checkpoints/    see minibert.resume
    log.jsonl       a JSON object for every logged step
    model/          the finished model
"""

import dataclasses
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from tqdm.auto import tqdm

from minibert.config import PRESETS, BertConfig
from minibert.data import TokenFile, write_tokens
from minibert.data.corpora import DEFAULT, HUB_SETS, documents
from minibert.data.files import find_files
from minibert.files import replace_file, sha256, sync
from minibert.tokenization import WordPieceTokenizer
from minibert.training import PretrainingOptions

VOCAB_SIZES = {"teaching": 6144}            # of a vocabulary that is trained, where not 8192
VOCAB_SIZE = 8192
NO_HELD_OUT = ("none",)
SENTENCES_FOR_VOCABULARY = 200_000          # more change little, and take longer
LEFTOVERS = (".run.json.*", ".log.jsonl.*", ".*.tokens.*", ".vocabulary-*")     # of a process that was killed


@dataclass(frozen=True)
class Settings:
    """Everything that decides a run's numbers but the text itself; fixed once it has begun."""

    options: PretrainingOptions
    corpus: tuple[str, ...] = ("default",)
    held_out: tuple[str, ...] = ()          # empty: the corpus' own held-out part; or NO_HELD_OUT
    sentence_per_line: bool = False
    preset: str = "mini"                    # a name, or the path of a config.json
    vocab: str | None = None
    vocab_size: int | None = None
    start: str | None = None                # the saved model to start from
    dropout: float | None = None            # None: none for a preset, else as the config.json says
    norm_first: bool | None = None

    @classmethod
    def from_dict(cls, values: dict) -> "Settings":
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        options = {"copy_positions": False} | values["options"]         # as runs began that are older than the option
        return cls(**values | {"options": PretrainingOptions(**options)})

    def config(self, vocab_size: int) -> BertConfig:
        """The shape of the model that is trained from nothing."""
        changes = {} if self.norm_first is None else {"norm_first": self.norm_first}
        dropout = 0.0 if self.dropout is None and self.preset in PRESETS else self.dropout
        if dropout is not None:
            changes |= {"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}
        if self.preset in PRESETS:
            longest = max(length for _, length in self.options.stages())
            return BertConfig.preset(self.preset, vocab_size, max_position_embeddings=max(512, longest), **changes)
        if not Path(self.preset).is_file():
            raise ValueError(f"preset must be one of {', '.join(PRESETS)} or the path of a config.json, not {self.preset!r}")
        return dataclasses.replace(BertConfig.from_json_file(self.preset), vocab_size=vocab_size, **changes)


class RunFolder:
    """A run's folder, opened for one process that writes; a second one is refused as long as this one lives."""

    def __init__(self, path: str | Path, settings: Settings | None = None, writes: bool = True, given: dict | None = None):
        """`settings` begin a new run, None opens the one that is there. Raises a ValueError where that does not fit.

        `given` is what else was asked for when the run began, such as how often it logs; `remembered` gives it back.

        Of several processes that work on one run, the first one opens and prepares the folder; then the others open it
        with `writes` False.
        """
        self.writes = writes
        self.path = Path(path)
        self._made: list[Path] = []         # by this process; what was there before is somebody's work
        self.checkpoints, self.model, self.log = (self.path / name for name in ("checkpoints", "model", "log.jsonl"))
        begun = (self.path / "run.json").is_file()
        if settings is None and not begun:
            raise ValueError(f"there is no run to resume in {path}: it has no run.json. Without --resume a new run begins there")
        if settings is not None and (begun or self.checkpoints.exists() or self.model.exists()):
            raise ValueError(f"{path} already holds a run: go on with it by --resume, or name another folder with --out")
        sources = _sources(settings) if settings else {}            # complains before anything is written
        if writes:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self.path)
            for leftover in chain.from_iterable(self.path.glob(pattern) for pattern in LEFTOVERS):
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        if begun:
            self.record = self._read_record()
        else:
            self.record = {"settings": dataclasses.asdict(settings), "given": given or {}, "sources": sources, "sessions": []}
            self._write_record()
        self.settings = Settings.from_dict(self.record["settings"])

    # -- run.json ----------------------------------------------------------------------------------------------

    def _read_record(self) -> dict:
        path = self.path / "run.json"
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            Settings.from_dict(record["settings"]), record["sources"], record["sessions"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} is not what minibert wrote there ({error}): the run cannot go on") from error
        return record

    def _write_record(self) -> None:
        if self.writes:
            replace_file(self.path / "run.json", json.dumps(self.record, indent=2) + "\n")

    @property
    def sessions(self) -> list[dict]:
        """How the run was started and went on, the last time last."""
        return self.record["sessions"]

    @property
    def remembered(self) -> dict:
        """What was asked for the last time, or when the run began: a run may be killed before its first session."""
        return self.sessions[-1]["given"] if self.sessions else self.record.get("given", {})

    def add_session(self, session: dict) -> None:
        self.sessions.append(session)
        self._write_record()

    def note(self, name: str, value: Callable[[], object]) -> object:
        """A value that is found out the first time, and the same for ever."""
        if name not in self.record:
            self.record[name] = value()
            self._write_record()
        return self.record[name]

    def _keep(self, name: str, found) -> None:
        """Note a digest the first time; later it must be the same."""
        known = self.record.setdefault("digests", {})
        if known.setdefault(name, found) != found:
            raise ValueError(f"{self.path / name} is not the one that this run began with: put that back, or begin a new run with another --out")

    def abandon(self) -> None:
        """Take away what was made of a new run that could not begin, so that the same folder can be named again."""
        for path in (self.path / "run.json", *self._made):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    # -- vocabulary and tokens ---------------------------------------------------------------------------------

    def prepare(self) -> tuple[WordPieceTokenizer, TokenFile, TokenFile | None]:
        """The vocabulary, the text to train on and the held-out text (None without any); what is there already is used again.

        Raises a ValueError when something of it is not what the run began with.
        """
        for source, digest in self.record["sources"].items():
            if Path(source).is_file() and sha256(Path(source)) != digest:
                raise ValueError(f"{source} has changed since this run began: put the old text back, or begin a new run with another --out")
        tokenizer = self._vocabulary()
        training = self._tokens("train.tokens", tokenizer, lambda: self._documents("train"))
        held_out = None
        if self.settings.held_out != NO_HELD_OUT:
            try:
                held_out = self._tokens("valid.tokens", tokenizer, lambda: self._documents("valid"))
            except ValueError as error:
                raise ValueError(f"the held-out text: {error} (--held-out names other text for it, or none)") from error
        self._write_record()
        return tokenizer, training, held_out

    def _documents(self, split: str) -> Iterator[list[str]]:
        """The documents of one part of the text, with a progress bar."""
        paths = self.settings.corpus
        if split == "valid" and self.settings.held_out:
            paths, split = self.settings.held_out, "all"
        found = documents(_one_or_list(paths), split, sentence_per_line=self.settings.sentence_per_line)
        return iter(tqdm(found, desc=f"reading the text ({split})", unit=" documents", disable=None, leave=False))

    def _vocabulary(self) -> WordPieceTokenizer:
        folder, settings = self.path / "vocabulary", self.settings
        if not folder.is_dir():
            if settings.start or settings.vocab:
                tokenizer = open_vocabulary(settings.start or settings.vocab)
            else:
                size = settings.vocab_size or VOCAB_SIZES.get(settings.preset, VOCAB_SIZE)
                sentences = islice(chain.from_iterable(self._documents("train")), SENTENCES_FOR_VOCABULARY)
                tokenizer = WordPieceTokenizer.train(sentences, size)
            writing = self.path / f".vocabulary-{secrets.token_hex(4)}"
            tokenizer.save(writing)
            for path in (*writing.iterdir(), writing):
                sync(path)
            os.rename(writing, folder)
            self._made.append(folder)
            sync(self.path)
        self._keep("vocabulary/vocab.txt", sha256(folder / "vocab.txt"))
        return WordPieceTokenizer.from_pretrained(folder)

    def _tokens(self, name: str, tokenizer: WordPieceTokenizer, text) -> TokenFile | None:
        """A token file, written if it is not there; None if there is no text."""
        path = self.path / name
        if not path.is_file():
            found = text()
            first = next(found, None)
            if first is None:
                return None
            write_tokens(path, (tokenizer.encode_texts(document) for document in chain([first], found)), tokenizer.vocab_size)
            self._made.append(path)
        try:
            tokens = TokenFile(path, check=self.writes)
        except ValueError as error:
            raise ValueError(f"{error} (delete it, and --resume makes it again)") from error
        self._keep(name, tokens.checksum)
        return tokens

    # -- the log -----------------------------------------------------------------------------------------------

    def cut_log(self, step: int) -> dict | None:
        """Take away what was logged after a step, or only half; returns the last record that stays."""
        kept = [record for record in read_log(self.log) if record["step"] <= step] if self.log.is_file() else []
        replace_file(self.log, "".join(json.dumps(record) + "\n" for record in kept))
        return kept[-1] if kept else None


def read_log(path: str | Path) -> list[dict]:
    """The records of a log.jsonl, in order; a last line that was cut short is left out."""
    records = []
    for line in Path(path).read_text(encoding="utf-8").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("step"), int):
            records.append(record)
    return records


def _lock(folder: Path):
    """The open lock file of a folder; the system frees it when this process ends, however it ends."""
    try:
        import fcntl
    except ImportError:         # Windows
        return None
    file = open(folder / ".lock", "w", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise ValueError(f"another process is at work in {folder}: wait for its end, or end it") from error
    except OSError:             # a file system without locks
        pass
    return file


def _sources(settings: Settings) -> dict[str, str]:
    """The text files of a run and their sha256; none for a corpus that is known by a name."""
    found = {}
    for paths in (settings.corpus, () if settings.held_out == NO_HELD_OUT else settings.held_out):
        if paths and not (len(paths) == 1 and paths[0] in (DEFAULT, *HUB_SETS)):
            try:
                files = find_files(list(paths))
            except ValueError as error:
                raise ValueError(f"{error}; the corpora known by name are {', '.join([DEFAULT, *HUB_SETS])}") from error
            found |= {str(path.resolve()): sha256(path) for path in files}
    return found


def _one_or_list(paths: tuple[str, ...]) -> str | list[str]:
    return paths[0] if len(paths) == 1 else list(paths)


def open_vocabulary(name: str) -> WordPieceTokenizer:
    """The vocabulary in a vocab.txt, or of the model in a folder or of a name."""
    return WordPieceTokenizer.from_vocab_file(name) if Path(name).is_file() else WordPieceTokenizer.from_pretrained(name)


def code_digest() -> str:
    """A sha256 over all source files of the package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
