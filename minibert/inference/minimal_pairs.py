"""Minimal pairs: does a model find the grammatical sentence more probable than its neighbour?

BLiMP (Warstadt et al. 2020) has 67 paradigms of 1,000 pairs, which belong to 12 phenomena of
English grammar. The two sentences of a pair differ as little as possible, and only one is
grammatical.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from minibert.config import InputError
from minibert.data.files import json_lines
from minibert.hub.find_pretrained import expanded
from minibert.inference.pseudo_likelihood import score_sentences
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

WHOLE = ("blimp.jsonl.xz", "blimp.jsonl.gz", "blimp.jsonl")  # all paradigms in one file
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")
NOT_PAIRS = "models_summary"  # published results, which lie beside the pairs
MERGED = {"s-selection": "argument_structure"}  # as in the paper and its tables
NAMES = ("UID", "linguistics_term", "sentence_good", "sentence_bad")  # in each line of a file


@dataclass(frozen=True)
class MinimalPair:
    """A grammatical sentence, and one that differs in little and is not."""

    paradigm: str  # such as "adjunct_island"
    phenomenon: str  # such as "island_effects"
    good: str
    bad: str


@dataclass(frozen=True)
class PairScores:
    """Accuracies, between 0 and 1. Equal scores for both sentences count as half a right answer."""

    paradigms: dict[str, float]
    phenomena: dict[str, float]  # of each, the mean over its paradigms
    accuracy: float  # the mean over all paradigms, as published
    pairs: int


def read_blimp(folder: str | Path) -> list[MinimalPair]:
    """The pairs in a folder: blimp.jsonl.xz, or a .jsonl file for each paradigm, as published.

    The files may be compressed (.gz, .xz), and the published repository, whose files are in
    `data/`, may be given itself. Raises an InputError with file and line for what is not a pair,
    and for a folder without pairs.
    """
    given = expanded(folder)
    if not given.is_dir():
        raise InputError(f"there is no folder {str(folder)!r}: expected the folder of BLiMP")
    for place in (given, given / "data"):
        files = [place / name for name in WHOLE if (place / name).is_file()][:1] or sorted(
            path
            for path in place.glob("*.jsonl*")
            if path.is_file()
            and path.name.endswith(SUFFIXES)
            and not path.name.startswith(NOT_PAIRS)
        )
        if pairs := [pair for path in files for pair in _read_pairs(path)]:
            return pairs
    raise InputError(
        f"the folder {folder} has neither blimp.jsonl.xz nor a .jsonl file for each paradigm, with "
        "a pair on each line"
    )


def sample_pairs(pairs: Iterable[MinimalPair], limit: int, seed: int) -> list[MinimalPair]:
    """At most `limit` pairs of each paradigm, drawn at random by the seed, in their order.

    The draw of a paradigm does not depend on the others.
    """
    if limit < 1:
        raise InputError(f"limit must be at least 1, not {limit}")
    chosen = []
    for paradigm, some in by_paradigm(pairs).items():
        order = random.Random(f"{seed} {paradigm}").sample(range(len(some)), min(limit, len(some)))
        chosen += [some[number] for number in sorted(order)]
    return chosen


def by_paradigm(pairs: Iterable[MinimalPair]) -> dict[str, list[MinimalPair]]:
    """The pairs of each paradigm, in the order in which the paradigms first occur."""
    found: dict[str, list[MinimalPair]] = {}
    for pair in pairs:
        found.setdefault(pair.paradigm, []).append(pair)
    return found


def evaluate_pairs(
    model: BertPreTrainedModel,
    tokenizer: WordPieceTokenizer,
    pairs: Sequence[MinimalPair],
    *,
    within_word: bool = False,
    progress: bool = False,
) -> PairScores:
    """How often a model gives the grammatical sentence the higher pseudo-log-likelihood.

    The arguments are those of `score_sentences`. Raises an InputError for no pairs, and where
    `score_sentences` does.
    """

    def score(texts: list[str]) -> list[float]:
        found = score_sentences(model, tokenizer, texts, within_word=within_word, progress=progress)
        return [sentence.total for sentence in found]

    return compare_pairs(pairs, score)


def compare_pairs(
    pairs: Sequence[MinimalPair], score: Callable[[list[str]], list[float]]
) -> PairScores:
    """The accuracies of any function that scores texts; it is called once, for all sentences."""
    if not pairs:
        raise InputError("there are no pairs to compare")
    phenomenon: dict[str, str] = {}
    for pair in pairs:
        known = phenomenon.setdefault(pair.paradigm, pair.phenomenon)
        if known != pair.phenomenon:
            raise InputError(
                f"the paradigm {pair.paradigm!r} belongs to one phenomenon, but its pairs name "
                f"{known!r} and {pair.phenomenon!r}"
            )
    values = score([text for pair in pairs for text in (pair.good, pair.bad)])
    right: dict[str, list[float]] = {}
    for pair, good, bad in zip(pairs, values[::2], values[1::2], strict=True):
        right.setdefault(pair.paradigm, []).append(
            1.0 if good > bad else 0.5 if good == bad else 0.0
        )
    return summarize_paradigms(
        {name: fmean(one) for name, one in right.items()}, phenomenon, len(pairs)
    )


def summarize_paradigms(
    paradigms: dict[str, float], phenomenon: dict[str, str], pairs: int
) -> PairScores:
    """The means over paradigms; `phenomenon` says to which one each paradigm belongs."""
    groups: dict[str, list[float]] = {}
    for name, accuracy in paradigms.items():
        groups.setdefault(phenomenon[name], []).append(accuracy)
    phenomena = {name: fmean(groups[name]) for name in sorted(groups)}
    return PairScores(paradigms, phenomena, fmean(paradigms.values()), pairs)


def _read_pairs(path: Path) -> list[MinimalPair]:
    return [_pair(row, f"{path}, line {number}") for number, row in json_lines(path)]


def _pair(row: object, place: str) -> MinimalPair:
    if not isinstance(row, dict):
        raise InputError(f"{place}: expected an object with the names {', '.join(NAMES)}")
    for name in NAMES:
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise InputError(f"{place}: expected a text under {name!r}, found {row.get(name)!r}")
    paradigm, phenomenon, good, bad = (row[name] for name in NAMES)
    return MinimalPair(paradigm, MERGED.get(phenomenon, phenomenon), good, bad)
