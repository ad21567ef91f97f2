"""The committed logs of the benchmarks, for the chapters that draw them."""

import importlib.metadata
import json
from pathlib import Path

BESIDE = Path(__file__).resolve().parents[2] / "benchmarks" / "logs"       # in a clone


def benchmark_log(name: str) -> dict:
    """The log benchmarks/logs/NAME.json: from the clone, or from where the installed distribution has put it.

    Raises a ValueError for a log that is in neither place.
    """
    path = BESIDE / f"{name}.json"
    if not path.is_file():
        try:
            installed = importlib.metadata.files("minibert-course") or ()
        except importlib.metadata.PackageNotFoundError:
            installed = ()
        path = next((Path(file.locate()) for file in installed if file.match(f"logs/{name}.json")), None)
        if path is None:
            raise ValueError(f"no benchmark log is called {name!r}: neither in {BESIDE} nor in the installed distribution minibert-course")
    return json.loads(path.read_text(encoding="utf-8"))
