"""Rows of labelled data, and the formats of the files that hold them. Imports nothing heavy."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

# What --format knows, and the suffixes that name it, before a .gz or .xz.
SUFFIXES = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "json": (".json", ".jsonl", ".ndjson"),
    "conll": (".conll", ".bio", ".iob", ".iob2"),
    "label-text": (),
}
FORMATS = tuple(SUFFIXES)


@dataclass(frozen=True)
class Row:
    """One row of labelled data."""

    values: dict[str, Any]  # by the names of the columns
    where: str  # its file and line, for messages


@dataclass(frozen=True)
class Table:
    """All rows of a file or a dataset. In JSON lines a row may lack some of the `columns`."""

    name: str
    format: str
    columns: list[str]
    rows: list[Row]


def format_of(path: Path) -> str | None:
    """The format that a file's name tells, or None."""
    suffix = Path(path.stem).suffix if path.suffix in (".gz", ".xz") else path.suffix
    return next((name for name, suffixes in SUFFIXES.items() if suffix.lower() in suffixes), None)
