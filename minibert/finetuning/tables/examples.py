"""Examples of a task from rows of labelled data; every error names its file and line.

read_examples("classification", "reviews.csv")
read_examples("tagging", "train.conll.gz")
read_examples("regression", "nyu-mll/glue:stsb", "validation")
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from minibert.config import InputError
from minibert.finetuning.tables.columns import Columns, flag
from minibert.finetuning.tables.files import read_table
from minibert.finetuning.tables.readers import BadRow
from minibert.finetuning.tables.rows import Table
from minibert.finetuning.tasks.registry import task_entry
from minibert.finetuning.tasks.tagging import TaggedExample


def read_examples(
    task: str,
    source: str | Path,
    split: str = "train",
    *,
    labelled: bool = True,
    format: str | None = None,
    header: Sequence[str] | None = None,
    encoding: str | None = None,
    **columns: str | Sequence[str],
) -> list[Any]:
    """The examples that a file, or a dataset on the hub, has for a task, such as 'tagging'.

    labelled    whether labels are read; without, they need not be there
    columns     the columns whose names are not usual ones: text="review"

    The other arguments are those of `read_table`. Raises an InputError that names file and line, or
    lists the columns.
    """
    table = read_table(
        source,
        split,
        format=format,
        header=header,
        encoding=encoding,
        otherwise=task_entry(task).load_reader().default_format,
    )
    return make_examples(task, table, find_columns(task, table, columns, labelled), labelled)[0]


def find_columns(
    task: str, table: Table, given: Mapping[str, str | Sequence[str]], labelled: bool = True
) -> dict[str, str | tuple[str, ...]]:
    """Which columns a task reads: those that are `given`, and for the rest the usual names."""
    entry = task_entry(task)
    if wrong := [role for role in given if role not in entry.columns]:
        raise InputError(
            f"{flag(wrong[0])} means nothing for {task}, which reads "
            f"{', '.join(map(flag, entry.columns))}"
        )
    columns = Columns(table, given)
    entry.load_reader().find(columns, labelled)
    return columns.found


def make_examples(
    task: str,
    table: Table,
    columns: Mapping[str, str | Sequence[str]],
    labelled: bool = True,
    labels: Sequence[str] | None = None,
    skip: bool = False,
) -> tuple[list[Any], list[str]]:
    """The examples of a table, and notes on what was corrected or left out.

    labels      the only labels allowed, where they are known: those of the training examples
    skip        leave out questions whose answer is not in the passage instead of raising
    """
    reader, notes = task_entry(task).load_reader(), Counter[str]()
    known = dict.fromkeys(labels or ())
    examples: list[Any] = []
    for row in table.rows:
        try:
            example = reader.example(row, columns, labelled, notes)
            if labels is not None:
                _check_labels(example, known)
        except BadRow as error:
            if not skip:
                raise InputError(
                    f"{row.where}: {error}. --skip-bad-answers leaves such questions out, and "
                    "counts them"
                ) from error
            notes["left out: the answer is not in the passage"] += 1
        except InputError as error:
            raise InputError(f"{row.where}: {error}") from error
        else:
            examples += [] if example is None else [example]
    if not examples:
        why = "; ".join(f"{count:,} {note}" for note, count in notes.items())
        raise InputError(f"{table.name} has no row that can be used ({why})")
    if labelled:
        reader.check(table.rows, examples)
    return examples, [f"{count:,} {note}" for note, count in notes.items()]


def _check_labels(example: Any, labels: Collection[str]) -> None:
    tagged = isinstance(example, TaggedExample)
    for label in (example.tags or ()) if tagged else [example.label]:
        if label not in labels:
            raise InputError(
                f"{label!r} is not among the labels of the training rows: "
                f"{', '.join(list(labels)[:20])}{', …' * (len(labels) > 20)}"
            )
