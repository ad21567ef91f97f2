"""Readers: which columns a task needs, and the example that it makes of a row."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minibert.config import InputError
from minibert.finetuning.entities import PART_OF_NAME
from minibert.finetuning.tables.columns import USUAL, Columns
from minibert.finetuning.tables.rows import Row
from minibert.finetuning.tables.values import (
    class_name_of,
    list_of,
    number_of,
    text_of,
    value_of,
)
from minibert.finetuning.tasks.choices import ChoiceExample
from minibert.finetuning.tasks.tagging import TaggedExample
from minibert.finetuning.tasks.texts import TextExample


class BadRow(InputError):
    """A row that may be skipped: its answer is not where it should be."""


class Reader:
    """Makes examples of a task; a subclass for each kind of example.

    `columns` below maps a role, such as 'text', to the name of a column, or of several.
    """

    default_format: str | None = None  # of a file whose name does not tell it

    def find(self, columns: Columns, labelled: bool) -> None:
        """Find the columns that nobody named; the label's only where `labelled`."""
        raise NotImplementedError

    def example(
        self, row: Row, columns: Mapping[str, Any], labelled: bool, notes: Counter[str]
    ) -> Any:
        """The example of a row; None where it is left out, which `notes` counts.

        Raises an InputError, to which the caller adds file and line.
        """
        raise NotImplementedError

    def check(self, rows: Sequence[Row], examples: Sequence[Any]) -> None:
        """Raises an InputError for what only all rows together show."""


@dataclass(frozen=True)
class TextReader(Reader):
    """Texts, or pairs of texts, with a class or a number."""

    numbers: bool = False
    pairs_only: bool = False

    def find(self, columns: Columns, labelled: bool) -> None:
        """Find one text or a pair, and the label."""
        columns.find_texts()
        if self.pairs_only and "pair" not in columns.found:
            raise InputError(
                f"{columns.table.name}: expected two texts to compare. Say which columns hold "
                f"them, with --text and --pair; there are {columns.listed()}"
            )
        if labelled:
            columns.find("label", USUAL["number" if self.numbers else "label"])

    def example(
        self, row: Row, columns: Mapping[str, Any], labelled: bool, notes: Counter[str]
    ) -> TextExample:
        """The text or texts of a row, with the label."""
        text = text_of(row, columns["text"])
        pair = text_of(row, columns["pair"]) if "pair" in columns else None
        if not labelled:
            return TextExample(text, pair)
        read = number_of if self.numbers else class_name_of
        return TextExample(text, pair, read(row, columns["label"]))

    def check(self, rows: Sequence[Row], examples: Sequence[TextExample]) -> None:
        """Almost as many classes as rows are no classes."""
        labels = {example.label for example in examples}
        if not self.numbers and len(labels) > max(20, len(examples) / 2):
            raise InputError(
                f"{rows[0].where} and below: {len(labels):,} different labels in "
                f"{len(examples):,} rows, such as {min(labels)!r:.40}. "
                "Is that the column of the labels (--label)? For numbers use the task regression"
            )


class TagReader(Reader):
    """Sentences as words, with a tag for each."""

    default_format = "conll"

    def find(self, columns: Columns, labelled: bool) -> None:
        """Find the words and the tags."""
        columns.find("words", USUAL["words"])
        if labelled:
            columns.find("tags", USUAL["tags"])

    def example(
        self, row: Row, columns: Mapping[str, Any], labelled: bool, notes: Counter[str]
    ) -> TaggedExample:
        """The words of a row, with their tags."""
        words = list_of(row, columns["words"])
        for number, word in enumerate(words, start=1):
            if not isinstance(word, str) or not word.strip():
                raise InputError(
                    f"word {number} of {columns['words']!r} must be a text that is not empty, "
                    f"not {word!r:.60}"
                )
        if not labelled:
            return TaggedExample(words)
        tags = list_of(row, columns["tags"])
        if len(tags) != len(words):
            raise InputError(f"{len(words)} words but {len(tags)} tags")
        for number, (word, tag) in enumerate(zip(words, tags, strict=True), start=1):
            if not isinstance(tag, str | int) or tag == "":
                raise InputError(f"the tag of word {number}, {word!r}, is {tag!r:.60}")
        return TaggedExample(words, list(map(str, tags)))

    def check(self, rows: Sequence[Row], examples: Sequence[TaggedExample]) -> None:
        """Where some tags begin with B- or I-, these must name a type, and all others be O."""
        tags = {tag for example in examples for tag in example.tags or ()}
        if not any(tag.startswith(("B-", "I-")) for tag in tags):
            return
        for row, example in zip(rows, examples, strict=True):
            pairs = zip(example.words, example.tags or (), strict=True)
            for number, (word, tag) in enumerate(pairs, start=1):
                if tag != "O" and not PART_OF_NAME.fullmatch(tag):
                    raise InputError(
                        f"{row.where}: the tag of word {number}, {word!r}, is {tag!r}; "
                        "with tags such as B-person and I-person, every other tag must be O"
                    )


