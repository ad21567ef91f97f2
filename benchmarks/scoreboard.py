"""The scoreboard: minibert-small, its untrained control and simpler controls, beside published models.

    python benchmarks/scoreboard.py                # measure what is missing, write logs/scoreboard.json
    python benchmarks/scoreboard.py --only blimp   # measure this column; keep the others as they are in the log
    python benchmarks/scoreboard.py --check        # make the cheap rows anew, fail outside the bands

Columns are BLiMP (scoreboard_blimp.py) and CoLA (scoreboard_cola.py), measured here; SST-2, STS-B, TREC and WNUT17, taken
from logs/equal_search.json and logs/finetuning.json; masked words and the next sentence, from logs/shipped.json. Published results are in
published.toml. `--threads` and `--device` say where to compute: the GPU changes the last digits.

A row with a seed is one measurement. A row without one is a cell of the table: `score` is the mean over its `runs`, `low` and
`high` are the lowest and the highest. Of CoLA the learning rate is chosen for each model by its mean on dev.
Rows that are done are kept in the folder minibert-scoreboard of the system's temporary folder; delete it after a change of the code.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; --threads overrides it

import argparse
import json
import sys
import time
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import fmean

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import scoreboard_blimp as blimp
import scoreboard_cola as cola
import torch

from minibert.cli.common import device_kind
from minibert.hub.find_pretrained import DIGESTS, SMALL

SEEDS = (0, 1, 2)
PUBLISHED = Path(__file__).resolve().parent / "published.toml"
SETS = ("SST-2", "STS-B", "TREC", "WNUT17")
# Ways to read a pair: of each learner the one counts that is better on dev
WAYS = {"STS-B": ("STS-B", "STS-B together")}
LEARNERS = ("minibert-small", "untrained")
FROM_SHIPPED = {  # cell -> rows of logs/shipped.json, and the value in them
    "masked words, minibert-small": ("masked words", "top1"),
    "masked words, untrained": ("untrained, masked words", "top1"),
    "masked words, unigram": ("unigram guess", "top1"),
    "next sentence, minibert-small": ("next sentence", "accuracy"),
    "next sentence, untrained": ("untrained, next sentence", "accuracy"),
}
Row = tuple[str, int | None]

# By the name that --only takes; of each group the measurements first, then the cells made of them.
GROUPS: dict[str, list[Row]] = {
    "blimp": [
        ("BLiMP, minibert-small", None),
        *(("BLiMP, untrained", seed) for seed in SEEDS),
        ("BLiMP, untrained", None),
        ("BLiMP, unigram", None),
    ],
    "cola": [
        *(
            (f"CoLA, {who}, {rate:g}", seed)
            for who in LEARNERS
            for rate in cola.RATES
            for seed in SEEDS
        ),
        *((f"CoLA, {who}", None) for who in (*LEARNERS, "majority", "bag of words")),
    ],
    "logs": [
        *(
            (f"{name}, {who}", None)
            for name in SETS
            for who in (*LEARNERS, "minibert-sentences", "majority", "bag of words", "MiniLM")
        ),
        *((cell, None) for cell in FROM_SHIPPED),
    ],
    "published": [
        (f"{one['column']}, {one['name']}", None)
        for one in tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["result"]
    ],
}
ROWS = [row for rows in GROUPS.values() for row in rows]
BANDS = {
    "BLiMP, minibert-small": {"score": (0.55, 1.0)},
    "BLiMP, untrained": {"score": (0.35, 0.65)},
    "CoLA, majority": {"score": (0, 0)},
    "CoLA, untrained": {"score": (-0.1, 0.3)},
    **{f"BLiMP, {name}": {"score": (0.6, 0.9)} for name in ("5-gram", "LSTM", "GPT-2 large")},
}
TOLERANCE = {"score": 0.005, "sample": 0.005, "dev": 0.005}
NOT_CHECKED = {
    "BLiMP, untrained",
    "CoLA, minibert-small",
    "CoLA, untrained",
}  # cells that cost hours


class Scoreboard:
    """The rows as they are measured; `old` are those of the log, by variant and seed."""

    def __init__(self, only: list[str], checking: bool, device: str, old: list[dict]):
        self.only, self.checking, self.device = only, checking, device
        self.old = {(row["variant"], row["seed"]): row for row in old}
        self.made: dict[Row, dict] = {}

    def rows(self) -> list[Row]:
        """The rows that can be written: those of the chosen groups, and those of the log."""
        if self.checking:
            return [row for row in self.old if row[1] is None and row[0] not in NOT_CHECKED]
        chosen = {row for name in self.only for row in GROUPS[name]}
        return [row for row in ROWS if row in chosen or row in self.old]

    def measure(self, variant: str, seed: int | None) -> dict:
        """One row: measured, taken from another log, or kept from the old one."""
        group = next(name for name, rows in GROUPS.items() if (variant, seed) in rows)
        if not self.checking and group not in self.only:
            old = self.old[variant, seed]
            values = {key: old[key] for key in old if key not in ("variant", "seed", "seconds")}
        else:
            values = getattr(self, f"_{group}")(*variant.split(", "), seed=seed)
        self.made[variant, seed] = values
        return values

    def _blimp(self, _: str, who: str, *, seed: int | None) -> dict:
        if self.checking:
            return blimp.sampled(who, seed, self.device)
        if who == "untrained" and seed is None:
            rows = [self.made[f"BLiMP, {who}", seed] for seed in SEEDS]
            phenomena = {
                name: round(fmean(row["phenomena"][name] for row in rows), 4)
                for name in rows[0]["phenomena"]
            }
            return cell([row["score"] for row in rows]) | {"phenomena": phenomena}
        values = blimp.measure(who, seed, self.device)
        return values if seed is not None else values | cell([values["score"]])

    def _cola(self, _: str, who: str, rate: str | None = None, *, seed: int | None) -> dict:
        if rate:
            name = f"CoLA, {who}, {rate}, seed {seed}, {cola.EPOCHS} epochs"
            return kept(name, lambda: cola.measure(who, float(rate), seed, self.device))
        if who not in LEARNERS:
            values = cola.control(who)
            return values | cell([values["score"]])
        tried = {
            rate: [self.made[f"CoLA, {who}, {rate:g}", seed] for seed in SEEDS]
            for rate in cola.RATES
        }
        rate = max(tried, key=lambda rate: fmean(row["dev"] for row in tried[rate]))
        return cell([row["score"] for row in tried[rate]]) | {"learning_rate": rate}

    def _logs(self, name: str, who: str, *, seed: None) -> dict:
        if name in SETS:
            if who not in LEARNERS:  # these two have a search of their own
                return cell([row["test"] for row in read_rows("finetuning", f"{name}, {who}")])
            tried = {
                way: read_rows("equal_search", f"{way}, {who}, chosen")
                for way in WAYS.get(name, (name,))
            }
            way = max(tried, key=lambda way: fmean(row["dev"] for row in tried[way]))
            return cell([row["test"] for row in tried[way]])
        variant, value = FROM_SHIPPED[f"{name}, {who}"]
        return cell([row[value] for row in read_rows("shipped", variant)])

    def _published(self, column: str, name: str, *, seed: None) -> dict:
        results = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["result"]
        [result] = [one for one in results if (one["column"], one["name"]) == (column, name)]
        values = {"score": result.get("score")}
        if "summary" in result:
            values = blimp.published(result["summary"])
        about = {key: result[key] for key in ("words", "parameters", "source", "note")}
        return values | cell([values["score"]]) | {"published": True} | about


def cell(scores: list[float]) -> dict:
    """A cell of the table, from the scores of its runs."""
    return {
        "score": round(fmean(scores), 4),
        "low": min(scores),
        "high": max(scores),
        "runs": len(scores),
    }


def kept(name: str, make: Callable[[], dict]) -> dict:
    """A row from the cache, where it was made before."""
    path = blimp.CACHE / f"{name}, {DIGESTS[SMALL][:8]}.json"
    if not path.is_file():
        started = time.process_time()
        values = make() | {"cpu_seconds": round(time.process_time() - started, 1)}
        blimp.CACHE.mkdir(exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def other_log(name: str) -> list[dict]:
    return json.loads((log.LOGS / f"{name}.json").read_text(encoding="utf-8"))["rows"]


def read_rows(name: str, variant: str) -> list[dict]:
    """The rows of a variant in another log. Raises a ValueError where there are none."""
    rows = [row for row in other_log(name) if row["variant"] == variant]
    if not rows:
        raise ValueError(f"logs/{name}.json has no row {variant!r}")
    return rows


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="make the cheap rows anew")
    parser.add_argument("--only", action="append", choices=GROUPS, help="measure this group only")
    parser.add_argument("--threads", type=int, default=1, help="processor threads (default: 1)")
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="cpu")
    arguments = parser.parse_args(argv)
    torch.set_num_threads(arguments.threads)
    path = log.LOGS / "scoreboard.json"
    old = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []
    board = Scoreboard(
        arguments.only or list(GROUPS), arguments.check, device_kind(arguments.device), old
    )
    rows = board.rows()
    measured = {variant for variant, _ in rows}
    bands = {name: band for name, band in BANDS.items() if name in measured}
    if arguments.check:  # of BLiMP only the samples are made anew
        bands = {name: band for name, band in bands.items() if (name, None) not in GROUPS["blimp"]}
    return log.run(
        __file__,
        "minibert-small and its controls beside published models",
        board.measure,
        rows,
        bands,
        TOLERANCE,
        argv=["--check"] if arguments.check else [],
    )


if __name__ == "__main__":
    raise SystemExit(main())
