"""The readers that are fuzzed, each with the file that is changed for it."""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import torch

from minibert import from_pretrained
from minibert.config import InputError
from minibert.data import TokenFile
from minibert.data.corpora import documents
from minibert.data.wikipedia.cache import cached
from minibert.finetuning.model_io import open_finetuned
from minibert.finetuning.sentence_vectors.preparation import SentenceRunDir, read_texts
from minibert.finetuning.sentence_vectors.teacher import make_targets
from minibert.finetuning.sentence_vectors.validation import read_judged_pairs
from minibert.finetuning.tables.examples import find_columns, make_examples
from minibert.finetuning.tables.files import read_table
from minibert.finetuning.tasks.registry import task_names
from minibert.hub.pretrained_io import read_config
from minibert.inference.minimal_pairs import read_blimp
from minibert.inference.passage_cache import PassageCache
from minibert.inference.passage_search import passages_of
from minibert.pretraining.checkpointing import damage
from minibert.pretraining.run_dir import RunDir
from minibert.summarization.convert.converter import convert_bertsum
from minibert.summarization.documents.reading import read_file
from minibert.tokenization import WordPieceTokenizer


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


def _sentences_run(path: Path) -> None:
    SentenceRunDir.open(path.parent, writes=False)


def _teacher(path: Path) -> None:
    run_dir = SentenceRunDir.open(path.parents[1], writes=False)
    texts = read_texts(path.parents[1] / "texts.txt", "", 1)
    words = [item[0] for item in texts.items]
    targets = make_targets(run_dir, words, "model", 16, 100, "cpu", lambda: False)
    assert targets and targets.rows(range(len(words))).isfinite().all()


def _checkpoint(path: Path) -> None:
    damage(path.parent)


def _corpus_cache(path: Path) -> None:
    with patch.dict(os.environ, MINIBERT_CACHE_DIR=str(path.parent)):
        assert list(cached(path.name, lambda: [{"text": "a"}])) == [{"text": "a"}]


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
    "sentences run": Target("begun/run.json", "json", _sentences_run),
    "teacher": Target("begun/teacher/vectors-00000.safetensors", "safetensors", _teacher),
    "projection": Target("begun/teacher/projection.safetensors", "safetensors", _teacher),
    "chosen texts": Target("begun/texts.txt", "text", lambda path: read_texts(path, "", 1)),
    "checkpoint": Target("run/checkpoints/step-00000002/training.json", "json", _checkpoint),
    "corpus cache": Target("cleaned/articles.xz", "text", _corpus_cache),
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
    (world / "cleaned").mkdir()
    _corpus_cache(world / "cleaned" / "articles.xz")
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
