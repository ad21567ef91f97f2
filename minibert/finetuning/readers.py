"""What each task reads of a row: its columns, and the example that they make."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minibert.finetuning.choices import ChoiceExample
from minibert.finetuning.columns import USUAL, Columns
from minibert.finetuning.questions import QuestionExample
from minibert.finetuning.tables import Row
from minibert.finetuning.tagging import TaggedExample
from minibert.finetuning.texts import TextExample


class BadRow(ValueError):
    """A row that could be left out: its answer is not where it should be."""


# -- values ------------------------------------------------------------------------------------------------------------

def _value(row: Row, column: str):
    if column not in row.values:
        raise ValueError(f"has no {column!r}; it has {', '.join(map(repr, row.values))}")
    return row.values[column]


def _text(row: Row, column: str) -> str:
    value = _value(row, column)
    if not isinstance(value, str):
        raise ValueError(f"{column!r} must be a text, not {value!r:.60}")
    if not value.strip():
        raise ValueError(f"{column!r} is empty")
    return value.strip()


def _class_name(row: Row, column: str) -> str:
    value = _value(row, column)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool):
        value = str(value).lower()
    if value is None or isinstance(value, str) and not value.strip():
        raise ValueError(f"has no label: {column!r} is {value!r}")
    if not isinstance(value, (str, int)):
        raise ValueError(f"{column!r} is {value!r:.60}; a label is a name or a whole number, one for each row (for other numbers: regression)")
    return str(value).strip()


def _number(row: Row, column: str) -> float:
    value = _value(row, column)
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{column!r} must be a number, such as 3.5, not {value!r:.60}")
    return number


def _list(row: Row, column: str) -> list:
    """A list, or what white space parts in a text."""
    value = _value(row, column)
    value = value.split() if isinstance(value, str) else value
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"{column!r} must be a list of at least one word, or words with spaces between them, not {row.values[column]!r:.60}")
    return list(value)


# -- readers -----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class TextReader:
    """Texts, or pairs of texts, with a class or a number."""

    numbers: bool = False
    pairs_only: bool = False
    roles = ("text", "pair", "label")
    otherwise = None                    # the format of a file whose name does not tell it

    def find(self, columns: Columns, labelled: bool) -> None:
        columns.guess_texts()
        if self.pairs_only and "pair" not in columns.found:
            raise ValueError(f"{columns.table.name}: wanted are two texts to compare. Say which columns hold them, with --text and --pair; "
                             f"there are {columns.listed()}")
        if labelled:
            columns.guess("label", USUAL["number" if self.numbers else "label"])

    def example(self, row: Row, columns: Mapping, labelled: bool, notes: Counter) -> TextExample:
        pair = _text(row, columns["pair"]) if "pair" in columns else None
        label = (_number if self.numbers else _class_name)(row, columns["label"]) if labelled else None
        return TextExample(_text(row, columns["text"]), pair, label)

    def check(self, rows: Sequence[Row], examples: Sequence[TextExample]) -> None:
        labels = {example.label for example in examples}
        if not self.numbers and len(labels) > max(20, len(examples) / 2):
            raise ValueError(f"{rows[0].where} and below: {len(labels):,} different labels in {len(examples):,} rows, such as {sorted(labels)[0]!r:.40}. "
                             "Is that the column of the labels (--label)? For numbers there is the task regression")


class TaggedReader:
    """Sentences as words, with a tag for each."""

    roles = ("words", "tags")
    otherwise = "conll"

    def find(self, columns: Columns, labelled: bool) -> None:
        columns.guess("words", USUAL["words"])
        if labelled:
            columns.guess("tags", USUAL["tags"])

    def example(self, row: Row, columns: Mapping, labelled: bool, notes: Counter) -> TaggedExample:
        words = _list(row, columns["words"])
        if (wrong := next((n for n, word in enumerate(words) if not isinstance(word, str) or not word.strip()), None)) is not None:
            raise ValueError(f"word {wrong + 1} of {columns['words']!r} must be a text that is not empty, not {words[wrong]!r:.60}")
        if not labelled:
            return TaggedExample(words)
        tags = _list(row, columns["tags"])
        if len(tags) != len(words):
            raise ValueError(f"{len(words)} words but {len(tags)} tags")
        if (wrong := next((n for n, tag in enumerate(tags) if tag is None or not isinstance(tag, (str, int)) or tag == ""), None)) is not None:
            raise ValueError(f"the tag of word {wrong + 1}, {words[wrong]!r}, is {tags[wrong]!r:.60}")
        return TaggedExample(words, list(map(str, tags)))

    def check(self, rows: Sequence[Row], examples: Sequence[TaggedExample]) -> None:
        """Where some tags begin with B- or I-, all others must be O."""
        if not any(tag[:2] in ("B-", "I-") for example in examples for tag in example.tags):
            return
        for row, example in zip(rows, examples, strict=True):
            for number, (word, tag) in enumerate(zip(example.words, example.tags), start=1):
                if tag != "O" and tag[:2] not in ("B-", "I-"):
                    raise ValueError(f"{row.where}: the tag of word {number}, {word!r}, is {tag!r}; beside tags with B- and I- there may be O only")


class QuestionReader:
    """Questions with the passage that answers them."""

    roles = ("question", "context", "answer", "answer_start")
    otherwise = None

    def find(self, columns: Columns, labelled: bool) -> None:
        columns.guess("question", USUAL["question"])
        columns.guess("context", USUAL["context"])
        if labelled:
            columns.guess("answer", USUAL["answer"])
            columns.guess("answer_start", USUAL["answer_start"], needed=False)

    def example(self, row: Row, columns: Mapping, labelled: bool, notes: Counter) -> QuestionExample | None:
        question, context = _text(row, columns["question"]), _value(row, columns["context"])
        _text(row, columns["context"])                  # not empty; kept as it is, for the answers' places in it
        if not labelled:
            return QuestionExample(question, context)
        answers = self._answers(row, columns)
        if not answers:
            notes["questions have no answer, left out"] += 1
            return None
        starts = [self._start(context, answer, start, notes) for answer, start in answers]
        return QuestionExample(question, context, [answer for answer, _ in answers], starts)

    def _answers(self, row: Row, columns: Mapping) -> list[tuple[str, object]]:
        """Each answer with the place that is said of it, or None: from a text, a list, or one of the two forms of SQuAD."""
        value = _value(row, columns["answer"])
        starts = row.values.get(columns["answer_start"]) if "answer_start" in columns else None
        if isinstance(value, dict):
            value, starts = value.get("text"), value.get("answer_start")
        elif isinstance(value, list) and all(isinstance(answer, dict) for answer in value):
            value, starts = [answer.get("text") for answer in value], [answer.get("answer_start") for answer in value]
        if value is None or value == "":
            return []
        answers = [value] if isinstance(value, str) else value
        starts = [None] * len(answers) if starts in (None, "") else starts if isinstance(starts, list) else [starts]
        if not isinstance(answers, list) or not all(isinstance(answer, str) and answer.strip() for answer in answers) or len(starts) != len(answers):
            raise ValueError(f"{columns['answer']!r} must be an answer, or a list of answers with a place for each, not {row.values[columns['answer']]!r:.80}")
        return list(zip(answers, starts))

    def _start(self, context: str, answer: str, start, notes: Counter) -> int:
        """The place of an answer in its passage; a wrong one is mended where there is one place only that it can mean."""
        count, first = context.count(answer), context.find(answer)
        if start in (None, ""):
            if count > 1:
                notes["answers without answer_start stand in their passage more than once: the first place is taken"] += 1
            if count:
                return first
            raise BadRow(f"the answer {answer!r:.60} is not in its passage")
        try:
            start = int(start)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the place of an answer must be a whole number, of the character at which it begins, not {start!r:.60}") from error
        if start >= 0 and context.startswith(answer, start):
            return start
        if count == 1:
            notes["answers were not at the place that is given, but in their passage once: the place is mended"] += 1
            return first
        there = "not in its passage" if not count else f"not at character {start} of its passage, and {count} times elsewhere in it"
        raise BadRow(f"the answer {answer!r:.60} is {there}")

    def check(self, rows: Sequence[Row], examples: Sequence[QuestionExample]) -> None:
        """Nothing that one row alone does not show."""


class ChoiceReader:
    """Texts with several ways to go on."""

    roles = ("text", "choices", "label")
    otherwise = None

    def find(self, columns: Columns, labelled: bool) -> None:
        columns.guess_choices()
        columns.found["choices"] = (names,) if isinstance(names := columns.found["choices"], str) else names
        columns.guess("text", USUAL["stem"])
        if labelled:
            columns.guess("label", [name for name in USUAL["right"] if columns.by_lower.get(name) not in columns.found["choices"]])

    def example(self, row: Row, columns: Mapping, labelled: bool, notes: Counter) -> ChoiceExample:
        names = columns["choices"]
        keys: list = list(names)                        # by which a label may name a choice
        if len(names) == 1:
            choices, keys = _value(row, names[0]), []
            if isinstance(choices, dict):               # {"text": [...], "label": ["A", ...]}
                choices, keys = choices.get("text"), choices.get("label")
            if not isinstance(choices, list) or len(choices) < 2 or not all(isinstance(choice, str) and choice.strip() for choice in choices):
                raise ValueError(f"{names[0]!r} must be a list of at least two texts, not {row.values[names[0]]!r:.80}")
        else:
            choices = [_text(row, name) for name in names]
        label = self._right(_value(row, columns["label"]), choices, keys) if labelled else None
        return ChoiceExample(_text(row, columns["text"]), choices, label)

    def _right(self, value, choices: list[str], keys: list) -> int:
        """The number of the right choice: by the name of its column or its letter in the set, by its text, by its number from 0, by A, B, …"""
        for known in (keys, choices, [str(n) for n in range(len(choices))], [chr(ord("A") + n) for n in range(len(choices))]):
            if str(value) in known:
                return known.index(str(value))
        raise ValueError(f"the label must be the number of a choice, 0 to {len(choices) - 1}, its letter, its column or its text, not {value!r:.60}")

    def check(self, rows: Sequence[Row], examples: Sequence[ChoiceExample]) -> None:
        """Nothing that one row alone does not show."""


# What `minibert finetune` knows, by the names of the tasks.
READERS = {"classification": TextReader(), "regression": TextReader(numbers=True), "similarity": TextReader(numbers=True, pairs_only=True),
           "tagging": TaggedReader(), "questions": QuestionReader(), "choice": ChoiceReader()}
