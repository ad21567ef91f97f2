"""The log of a pretraining run, log.jsonl: a JSON object for every logged step."""

import json
from pathlib import Path
from typing import Any

from minibert.config import MOST
from minibert.hub.atomic_io import write_atomically
from minibert.hub.find_pretrained import expanded

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
    for line in expanded(path).read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("step"), int):
            records.append(_with_new_names(record))
    return records


def truncate_log(path: Path, step: int) -> float:
    """Remove what was logged after a step, or only in part.

    Returns the seconds that the last record that stays tells of; 0 where there is none, or it tells
    of none.
    """
    kept = []
    if path.is_file():
        kept = [record for record in read_log(path) if record["step"] <= step]
    text = "".join(json.dumps(record) + "\n" for record in kept)
    write_atomically(path, text, follow=False)
    seconds = kept[-1].get("seconds") if kept else None
    if not isinstance(seconds, int | float) or not 0 <= seconds <= MOST:  # NaN is not either
        return 0.0
    return float(seconds)


def _with_new_names(record: dict[str, Any]) -> dict[str, Any]:
    return {
        OLD_NAMES.get(name, name): _with_new_names(value) if isinstance(value, dict) else value
        for name, value in record.items()
    }
