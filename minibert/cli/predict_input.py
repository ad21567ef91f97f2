"""Read the input of `minibert predict`: rows of a file, typed texts, or lines of standard input."""

import argparse
import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from minibert.cli.common import without_blanks
from minibert.cli.finetune_options import given_columns, given_header
from minibert.cli.predict import INPUTS
from minibert.config import InputError
from minibert.finetuning.model_io import FineTuned
from minibert.finetuning.tables.columns import flag
from minibert.finetuning.tables.examples import find_columns, make_examples
from minibert.finetuning.tables.files import read_table
from minibert.finetuning.tasks.choices import ChoiceExample
from minibert.finetuning.tasks.questions import QuestionExample
from minibert.finetuning.tasks.registry import task_entry
from minibert.finetuning.tasks.tagging import TaggedExample
from minibert.finetuning.tasks.texts import TextExample

MARK = "\u0301"  # stands for every combining mark while words are looked for
JOINERS = "\u200c\u200d"  # inside words of Persian and Hindi; no marks for Unicode
# A word as in tagged corpora, including hyphens, apostrophes, the punctuation inside a name or a
# web address, and commas between digits; or a single punctuation mark. Combining marks belong to
# the character before them.
PART = rf"\w[\w{MARK}]*"
WORD = re.compile(
    rf"[@#]?{PART}(?:(?::?//|[-'’.:/@_]|(?<=\d),(?=\d)){PART})*|[^\w\s{MARK}]{MARK}*|{MARK}+"
)

# an input's fields in the JSON output, and its example for the model
Input = tuple[dict[str, Any], Any]


def read_input(
    arguments: argparse.Namespace, tuned: FineTuned
) -> tuple[list[Mapping[str, Any]], list[Any]]:
    """Read all inputs: their fields in the JSON output, and their examples for the model.

    Raises an InputError for input that does not fit the model's task.
    """
    _refuse_options(arguments, tuned.task.name)
    if arguments.file:
        return _from_file(arguments, tuned)
    for option in ("format", "header", "encoding"):
        if getattr(arguments, option):
            raise InputError(f"--{option} needs a file: give one with --file")
    typed = _typed(arguments, tuned.task.name)
    inputs = (
        [_make_input(tuned, parts) for parts in typed]
        if typed is not None
        else [
            _make_input(tuned, line.split("\t"), f"standard input, text {number}")
            for number, line in enumerate(_standard_input(), start=1)
        ]
    )
    return [values for values, _ in inputs], [example for _, example in inputs]


def _refuse_options(arguments: argparse.Namespace, task: str) -> None:
    """Raise an InputError for an option that this task, or typed input, does not read."""
    columns = task_entry(task).columns
    for role in INPUTS:
        if getattr(arguments, role) is None:
            continue
        if role not in columns:
            readable = [flag(name) for name in columns if name in INPUTS]
            raise InputError(
                f"{flag(role)} has no meaning for {task}, which reads {', '.join(readable)}"
            )
        if role == "words" and not arguments.file:
            raise InputError("--words names a column of a file: give the file with --file")
    if arguments.texts and arguments.text is not None:
        raise InputError("give the text either as it is or with --text, not both")
    if arguments.texts and arguments.question is not None:
        raise InputError("give the question either as it is or with --question, not both")


def _from_file(
    arguments: argparse.Namespace, tuned: FineTuned
) -> tuple[list[Mapping[str, Any]], list[Any]]:
    """Read the rows of --file and their examples.

    The columns are those that the options name. Without such options, they are the columns of the
    training file if this file has them all, or else those with common names.
    """
    if arguments.texts:
        raise InputError(f"give texts or --file {arguments.file}, not both")
    task = tuned.task.name
    table = read_table(
        arguments.file,
        format=arguments.format,
        header=given_header(vars(arguments)),
        encoding=arguments.encoding,
        otherwise=task_entry(task).load_reader().default_format,
        refuse_blank=True,
    )
    columns: Mapping[str, str | Sequence[str]] = given_columns(vars(arguments))
    trained = {role: names for role, names in tuned.columns.items() if role in INPUTS}
    needed = [
        name
        for names in trained.values()
        for name in ([names] if isinstance(names, str) else names)
    ]
    if not columns and set(needed) <= set(table.columns):
        columns = trained
    found = find_columns(task, table, columns, labelled=False)
    if tuned.columns and task in ("classification", "regression"):
        if "pair" in tuned.columns and "pair" not in found:
            raise InputError(
                "this model was trained on pairs of texts: name the column of the second one with "
                "--pair"
            )
        if "pair" in found and "pair" not in tuned.columns:
            raise InputError(
                f"this model was trained on single texts, but {arguments.file} has the pair "
                f"{found['text']!r} and {found['pair']!r}: name the one to read with --text"
            )
    examples, _ = make_examples(task, table, found, labelled=False)
    return [row.values for row in table.rows], examples


