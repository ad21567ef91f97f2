"""The formats of files with labelled data: text in, rows out, every fault with its line."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from minibert.config import InputError
from minibert.finetuning.tables.rows import Row
from minibert.hub.json_text import RefusedJSON, parse_json

# In CoNLL files, before a sentence. A word may be '#' or '##': the second form is a comment only
# where it has another number of fields than the words.
COMMENT, HEADING = re.compile(r"# ?[^\W\d]\S* = |# new(?:doc|par)\b"), "## "
DOCUMENT = "-DOCSTART-"
BLANK = "the line is blank"
LISTED = 20  # the number of names in a message


def csv_rows(
    text: str,
    name: str,
    format: str,
    header: Sequence[str] | None,
    refuse_blank: bool = False,
) -> Iterator[Row]:
    """The rows of a CSV or TSV file; `header` names the columns where no line does.

    A blank line between rows is left out, or an InputError if `refuse_blank`. A row whose fields
    are all empty is a row, except at the end of the file, where spreadsheets write such rows.
    """
    records = _without_end(_csv_records(text, name) if format == "csv" else _tsv_records(text))
    columns = [
        column.strip()
        for column in header or next((fields for _, fields in records if _has_text(fields)), [])
    ]
    if len(set(columns)) < len(columns):
        doubled = Counter(columns).most_common(1)[0][0]
        raise InputError(
            f"{name}: two columns are named {doubled!r}, among {listed(columns)}"
            + ("" if header else ". " + no_header(format))
        )
    first = True  # of the rows, which may name the columns again
    for number, fields in records:
        if not fields:
            if refuse_blank:
                raise InputError(f"{name}, line {number}: {BLANK}")
            continue
        if header and first and _folded(fields) == _folded(columns):
            raise InputError(
                f"{name}, line {number}: this line has the names given in --header. Leave out "
                "--header, which is for files without such a line"
            )
        first = False
        if len(fields) != len(columns):
            raise InputError(
                f"{name}, line {number}: expected {len(columns)} field{'s' * (len(columns) > 1)} "
                f"({listed(columns)}), found {len(fields)}: {_start(fields)}"
            )
        yield Row(dict(zip(columns, fields, strict=True)), f"{name}, line {number}")


def _csv_records(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Records with the line that each begins on; a quoted field may span several lines."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # a field may be a whole document
    begins = 1
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""), strict=True, skipinitialspace=_is_spaced(text)
        )
        for fields in reader:
            blank = len(fields) == 1 and fields[0] and not fields[0].strip()  # "" was quoted
            yield begins, [] if blank else fields
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"{name}, in what begins on line {begins}: {error}. A field with a quote or a comma "
            "must be quoted, and a quote inside it doubled (if quotes mean nothing in this file "
            "and tabs separate its fields: --format tsv)"
        ) from error


def _is_spaced(text: str) -> bool:
    """Whether spaces follow the commas: those between the names, or one before a quoted field of
    the first row.
    """
    lines = filter(_has_text, csv.reader(io.StringIO(text, newline=""), strict=True))
    try:
        names, row = next(lines, []), next(lines, [])
    except csv.Error:  # whoever reads the records reports it
        return False
    return any(field.startswith(" ") for field in names[1:]) or any(
        field.startswith(" ") and field.lstrip(" ").startswith('"') for field in row[1:]
    )


def _tsv_records(text: str) -> Iterator[tuple[int, list[str]]]:
    return (
        (number, line.split("\t") if line.strip() or "\t" in line else [])
        for number, line in enumerate(text.split("\n"), start=1)
    )


def _without_end(records: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """The records up to the last one that is not empty. A blank line has no fields."""
    empty: list[tuple[int, list[str]]] = []  # since the last record that is not
    for number, fields in records:
        empty.append((number, fields))
        if _has_text(fields):
            yield from empty
            empty = []


def _has_text(fields: list[str]) -> bool:
    return fields == [""] or any(field.strip() for field in fields)  # [""] was quoted


def _folded(names: Sequence[str]) -> list[str]:
    return [name.strip().casefold() for name in names]


def no_header(format: str) -> str:
    """Advice for the case that the first row of a file was taken for the names of its columns."""
    if format not in ("csv", "tsv"):
        return ""
    return (
        "If the file has no line with the names of its columns, give them, for example: "
        "--header text,label"
    )


def json_rows(text: str, name: str) -> Iterator[Row]:
    """The rows of JSON lines, of one JSON list, or of SQuAD's own format."""
    lines = [
        (number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()
    ]
    pairs: Iterable[tuple[str, Any]]
    try:
        first = parse_json(lines[0][1]) if lines else []
        whole = first if len(lines) <= 1 else None
    except RefusedJSON:
        whole = None  # the line is named below
    except (json.JSONDecodeError, RecursionError):
        whole = _json_value(text, name, 0)  # one value over many lines
    if isinstance(whole, dict) and _is_squad(whole):
        pairs = _squad_questions(whole["data"], name)
    elif isinstance(whole, list):
        pairs = ((f"{name}, row {number}", value) for number, value in enumerate(whole, start=1))
    elif whole is None or len(lines) == 1:
        pairs = (
            (f"{name}, line {number}", _json_value(line, name, number)) for number, line in lines
        )
    else:
        pairs = [(name, whole)]
    for where, value in pairs:
        if not isinstance(value, dict):
            raise InputError(
                f'{where}: expected an object such as {{"text": "...", "label": "..."}}, '
                f"found {_start(value)}"
            )
        yield Row(value, where)


def _is_squad(whole: dict[str, Any]) -> bool:
    """Whether "data" is a list of articles, and not a column."""
    data = whole.get("data")
    only = whole.keys() <= {"data", "version"}
    return isinstance(data, list) and (only or any(isinstance(one, dict) for one in data))


def _json_value(text: str, name: str, number: int) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{name}, line {number or error.lineno}: not JSON ({error.msg}, at character "
            f"{error.colno})"
        ) from error
    except RecursionError as error:
        raise InputError(f"{name}, line {number or 1}: not JSON (nested too deeply)") from error


def _squad_questions(articles: list[Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """SQuAD's own format (Rajpurkar et al. 2016), as rows like those of its dataset on the hub.

    It nests data > paragraphs > qas.
    """
    for i, article in enumerate(articles, start=1):
        paragraphs = _list(article, "paragraphs", f"{name}, article {i}")
        for j, paragraph in enumerate(paragraphs, start=1):
            place = f"{name}, article {i}, paragraph {j}"
            for k, question in enumerate(_list(paragraph, "qas", place), start=1):
                if not isinstance(question, dict):
                    raise InputError(
                        f'{place}: expected objects in "qas", found {_start(question)}'
                    )
                row = {
                    "id": question.get("id"),
                    "title": article.get("title"),
                    "context": paragraph.get("context"),
                    "question": question.get("question"),
                    "answers": question.get("answers", []),
                }
                yield f"{place}, question {k}", row


def _list(value: Any, key: str, where: str) -> list[Any]:
    if not isinstance(value, dict) or not isinstance(value.get(key), list):
        raise InputError(
            f'{where}: expected an object with "{key}", a list, as in SQuAD\'s files; '
            f"found {_start(value)}"
        )
    values: list[Any] = value[key]
    return values


def conll_rows(text: str, name: str) -> Iterator[Row]:
    """Sentences: the first field of each line as its words, the last as their tags."""
    lines = text.split("\n")
    expected = next((len(_conll_fields(line)) for line in lines if _is_plain(line)), 0)
    words: list[list[str]] = []
    begins = 1
    for number, line in enumerate([*lines, ""], start=1):
        if not line.strip() or line.startswith(DOCUMENT):
            if words:
                tags = {"tags": [fields[-1] for fields in words]} if expected > 1 else {}
                yield Row(
                    {"words": [fields[0] for fields in words]} | tags, f"{name}, line {begins}"
                )
            words, begins = [], number + 1
            continue
        fields = _conll_fields(line)
        heads = line.startswith(HEADING) and len(fields) != expected
        if not words and (heads or COMMENT.match(line)):
            begins = number + 1
            continue
        expected = expected or len(fields)
        if len(fields) != expected or not fields[0]:
            raise InputError(
                f"{name}, line {number}: expected {expected} field{'s' * (expected > 1)} as on the "
                f"other lines, the word first and its tag last, found {line!r}"
            )
        words.append(fields)


def _conll_fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")] if "\t" in line else line.split()


def _is_plain(line: str) -> bool:
    """Whether a line certainly has a word."""
    return bool(line.strip()) and not line.startswith(("#", DOCUMENT))


def label_text_rows(text: str, name: str, refuse_blank: bool = False) -> Iterator[Row]:
    """Rows of a label and a text; a blank line between them is an InputError if `refuse_blank`."""
    for number, line in enumerate(text.rstrip().split("\n"), start=1):
        if line.strip():
            label, *rest = line.split(maxsplit=1)
            if not rest:
                raise InputError(
                    f"{name}, line {number}: expected a label, white space and a text, "
                    f"found {line!r}"
                )
            yield Row({"label": label, "text": rest[0].rstrip()}, f"{name}, line {number}")
        elif refuse_blank:
            raise InputError(f"{name}, line {number}: {BLANK}")


def listed(names: Sequence[str]) -> str:
    """The first names of columns, for messages."""
    return ", ".join(map(repr, names[:LISTED])) + ", …" * (len(names) > LISTED)


def _start(value: Any) -> str:
    return repr(value)[:60]
