"""Search for files that a reader neither reads nor refuses with an InputError.

    python tests/robustness/fuzz.py --minutes 30      # writes fuzz.json, and what it finds into findings/

Real files are changed a little, again and again; a change that reaches a line of minibert which none before has reached
is kept and changed further. The seed is in the log: pass another one with --seed. What is found stays in findings/, where
test_fuzz.py reads it for good.
"""

import argparse
import contextlib
import hashlib
import json
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "benchmarks")]

import log
import torch
from forked_command import Forker
from hostile_world import build
from mutations import mutated

from minibert import from_pretrained
from minibert.config import InputError
from minibert.data import TokenFile
from minibert.data.corpora import documents
from minibert.finetuning.model_io import open_finetuned
from minibert.finetuning.sentence_vectors.validation import read_judged_pairs
from minibert.finetuning.tables.examples import find_columns, make_examples
from minibert.finetuning.tables.files import read_table
from minibert.finetuning.tasks.registry import task_names
from minibert.hub.pretrained_io import read_config
from minibert.inference.minimal_pairs import read_blimp
from minibert.inference.passage_cache import PassageCache
from minibert.inference.passage_search import passages_of
from minibert.pretraining.run_dir import RunDir
from minibert.summarization.convert.converter import convert_bertsum
from minibert.summarization.documents.reading import read_file
from minibert.tokenization import WordPieceTokenizer

PACKAGE = str(ROOT / "minibert")
SECONDS = 20  # of processor time, with every line traced, that an input of at most 100 kB may take


class TooSlow(BaseException):
    """An input that takes longer than SECONDS."""


@dataclass
class Target:
    """A reader, and the file of the hostile world that is changed for it."""

    file: str
    kind: str  # how it is changed: see mutations
    read: Callable[[Path], Any]
    inputs: int = 0
    refused: int = 0
    kept: list[bytes] = field(default_factory=list)
    lines: set[tuple[str, int]] = field(default_factory=set)
    findings: dict[str, str] = field(default_factory=dict)  # the place of an error, and its text

    def row(self) -> dict:
        counts = {"inputs": self.inputs, "refused": self.refused, "lines": len(self.lines)}
        return counts | {"kept": len(self.kept), "findings": sorted(self.findings)}


def _tokenizer(path: Path) -> None:
    WordPieceTokenizer.from_pretrained(path.parent)


def _corpus(path: Path) -> None:
    list(documents(path, split="all"))


def _model(path: Path) -> None:
    from_pretrained(path.parent)


def _table(path: Path) -> None:
    table = read_table(path)
    for task in task_names():
        with contextlib.suppress(InputError):
            make_examples(task, table, find_columns(task, table, {}))


def _document(path: Path) -> None:
    document = read_file(path)
    for sentence in document.sentences:
        assert document.text[sentence.start : sentence.end] == sentence.text
    passages = passages_of(path.read_text("utf-8", "replace"), path)
    assert all(1 <= passage.line <= passage.end_line for passage in passages)


def _cached(path: Path) -> None:
    cache = PassageCache(path.parent.parent / "model", path.parent)
    cache.folder = path.parent
    assert (cache.read(path.stem, path, 2) is None) == bool(cache.notes)


TARGETS = {
    "config": Target("model/config.json", "json", lambda path: read_config(path.parent)),
    "weights": Target("model/model.safetensors", "safetensors", _model),
    "shards": Target("sharded/model.safetensors.index.json", "json", _model),
    "tuned": Target("tuned/finetuning.json", "json", lambda path: open_finetuned(path.parent)),
    "tuned config": Target("tuned/config.json", "json", lambda path: open_finetuned(path.parent)),
    "vocabulary": Target("model/vocab.txt", "text", _tokenizer),
    "tokenizer": Target("one-file/tokenizer.json", "json", _tokenizer),
    "tokenizer config": Target("model/tokenizer_config.json", "json", _tokenizer),
    "run": Target("run/run.json", "json", lambda path: RunDir.open(path.parent, writes=False)),
    "tokens": Target("run/train.tokens", "tokens", lambda path: TokenFile(path).document_bounds()),
    "corpus": Target("corpus.txt", "text", _corpus),
    "corpus of lines": Target("corpus.jsonl", "jsonl", _corpus),
    "corpus, gzip": Target("corpus.txt.gz", "text", _corpus),
    "corpus, xz": Target("corpus.txt.xz", "text", _corpus),
    "csv": Target("reviews.csv", "text", _table),
    "tsv": Target("reviews.tsv", "text", _table),
    "json rows": Target("reviews.jsonl", "jsonl", _table),
    "questions": Target("questions.jsonl", "jsonl", _table),
    "choices": Target("choices.jsonl", "jsonl", _table),
    "conll": Target("tags.conll", "text", _table),
    "judged pairs": Target("judged.tsv", "text", read_judged_pairs),
    "blimp": Target("blimp/one.jsonl", "jsonl", lambda path: read_blimp(path.parent)),
    "text": Target("page.txt", "text", _document),
    "markdown": Target("page.md", "markdown", _document),
    "html": Target("page.html", "html", _document),
    "cache": Target("cache/kept.safetensors", "safetensors", _cached),
    "pickle": Target("old/new.pt", "zip", convert_bertsum),
    "old pickle": Target("old/legacy.pt", "pickle", convert_bertsum),
}


