"""The log of a pretraining run, log.jsonl: a JSON object for every logged step."""

import json
from pathlib import Path
from typing import Any

from minibert.hub.atomic_io import write_atomically

# names in logs of older versions, also inside "held_out"
OLD_NAMES = {
    "word_loss": "mlm_loss",
    "word_accuracy": "mlm_accuracy",
    "pair_loss": "nsp_loss",
    "pair_accuracy": "nsp_accuracy",
}


def read_log(path: str | Path) -> list[dict[str, Any]]:
    """The records of a log.jsonl, in order.

    What is no record is left out, such as a last line that was cut short.
    """
    records = []
    for line in Path(path).read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("step"), int):
            records.append(_with_new_names(record))
    return records


def truncate_log(path: Path, step: int) -> dict[str, Any] | None:
    """Remove what was logged after a step, or only in part; returns the last record that stays."""
    kept = []
    if path.is_file():
        kept = [record for record in read_log(path) if record["step"] <= step]
    write_atomically(path, "".join(json.dumps(record) + "\n" for record in kept))
    return kept[-1] if kept else None


def _with_new_names(record: dict[str, Any]) -> dict[str, Any]:
    return {
        OLD_NAMES.get(name, name): _with_new_names(value) if isinstance(value, dict) else value
        for name, value in record.items()
    }
