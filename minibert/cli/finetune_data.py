"""Read the examples of a fine-tuning run, and print what was read."""

import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from minibert.cli.common import one_line
from minibert.cli.finetune_options import given_columns, given_header
from minibert.config import InputError
from minibert.finetuning.tables.columns import flag
from minibert.finetuning.tables.examples import find_columns, make_examples
from minibert.finetuning.tables.files import read_table
from minibert.finetuning.tables.rows import Table
from minibert.finetuning.tables.splitting import HELD_OUT, draw, hold_out, shared_text
from minibert.finetuning.tasks.registry import task_entry
from minibert.finetuning.tasks.tagging import TaggedExample
from minibert.finetuning.tasks.texts import TextExample

SHOWN = 10  # the number of labels that are printed, the most frequent ones first


class Data:
    """The training, dev and test examples of a run; prints a summary of them.

    given   the options that the user gave, by name
    seed    the seed of the random sample (--rows) and of the held-out tenth
    """

    def __init__(self, given: dict[str, Any], seed: int):
        self.given, self.task = given, given["task"]
        if [given.get(name) for name in ("train", "dev", "test")].count("-") > 1:
            raise InputError("only one of --train, --dev and --test can be standard input ('-')")
        table = self._table(given["train"], "train")
        self.columns = find_columns(self.task, table, given_columns(given))
        self.train, notes = make_examples(
            self.task, table, self.columns, skip=given.get("skip_bad_answers", False)
        )
        how = ", ".join(
            f"{flag(role)} {shlex.quote(names) if isinstance(names, str) else ','.join(names)}"
            for role, names in self.columns.items()
        )
        self._print("train", table, [*notes, *self._unread(table)], f", read as {how}")
        self.labels = sorted_labels(self.task, self.train, table.name)
        if "rows" in given:
            self.train = draw(self.train, given["rows"], seed)
            print(f"       {len(self.train):,} of them at random (--rows, --seed {seed})")
        self.test = self._read_others("test", "test")
        if "dev" in given:
            self.dev = self._read_others("dev", "validation")
        else:
            self._hold_out(seed)
        # what --rows and dev have left may be of one class
        sorted_labels(self.task, self.train, f"{table.name}, the rows that are left to train on")
        self._note_shared_texts()
        if self.labels and self.task == "classification":
            self._print_labels(self.labels)

    def _unread(self, table: Table) -> list[str]:
        """Notes on columns such as 'pair', an input that the task may have, which are not read."""
        return [
            f"the column {name!r} is not read ({flag(role)} {shlex.quote(name)} would read it)"
            for role in task_entry(self.task).optional
            for name in table.columns
            if name.lower() == role not in self.columns and name not in self.columns.values()
        ]

    def _hold_out(self, seed: int) -> None:
        rows = len(self.train)
        self.train, self.dev = hold_out(self.train, seed)
        what = "passages with their questions" if self.task == "questions" else "training rows"
        share = "a tenth"
        if abs(len(self.dev) - rows / HELD_OUT) > max(1, rows / HELD_OUT / 2):
            share = f"{len(self.dev) / rows:.0%}"
            what = "training rows, because those of one text stay together"
        print(
            f"dev    {len(self.dev):,} rows: {share} of the {what}, held out at random "
            f"(--seed {seed}); {len(self.train):,} remain for training"
        )

    def _note_shared_texts(self) -> None:
        """Note rows with a text that was trained on before, or has helped to choose the epoch."""
        rows = {"train": self.train, "dev": self.dev, "test": self.test}
        for seen, name in combinations(rows, 2):
            texts = set(map(shared_text, rows[seen]))
            if count := sum(shared_text(example) in texts for example in rows[name]):
                print(
                    f"note   {count:,} of {len(rows[name]):,} rows of {name} have a text that rows "
                    f"of {seen} have, too: the scores on {name} say little about new texts"
                )

    def _table(self, source: str, split: str) -> Table:
        given = self.given
        return read_table(
            source,
            split,
            format=given.get("format"),
            header=given_header(given),
            encoding=given.get("encoding"),
            otherwise=task_entry(self.task).load_reader().default_format,
        )

    def _read_others(self, name: str, split: str) -> list[Any]:
        """Read --dev or --test, from the same columns as the training examples."""
        if name not in self.given:
            return []
        table = self._table(self.given[name], split)
        columns = find_columns(self.task, table, self.columns)
        skip = self.given.get("skip_bad_answers", False)
        examples, notes = make_examples(self.task, table, columns, labels=self.labels, skip=skip)
        self._print(name, table, notes)
        return examples

    def _print(self, name: str, table: Table, notes: list[str], more: str = "") -> None:
        rows = f"{len(table.rows):,} rows{one_line(more)}"
        print(f"{name:<6} {one_line(table.name)} ({table.format}): {rows}")
        for note in notes:
            print(f"       {one_line(note)}")

    def _print_labels(self, labels: list[str]) -> None:
        counts = Counter(dict.fromkeys(labels, 0))
        counts.update(example.label for example in self.train)
        most = counts.most_common(SHOWN)
        shown = ", ".join(f"{one_line(label)} ({count:,})" for label, count in most)
        print(f"labels {len(counts)}: {shown}{', …' * (len(counts) > SHOWN)}")
        if missing := [label for label in labels if not counts[label]]:
            print(
                f"note   {len(missing)} of them have no training rows, such as {missing[0]!r}: "
                "the model cannot learn them"
            )


def sorted_labels(task: str, examples: Sequence[Any], name: str) -> list[str] | None:
    """The names of the classes or tags, in order; None if the task has none.

    `name` is that of the data, for messages. Raises an InputError if all labels are the same.
    """
    if isinstance(examples[0], TaggedExample):
        found = {tag for example in examples for tag in example.tags or ()}
        every = "every word has the tag"
    elif isinstance(examples[0], TextExample):
        found = {example.label for example in examples}
        every = "all rows have the label"
    else:
        return None
    if len(found) < 2:
        raise InputError(f"{name}: {every} {found.pop()!r}, so there is nothing to learn")
    if not task_entry(task).load_task().has_labels:
        return None
    return sorted(found, key=_tag_order if isinstance(examples[0], TaggedExample) else _label_order)


def _label_order(label: str) -> tuple[bool, int, str, str]:
    """Sort key: O first, then names, then numbers by size."""
    return label != "O", *_size(label), label


def _tag_order(tag: str) -> tuple[bool, int, str, str, str]:
    """Sort key: O first, then by entity type: B-person, I-person, B-place, …."""
    return tag != "O", *_size(tag), tag[2:], tag


def _size(text: str) -> tuple[int, str]:
    """Sorts whole numbers by size, and names before them; `int` refuses very long numbers."""
    digits = text.lstrip("0") if text.isdecimal() else ""
    return len(digits) + text.isdecimal(), digits
