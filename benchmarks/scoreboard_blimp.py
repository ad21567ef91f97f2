"""BLiMP for `scoreboard.py`: minibert-small, the same model untrained, and a guess by the frequency of words.

The guess, "unigram", scores a sentence by the sum of the log-frequencies of its tokens in an eighth of the text that
minibert-small learned from. It knows no grammar: it prefers the sentence with the more frequent and with the fewer tokens.
The untrained model has three seeds and is tested on UNTRAINED pairs of each paradigm, because it is only compared with chance.
Paradigms that are done are kept in CACHE, one file each, so a run that was stopped goes on where it was.
"""

import json
import lzma
import tempfile
import time
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import fmean

import log
import torch
from finetuning_data import FOLDER, found

from minibert import BertForPreTraining, WordPieceTokenizer, from_pretrained
from minibert.hub.find_pretrained import DIGESTS, SMALL
from minibert.inference.minimal_pairs import (
    MinimalPair,
    by_paradigm,
    compare_pairs,
    read_blimp,
    sample_pairs,
    summarize_paradigms,
)
from minibert.inference.pseudo_likelihood import score_sentences

CACHE = Path(tempfile.gettempdir()) / "minibert-scoreboard"
TEXT = log.ROOT.parent / "shared" / "corpus" / "train-00.jsonl.xz"  # for the unigram guess
SAMPLE = 10  # pairs of each paradigm that --check makes anew
UNTRAINED = 100  # pairs of each paradigm that the untrained model is tested on
Score = Callable[[list[str]], list[float]]


@cache
def pairs() -> list[MinimalPair]:
    found("blimp/blimp.jsonl.xz")  # or a ValueError that says where the data is
    return read_blimp(FOLDER / "blimp")


@cache
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer.from_pretrained(SMALL)


@cache
def unigram() -> Score:
    """The sum of the log-frequencies of a text's tokens; every token counts once more than it occurs."""
    if not TEXT.is_file():
        raise ValueError(
            f"there is no {TEXT.name} in {TEXT.parent}: the corpus is on the developers' machines only"
        )
    counts = torch.ones(tokenizer().vocab_size, dtype=torch.float64)  # [V]
    with lzma.open(TEXT, "rt", encoding="utf-8") as file:
        for line in file:
            ids = torch.tensor(tokenizer().encode_texts([json.loads(line)["text"]])[0])
            counts += torch.bincount(ids, minlength=len(counts))
    values = (counts / counts.sum()).log().tolist()
    return lambda texts: [
        sum(values[token] for token in ids) for ids in tokenizer().encode_texts(texts)
    ]


def scorer(who: str, seed: int | None, device: str = "cpu") -> Score:
    """The function that scores texts for a row."""
    if who == "unigram":
        return unigram()
    model = from_pretrained(SMALL)
    if who == "untrained":
        torch.manual_seed(seed)
        model = BertForPreTraining(model.config)
    model.to(device).eval()
    return lambda texts: [one.total for one in score_sentences(model, tokenizer(), texts)]


def measure(who: str, seed: int | None, device: str = "cpu") -> dict:
    """Accuracies; `sample` is the accuracy over the pairs that `sampled` draws."""
    score, results, phenomenon = None, {}, {}
    tested = sample_pairs(pairs(), UNTRAINED, 0) if who == "untrained" else pairs()
    groups = by_paradigm(tested)
    for number, (name, some) in enumerate(groups.items(), start=1):
        phenomenon[name] = some[0].phenomenon
        path = _kept(who, seed, name, some)
        if not path.is_file():
            score = score or scorer(who, seed, device)
            results[name] = paradigm(some, score)
            CACHE.mkdir(exist_ok=True)
            path.write_text(json.dumps(results[name]), encoding="utf-8")
            print(f"{who}, seed {seed}: {number} of {len(groups)}, {name}", flush=True)
        results[name] = json.loads(path.read_text(encoding="utf-8"))
    scores = summarize_paradigms(
        {name: one["accuracy"] for name, one in results.items()}, phenomenon, len(tested)
    )
    return {
        "score": round(scores.accuracy, 4),
        "sample": round(fmean(one["sample"] for one in results.values()), 4),
        "pairs": scores.pairs,
        "ties": sum(one["ties"] for one in results.values()),
        "phenomena": {name: round(value, 4) for name, value in scores.phenomena.items()},
        "paradigms": {name: round(value, 4) for name, value in scores.paradigms.items()},
        "cpu_seconds": round(sum(one["cpu_seconds"] for one in results.values()), 1),
    }


def paradigm(some: list[MinimalPair], score: Score) -> dict:
    """The accuracy over the pairs of one paradigm, and over its sample."""
    started = time.process_time()
    texts = [text for pair in some for text in (pair.good, pair.bad)]
    value = dict(zip(texts, score(texts), strict=True))

    def accuracy(chosen: list[MinimalPair]) -> float:
        return compare_pairs(chosen, lambda asked: [value[text] for text in asked]).accuracy

    return {
        "accuracy": accuracy(some),
        "sample": accuracy(sample_pairs(some, SAMPLE, 0)),
        "ties": sum(value[pair.good] == value[pair.bad] for pair in some),
        "cpu_seconds": time.process_time() - started,
    }


def sampled(who: str, seed: int | None, device: str = "cpu") -> dict:
    """For --check: the accuracy over SAMPLE pairs of each paradigm."""
    scores = compare_pairs(sample_pairs(pairs(), SAMPLE, 0), scorer(who, seed, device))
    return {"sample": round(scores.accuracy, 4)}


def published(column: str) -> dict:
    """The accuracies of a published model, from the authors' file of results."""
    rows = found("blimp/models_summary.jsonl").read_text(encoding="utf-8").splitlines()
    results = [row for row in map(json.loads, rows) if row["UID"] != "overall"]
    scores = summarize_paradigms(
        {row["UID"]: row[column] for row in results},
        {row["UID"]: row["linguistics_term"] for row in results},
        0,
    )
    return {
        "score": round(scores.accuracy, 4),
        "phenomena": {name: round(value, 4) for name, value in scores.phenomena.items()},
    }


def _kept(who: str, seed: int | None, name: str, some: list[MinimalPair]) -> Path:
    """Where the result of a paradigm is kept: another model or other pairs have another file."""
    digest = zlib.crc32(f"{DIGESTS[SMALL]} {[vars(pair) for pair in some]}".encode())
    return CACHE / f"BLiMP, {who}, seed {seed}, {name}, {digest:08x}.json"