class ChoiceReader(Reader):
    """Texts with several continuations or answers."""

    def find(self, columns: Columns, labelled: bool) -> None:
        """Find the choices, the text, and the number of the right choice."""
        columns.find_choices()
        columns.find("text", USUAL["stem"])
        if labelled:
            columns.find("label", USUAL["right"])

    def example(
        self, row: Row, columns: Mapping[str, Any], labelled: bool, notes: Counter[str]
    ) -> ChoiceExample:
        """The text and the choices of a row, with the number of the right one."""
        names = columns["choices"]
        if len(names) == 1:
            choices, keys = self._listed_choices(row, names[0])
        else:
            choices, keys = [text_of(row, name) for name in names], list(names)
        label = None
        if labelled:
            right = value_of(row, columns["label"])
            # in a table all values are texts, in JSON a number is none
            typed = not all(isinstance(value, str) for value in row.values.values())
            label = self._right(right, choices, keys, typed)
        return ChoiceExample(text_of(row, columns["text"]), choices, label)

    def _listed_choices(self, row: Row, column: str) -> tuple[list[str], list[Any]]:
        """The choices of a column that holds a list, and the names by which a label may mean them.

        The second only in the form {"text": [...], "label": ["A", ...]}.
        """
        value, keys = value_of(row, column), None
        choices = value
        if isinstance(value, dict):
            choices, keys = value.get("text"), value.get("label")
        if (
            not isinstance(choices, list)
            or len(choices) < 2
            or not all(isinstance(choice, str) and choice.strip() for choice in choices)
        ):
            raise InputError(
                f"{column!r} must be a list of at least two texts, not {row.values[column]!r:.80}"
            )
        return choices, keys if isinstance(keys, list) else []

    def _right(self, value: Any, choices: list[str], keys: list[Any], typed: bool) -> int:
        """The number of the right choice, from whatever names it.

        Tried in this order: its column or its name in the data, its text, its number from 0, A, B,
        …. A JSON number is first taken as the number, because the choices may be numbers, too; in a
        table, where a number is a text (not `typed`), one that may be either is refused.
        """
        names = list(map(str, keys))
        numbers = [str(n) for n in range(len(choices))]
        letters = [chr(ord("A") + n) for n in range(len(choices))]
        others = [numbers, choices] if isinstance(value, int) else [choices, numbers]
        for known in (names, *others, letters):
            if str(value) not in known:
                continue
            found = known.index(str(value))
            meant = [
                n
                for n in range(len(choices))
                if value == choices[n] or (value == numbers[n] and not typed)
            ]
            if known is choices and len(meant) > 1:
                raise InputError(
                    f"the label {value!r:.60} may mean the choices {meant[0]} and {meant[1]}, by "
                    "their texts or their numbers: give the column or the letter"
                )
            return found
        raise InputError(
            f"the label must be the number of a choice, 0 to {len(choices) - 1}, its letter, "
            f"its column or its text, not {value!r:.60}"
        )


CLASSES = TextReader()
NUMBERS = TextReader(numbers=True)
PAIRS = TextReader(numbers=True, pairs_only=True)
TAGS = TagReader()
CHOICES = ChoiceReader()
