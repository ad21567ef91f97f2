"""Labelled data in a dataset on the hub, through the package `datasets`."""

from typing import Any

from tqdm import tqdm

from minibert.config import InputError
from minibert.data.hub_sets import open_hub_set
from minibert.finetuning.tables.rows import Row, Table


def hub_table(name: str, path: str, config: str | None, split: str) -> Table:
    """A split of a dataset; class numbers become names, and -1, for an unknown class, None.

    Raises an InputError where `datasets` or the network is missing, or the split has no rows.
    """
    what = f"the dataset {name!r}, {split}"
    stream = open_hub_set(what, path, split, "give a file; there is none of this name", name=config)
    classes = {
        column: names
        for column, feature in (stream.features or {}).items()
        if (names := _class_names(feature))
    }
    rows: list[Row] = []
    try:
        title = f"Reading {path}, {split}"
        bar = tqdm(stream, desc=title, unit=" rows", disable=None, leave=False)
        for number, row in enumerate(bar, start=1):
            values = {column: _named(value, classes.get(column)) for column, value in row.items()}
            rows.append(Row(values, f"{what}, row {number}"))
    except Exception as error:  # the client and its network library each raise their own families
        raise InputError(
            f"cannot read {what}, after row {len(rows)}: {type(error).__name__}: {error}"
        ) from error
    if not rows:
        raise InputError(f"{what} has no rows")
    return Table(what, "hub", list(rows[0].values), rows)


def _class_names(feature: Any) -> list[str] | None:
    """The names of a ClassLabel, or of a list of them."""
    inner = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
    return getattr(inner, "names", None)


def _named(value: Any, names: list[str] | None) -> Any:
    """A class number as its name, also inside lists."""
    if names is None or value is None:
        return value
    if isinstance(value, list):
        return [_named(one, names) for one in value]
    return names[value] if value >= 0 else None
