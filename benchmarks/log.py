"""The log of a benchmark: what was run, on what, with which seeds, and what came out.

A benchmark is a script with `main(argv)`: plain, it measures every row and writes `logs/NAME.json`; with `--check` it
makes one seed of every variant anew and fails when a value leaves its band. Bands are part of the log.
"""

import argparse
import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

LOGS = Path(__file__).resolve().parent / "logs"
ROOT = LOGS.parent.parent
PACKAGES = ("torch", "numpy", "scipy", "tokenizers", "transformers")


def run(
    script: str,
    description: str,
    measure: Callable[[str, int | None], dict],
    rows: list[tuple[str, int | None]],
    bands: dict[str, dict[str, tuple[float, float]]],
    tolerance: float | dict[str, float],
    argv: list[str] | None = None,
    checked: list[tuple[str, int | None]] | None = None,
    command: str = "",
) -> int:
    """The whole life of a benchmark; returns its exit status.

    `measure(variant, seed)` returns one row's values by name; `rows` lists the (variant, seed) to measure, seed None
    where nothing is random. `bands` gives variant -> value -> (lowest, highest); `tolerance` is how far a row that is
    made anew may lie from the logged one: one number for all values, or a number for each value that is compared at all
    (speeds depend on the machine; their bands hold anywhere). `checked` is what `--check` makes anew where one seed of
    every variant is too much. `command` is what to type where the script is not run by its own name.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--check",
        action="store_true",
        help="measure one seed of every variant anew and compare it with the committed log",
    )
    check = parser.parse_args(argv).check
    path = LOGS / f"{Path(script).stem}.json"
    try:
        old = json.loads(path.read_text(encoding="utf-8")) if check else None
        one_seed_each = list(
            {variant: (variant, seed) for variant, seed in reversed(rows)}.values()
        )[::-1]
        chosen = (checked or one_seed_each) if check else rows
        started = time.time()
        measured = [_row(measure, variant, seed) for variant, seed in chosen]
    except (OSError, ValueError) as error:
        print(f"{Path(script).name}: {error}", file=sys.stderr)
        return 2
    problems = _outside(measured, bands) + (
        _differences(measured, old["rows"], tolerance) if check else []
    )
    for problem in problems:
        print(f"OUTSIDE: {problem}")
    if check:
        if old["code"]["sha256"] != code(script)["sha256"]:
            print("note: the code has changed since the log was written")
        print(f"{path.name}: {'FAILED' if problems else 'within its bands'}")
    elif not problems:
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            json.dumps(
                {
                    "benchmark": description,
                    "command": command or f"python benchmarks/{Path(script).name}",
                    "code": code(script),
                    "machine": machine(),
                    "versions": versions(),
                    "bands": bands,
                    "tolerance": tolerance,
                    "rows": measured,
                    "seconds": round(time.time() - started, 1),
                },
                indent=2,
            )
            + "\n",
            encoding="utf-8",
        )
        print(f"written: {path.relative_to(ROOT)}")
    return 1 if problems else 0


def code(script: str) -> dict:
    """A sha256 over the script and every module of the package that it has imported, and their names."""
    files = {Path(script).resolve(), Path(__file__).resolve()}
    files |= {
        Path(module.__file__).resolve()
        for name, module in list(sys.modules.items())
        if name.split(".")[0] == "minibert" and getattr(module, "__file__", None)
    }
    names = sorted(
        (file.relative_to(ROOT) if file.is_relative_to(ROOT) else Path(file.name)).as_posix()
        for file in files
    )
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return {"sha256": digest.hexdigest(), "files": names}


def machine() -> dict:
    """The kind of machine, by nothing that names the very one."""
    return {
        "system": platform.system(),
        "processor": torch.backends.cpu.get_cpu_capability(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def versions() -> dict:
    """Python and the packages that matter, where they are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _row(measure, variant: str, seed: int | None) -> dict:
    started = time.time()
    row = {"variant": variant, "seed": seed, **measure(variant, seed)}
    row["seconds"] = round(time.time() - started, 1)
    print(
        ", ".join(
            f"{key} {value}" for key, value in row.items() if isinstance(value, str | int | float)
        ),
        flush=True,
    )
    return row


def _outside(rows: list[dict], bands: dict) -> list[str]:
    return [
        f"{row['variant']}, seed {row['seed']}: {name} {row[name]} is not between {low} and {high}"
        for row in rows
        for name, (low, high) in bands.get(row["variant"], {}).items()
        if not low <= row[name] <= high
    ]


def _differences(
    rows: list[dict], logged: list[dict], tolerance: float | dict[str, float]
) -> list[str]:
    found = {(row["variant"], row["seed"]): row for row in logged}
    problems = []
    for row in rows:
        before = found.get((row["variant"], row["seed"]))
        if before is None:
            problems.append(f"{row['variant']}, seed {row['seed']} is not in the log")
            continue
        for name, value in row.items():
            limit = tolerance.get(name) if isinstance(tolerance, dict) else tolerance
            is_compared = (
                name not in ("variant", "seed", "seconds")
                and isinstance(value, int | float)
                and limit is not None
            )  # curves are for drawing
            if is_compared and abs(value - before[name]) > limit:
                problems.append(
                    f"{row['variant']}, seed {row['seed']}: {name} is {value}, the log has {before[name]}"
                )
    return problems
