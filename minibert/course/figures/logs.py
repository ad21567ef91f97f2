"""Reads the committed benchmark logs, for the chapters that plot them."""

import json
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]
FOLDERS = (
    COURSE.parents[1] / "benchmarks" / "logs",  # in a clone
    COURSE / "logs",  # where the package is installed, see setup.py
)


def benchmark_log(name: str) -> dict:
    """Returns the log benchmarks/logs/NAME.json, from the clone or from the installed package.

    Raises ValueError if neither contains it.
    """
    for folder in FOLDERS:
        path = folder / f"{name}.json"
        if path.is_file():
            return json.loads(path.read_text(encoding="utf-8"))
    places = " nor in ".join(map(str, FOLDERS))
    raise ValueError(f"no benchmark log is called {name!r}: neither in {places}")
