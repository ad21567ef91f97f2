"""Rows of labelled data to examples of a task; every fault is told with its file and line.

    read_examples("classification", "reviews.csv")
    read_examples("tagging", "train.conll.gz")
    read_examples("regression", "nyu-mll/glue:stsb", "validation")
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from minibert.finetuning.columns import Columns, flag
from minibert.finetuning.readers import READERS, BadRow
from minibert.finetuning.tables import Table, read_table
from minibert.finetuning.tagging import TaggedExample


def read_examples(task: str, source, split: str = "train", *, labelled: bool = True, format: str | None = None, header: Sequence[str] | None = None,
                  encoding: str | None = None, **columns: str | Sequence[str]) -> list:
    """The examples that a file, or a set on the hub, has for a task: 'classification', 'tagging', …, see READERS.

    Without `labelled` the labels are not looked at. `columns` name the columns that cannot be guessed: text="review". The
    other arguments are those of `read_table`. Raises a ValueError with file and line, or that lists the columns.
    """
    table = read_table(source, split, format=format, header=header, encoding=encoding, otherwise=reader_of(task).otherwise)
    return make_examples(task, table, find_columns(task, table, columns, labelled), labelled)[0]


def find_columns(task: str, table: Table, given: Mapping[str, str | Sequence[str]], labelled: bool = True) -> dict[str, str | tuple[str, ...]]:
    """Which column of a table holds what a task reads: those that are `given`, and for the rest the one with a usual name."""
    reader = reader_of(task)
    if wrong := next((role for role in given if role not in reader.roles), None):
        raise ValueError(f"{flag(wrong)} means nothing for {task}, which reads {', '.join(map(flag, reader.roles))}")
    columns = Columns(table, given)
    reader.find(columns, labelled)
    return columns.found


def make_examples(task: str, table: Table, columns: Mapping[str, str | Sequence[str]], labelled: bool = True, labels: Sequence[str] | None = None,
                  skip: bool = False) -> tuple[list, list[str]]:
    """The examples of a table, and notes on what was mended or left out.

    labels      those that there may be, where they are known: the training examples'
    skip        leave out questions whose answer is not in the passage, which are an error else
    """
    reader, examples, notes = reader_of(task), [], Counter()
    for row in table.rows:
        try:
            example = reader.example(row, columns, labelled, notes)
            if labels is not None:
                _check_labels(example, labels)
        except BadRow as error:
            if not skip:
                raise ValueError(f"{row.where}: {error}. --skip-bad-answers leaves such questions out, and counts them") from error
            notes["left out: the answer is not in the passage"] += 1
        except ValueError as error:
            raise ValueError(f"{row.where}: {error}") from error
        else:
            examples += [] if example is None else [example]
    if not examples:
        raise ValueError(f"{table.name} has no row that can be used ({'; '.join(f'{count:,} {note}' for note, count in notes.items())})")
    if labelled:
        reader.check(table.rows, examples)
    return examples, [f"{count:,} {note}" for note, count in notes.items()]


def _check_labels(example, labels: Sequence[str]) -> None:
    for label in example.tags if isinstance(example, TaggedExample) else [example.label]:
        if label not in labels:
            raise ValueError(f"{label!r} is not among the labels of the training rows: {', '.join(labels[:20])}{', …' * (len(labels) > 20)}")


def reader_of(task: str):
    if task not in READERS:
        raise ValueError(f"task must be one of {', '.join(READERS)}, not {task!r}")
    return READERS[task]
