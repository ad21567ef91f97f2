"""Runs under names that do not tell their fault, and the measurement that tells it."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from minibert.course.figures import benchmark_log

FAULTS = (
    "healthy",
    "too slow",
    "too fast",
    "mask inverted",
    "labels of other rows",
    "answers visible",
    "padding in the loss",
    "a class ignored",
    "repeated lines",
)
NUMBERED = {  # the chapter's names, and what is wrong
    "run 1": "too slow",
    "run 2": "too fast",
    "run 3": "mask inverted",
    "run 4": "labels of other rows",
    "run 5": "answers visible",
    "run 6": "repeated lines",
    "run 7": "a class ignored",
}
POOL = {  # variant and seed of a run that can be drawn, and its diagnosis
    ("live", 2): "healthy",  # the healthy recipe with more steps
    ("healthy", 2): "healthy",
    ("unseen B", 3): "healthy",
    ("padding in the loss", 2): "padding in the loss",
    ("unseen A", 3): "padding in the loss",
    ("a class ignored", 2): "a class ignored",
    ("unseen C", 3): "repeated lines",
}
TELLS = {  # the measurement that tells a fault
    "too slow": "largest update",
    "too fast": "largest update",
    "mask inverted": "effect of context",
    "labels of other rows": "share of [MASK]",
    "answers visible": "share of visible answers",
    "padding in the loss": "share of padding",
    "a class ignored": "lower class accuracy",
    "repeated lines": "held-out NSP loss",
}
DIAGNOSES = {  # of the variants of the log that have another name
    "live": "healthy",
    "a tenth of the rate": "too slow",
    "ten times the rate": "too fast",
    "eight batches repeated": "repeated lines",
}


@dataclass(frozen=True)
class UnseenRun:
    """A run whose fault has to be found."""

    curve: dict[str, list[float]]  # what is left of its log, see `second_half`
    measure: Callable[[str], float]  # one of its measurements, by name


def numbered_runs() -> dict[str, list[dict]]:
    """The rows of the log, one for each seed, by the names that the chapter uses before it names the fault."""
    rows = benchmark_log("failures")["rows"]
    return {
        name: [row for row in rows if row["variant"] == fault] for name, fault in NUMBERED.items()
    }


def second_half(row: dict) -> dict[str, list[float]]:
    """The second half of a curve: percent of the run, and the sum of both losses that was printed."""
    curves = row["curves"]
    both = zip(curves["printed_word_loss"], curves["printed_pair_loss"], strict=True)
    half = len(curves["step"]) // 2 - 1
    return {
        "percent": [100 * step / curves["step"][-1] for step in curves["step"][half:]],
        "printed_loss": [words + pairs for words, pairs in both][half:],
    }


def drawn(number: int) -> dict[str, tuple[str, int]]:
    """Variant and seed of the runs "A", "B" and "C" that a number draws from the pool."""
    return dict(zip("ABC", random.Random(number).sample(list(POOL), 3), strict=True))


def unseen_runs(number: int) -> dict[str, UnseenRun]:
    """The runs "A", "B" and "C" that a number draws."""
    rows = {name: _row(*key) for name, key in drawn(number).items()}
    return {
        name: UnseenRun(second_half(row), lambda what, row=row: _measurement(row, what))
        for name, row in rows.items()
    }


def recorded_faults(number: int) -> dict[str, str]:
    """The right diagnoses of the runs that a number draws."""
    return {name: POOL[key] for name, key in drawn(number).items()}


def evidence(fault: str, what: str, seed: int = 0) -> float:
    """One measurement of the recorded run with a fault of FAULTS and the seed 0 or 1.

    Raises ValueError if there is no such run, or no measurement `what`.
    """
    if fault not in FAULTS or seed not in (0, 1):
        names = ", ".join(FAULTS)
        raise ValueError(
            f"no known run is called {fault!r} with seed {seed}; there are {names}, with the seeds 0 and 1"
        )
    return _measurement(_row(fault, seed), what)


def diagnosed_runs() -> list[tuple[str, dict[str, float]]]:
    """Every run of the log except those of the pool, as its right diagnosis and its measurements."""
    return [
        (DIAGNOSES.get(row["variant"], row["variant"]), measurements(row))
        for row in benchmark_log("failures")["rows"]
        if "recipe" in row and (row["variant"], row["seed"]) not in POOL
    ]


def measurements(row: dict) -> dict[str, float]:
    """The measurements of a row of the log, without the training losses, which a curve shows."""
    return {
        "held-out MLM loss": row["mlm_loss"],
        "held-out NSP loss": row["nsp_loss"],
        "largest update": max(row["curves"]["update"]),
        "effect of context": row["context"],
        "share of [MASK]": row["masked"],
        "share of visible answers": row["visible"],
        "share of padding": row["padding"],
        "lower class accuracy": min(row["follows_accuracy"], row["random_accuracy"]),
    }


def _measurement(row: dict, what: str) -> float:
    known = measurements(row)
    if what not in known:
        raise ValueError(f"no measurement is called {what!r}; there are {', '.join(known)}")
    return known[what]


def _row(variant: str, seed: int) -> dict:
    rows = benchmark_log("failures")["rows"]
    return next(row for row in rows if (row["variant"], row.get("seed")) == (variant, seed))