def _typed(arguments: argparse.Namespace, task: str) -> list[list[str]] | None:
    """The parts of each input on the command line; None means to read standard input."""
    texts = arguments.texts
    if task == "questions":
        texts = texts or ([arguments.question] if arguments.question is not None else [])
        if arguments.context is not None and texts and texts != ["-"]:
            return [[text, arguments.context] for text in texts]
        if texts != ["-"] and (texts or arguments.context is not None):
            raise InputError(
                "this model answers questions from a passage: give both, "
                "--question 'Who …?' --context 'A passage.'"
            )
    more = arguments.choices if task == "choice" else None
    if task != "choice" and arguments.pair is not None:
        more = [arguments.pair]
    texts = texts or ([arguments.text] if arguments.text is not None else [])
    if len(texts) > 1 and "-" in texts:
        raise InputError("'-' means standard input: give it alone, or texts")
    if texts == ["-"] or (not texts and not sys.stdin.isatty() and more is None):
        return None
    if not texts:
        raise InputError(
            "give a text, --file, or texts on standard input "
            "('minibert predict --help' has examples)"
        )
    if more is not None and len(texts) > 1:
        raise InputError(
            f"give one text with its {'--choices' if task == 'choice' else '--pair'}, "
            f"not {len(texts)}; for several use a file (--file)"
        )
    return [[text, *(more or [])] for text in texts]


def _standard_input() -> list[str]:
    try:
        lines = sys.stdin.buffer.read().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"standard input is not UTF-8 text: byte {error.start} is "
            f"{error.object[error.start]:#04x}"
        ) from error
    if not any(line.strip() for line in lines):
        raise InputError("standard input has no text")
    while not lines[-1].strip():
        lines.pop()
    return without_blanks(lines, "standard input")


def _make_input(tuned: FineTuned, parts: Sequence[str], where: str = "") -> Input:
    """Make an input from its parts; `where` says where it came from, for error messages."""
    prefix = f"{where}: " if where else ""
    if any(not part.strip() for part in parts):
        raise InputError(f"{prefix}an empty text")
    if tuned.task.name == "tagging":
        text = " ".join(parts)
        words = split_words(text)
        if not words:
            raise InputError(f"{prefix}a text without a word: {text!r:.60}")
        return {"text": text, "words": words}, TaggedExample(words)
    if tuned.task.name == "questions":
        if len(parts) != 2:
            raise InputError(
                f"{prefix}expected a question, a tab and its passage, "
                f"found {len(parts)} part{'s' * (len(parts) > 1)}"
            )
        question, context = parts
        if not tuned.tokenizer.encode(question, add_special_tokens=False):
            raise InputError(f"{prefix}a question without a word: {question!r:.60}")
        return {"question": question, "context": context}, QuestionExample(question, context)
    if tuned.task.name == "choice":
        if len(parts) < 3:
            raise InputError(
                f"{prefix}this model makes a choice: expected a text and at least two choices "
                "(--choices 'one ending' 'another ending', or tabs between them)"
            )
        text, *choices = parts
        return {"text": text, "choices": choices}, ChoiceExample(text, choices)
    return _text_input(tuned, parts, prefix, from_line=bool(where))


def split_words(text: str) -> list[str]:
    """The words and punctuation marks of a text; combining marks stay with what they follow.

    `\\w` matches no marks, so all of them are replaced by one that the pattern names. Control
    characters and joiners that belong to no word are left out.
    """
    same_length = "".join(
        MARK if unicodedata.category(character)[0] == "M" or character in JOINERS else character
        for character in text
    )
    found = (text[slice(*match.span())] for match in WORD.finditer(same_length))
    return [word for word in found if any(unicodedata.category(c)[0] != "C" for c in word)]


def _text_input(tuned: FineTuned, parts: Sequence[str], prefix: str, from_line: bool) -> Input:
    """A single text, or a pair if the model was trained on pairs."""
    # None if another program trained the model, because its training data is unknown
    pairs = "pair" in tuned.columns if tuned.columns else None
    if pairs is False and from_line:
        parts = [" ".join(parts)]  # tabs inside a single text
    if pairs and len(parts) != 2:
        raise InputError(
            f"{prefix}this model was trained on pairs of texts: give the second one as well "
            "(--pair, or a tab between them)"
        )
    if (pairs is False and len(parts) != 1) or len(parts) > 2:
        raise InputError(
            f"{prefix}this model was trained on single texts, but this input has {len(parts)} texts"
        )
    return dict(zip(("text", "pair"), parts, strict=False)), TextExample(*parts)