def more_files(world: Path) -> None:
    """What the hostile world lacks: an entry of search's cache, pickles, longer pages."""
    from safetensors.torch import save_file

    (world / "cache").mkdir()
    passages = [{"text": "The film was good.", "line": n + 1, "end_line": n + 2} for n in range(3)]
    save_file(
        {"vectors": torch.ones(3, 2)},
        world / "cache" / "kept.safetensors",
        metadata={"passages": json.dumps(passages)},
    )
    (world / "old").mkdir()
    content = {
        "model": {"bert.model.embeddings.word_embeddings.weight": torch.ones(3, 4)},
        "opt": argparse.Namespace(ext_heads=2, ext_layers=1, large=False),
    }
    torch.save(content, world / "old" / "new.pt")
    torch.save(content, world / "old" / "legacy.pt", _use_new_zipfile_serialization=False)
    for name in ("page.html", "page.md"):
        ferry = name.replace("page", "ferry")
        page = (ROOT / "tests" / "support" / "documents" / ferry).read_text("utf-8")
        (world / name).write_text(page, encoding="utf-8")


class Fuzzer:
    """Changed files for the targets, in a folder of their own."""

    def __init__(self, world: Path, folder: Path, seed: int) -> None:
        self.draw, self.folder = random.Random(seed), folder
        self.found: list[tuple[str, bytes]] = []
        for target in TARGETS.values():
            top = Path(target.file).parts[0]
            if not (folder / top).exists():
                (shutil.copytree if (world / top).is_dir() else shutil.copy)(
                    world / top, folder / top
                )
            target.kept = [(folder / target.file).read_bytes()]

    def try_one(self, name: str, data: bytes | None = None) -> str | None:
        """Try a change of a target's file, or the data given; returns the traceback of a new finding."""
        target = TARGETS[name]
        path, original = self.folder / target.file, target.kept[0]
        if data is None:
            data = mutated(self.draw.choice(target.kept), target.kept, self.draw, target.kind)
        path.write_bytes(data)
        before, found = len(target.lines), None
        try:
            with traced(target.lines):
                found = attempt(target, path)
        finally:
            path.write_bytes(original)
        target.inputs += 1
        if found:
            if found.splitlines()[-1] in target.findings:
                return None
            target.findings[found.splitlines()[-1]] = found
            self.found.append((name, data))
        elif len(target.lines) > before:
            target.kept.append(data)
        return found


def attempt(target: Target, path: Path) -> str | None:
    """The error that must not be, as text; None if the file was read or refused."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        target.read(path)
    except InputError as error:
        target.refused += 1
        if not str(error).strip():
            return "an InputError that says nothing"
    except (Exception, TooSlow) as error:
        frames = [
            f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)
        ]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
        return traceback.format_exc() + f"{type(error).__name__} in {place}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


@contextlib.contextmanager
def traced(lines: set[tuple[str, int]]):
    """Collect the lines of minibert that are run inside the block."""

    def inside(frame, event, _):
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return inside

    def called(frame, event, _):
        return inside if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


def be_limited() -> None:
    """Let an endless loop and an enormous allocation raise an exception."""

    def stop(*_):
        raise TooSlow

    signal.signal(signal.SIGVTALRM, stop)
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=TARGETS, nargs="+", default=list(TARGETS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for made in (world := Path(folder, "world"), copy := Path(folder, "copy")):
            made.mkdir()
        forker = Forker(Path(folder))
        build(world, forker)
        forker.close()
        more_files(world)
        fuzzer = Fuzzer(world, copy, given.seed)
        be_limited()
        started = time.monotonic()
        while (spent := time.monotonic() - started) < given.minutes * 60:
            for name in given.only:
                share = time.monotonic() + 2
                while time.monotonic() < share:
                    if found := fuzzer.try_one(name):
                        print(f"{spent / 60:.1f} min, {name}: {found}", flush=True)
                        digest = hashlib.sha256(data := fuzzer.found[-1][1]).hexdigest()[:8]
                        case = f"{name.replace(' ', '_')}.{digest}"
                        (HERE / "findings" / case).write_bytes(data)
    rows = {name: TARGETS[name].row() for name in given.only}
    used = resource.getrusage(resource.RUSAGE_SELF)
    about = {
        "command": f"python tests/robustness/fuzz.py --minutes {given.minutes:g} --seed {given.seed}",
        "versions": log.versions(),
        "machine": log.machine(),
        "processor_minutes": round((used.ru_utime + used.ru_stime) / 60, 1),
        "rows": rows,
    }
    (HERE / "fuzz.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return int(any(row["findings"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
