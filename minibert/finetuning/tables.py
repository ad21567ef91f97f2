"""Labelled data as rows of named values, each with the place that it stands at: files of several kinds, or a set on the hub."""

import codecs
import csv
import gzip
import io
import json
import lzma
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from minibert.data.files import DAMAGED
from minibert.data.hub_sets import open_hub_set

# What --format knows, and the suffixes that name it, before a .gz or .xz.
SUFFIXES = {"csv": (".csv",), "tsv": (".tsv", ".tab"), "json": (".json", ".jsonl", ".ndjson"), "conll": (".conll", ".bio", ".iob", ".iob2"), "label-text": ()}
FORMATS = tuple(SUFFIXES)
SPLITS = ("train", "validation", "test")
SET_NAME = re.compile(r"(?P<path>\w[\w.-]*/\w[\w.-]*)(?::(?P<config>[\w.-]*))?(?::(?P<split>[\w.-]+))?")
COMMENT = re.compile(r"## |# ?\S+ = ")          # in CoNLL files; a word may be '#'
SIGNATURES = {b"PK\x03\x04": "a ZIP archive (as .xlsx and .ods are): export it as CSV first", b"PAR1": "a Parquet file: export it as CSV or JSON lines first",
              b"\xd0\xcf\x11\xe0": "an old Office file: export it as CSV first"}


@dataclass(frozen=True)
class Row:
    """One row of labelled data: `values` by the names of the columns, and `where` it stands, for complaints."""

    values: dict
    where: str


@dataclass(frozen=True)
class Table:
    """All rows of a file or a set. A row may lack some of the `columns`, in JSON lines."""

    name: str
    format: str
    columns: list[str]
    rows: list[Row]


def read_table(source, split: str = "train", *, format: str | None = None, header: Sequence[str] | None = None, encoding: str | None = None,
               otherwise: str | None = None) -> Table:
    """The rows of a file, of standard input ('-') or of a set on the hub, such as 'nyu-mll/glue:sst2'.

    split       of a set on the hub: 'train', 'validation' or 'test'. Its name may have a third part that says another:
                'nyu-mll/glue:mnli:validation_matched'
    format      of a file, by default what its suffix says, and `otherwise` where that says nothing:
                'csv'         a line that names the columns, then rows; quotes as spreadsheets write them
                'tsv'         the same with tabs between the fields; a quote is a letter like others
                'json'        a row a line, or a list of rows, or SQuAD's own form
                'conll'       a word and its tag on each line (first and last field), a blank line between sentences
                'label-text'  a line is the label, white space, the text
                each perhaps with .gz or .xz at the end of the name
    header      the names of the columns of a CSV or TSV file that has no line for them
    encoding    by default UTF-8, or UTF-16 with its mark
    Errors: a ValueError with file and line for what cannot be read, is in another encoding or format, or has no rows.
    """
    path = Path(source).expanduser()
    matched = SET_NAME.fullmatch(str(source))
    if str(source) != "-" and not path.exists() and matched and format is None and not _format_of(path):
        return _hub_table(str(source), matched["path"], matched["config"] or None, matched["split"] or split)
    format = format or _format_of(path) or otherwise
    if format is None:
        raise ValueError(f"cannot tell the format of {source} from its name: say it with --format, one of {', '.join(FORMATS)}")
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    if header and format not in ("csv", "tsv"):
        raise ValueError(f"--header names the columns of CSV and TSV files; {source} is read as {format}, which has names of its own")
    name = "standard input" if str(source) == "-" else str(source)
    text = _decode(_read(path), name, encoding)
    rows = list({"csv": _csv_rows, "tsv": _csv_rows, "json": _json_rows, "conll": _conll_rows, "label-text": _label_text_rows}[format](
        text, name, *((format, header) if format in ("csv", "tsv") else ())))
    if not rows:
        raise ValueError(f"{name} has no rows" + (" below the line that names its columns" if format in ("csv", "tsv") and text.strip() and not header else ""))
    return Table(name, format, list(dict.fromkeys(column for row in rows for column in row.values)), rows)


def _format_of(path: Path) -> str | None:
    suffix = Path(path.stem).suffix if path.suffix in (".gz", ".xz") else path.suffix
    return next((format for format, suffixes in SUFFIXES.items() if suffix.lower() in suffixes), None)


# -- bytes and text ----------------------------------------------------------------------------------------------------

def _read(path: Path) -> bytes:
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read()
        with {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise ValueError(f"there is no file {str(path)!r} (looked for in {Path.cwd()})") from error
    except DAMAGED as error:
        raise ValueError(f"{path}: the compressed file is damaged or cut short ({error})") from error
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error


def _decode(data: bytes, name: str, encoding: str | None) -> str:
    if what := next((what for signature, what in SIGNATURES.items() if data.startswith(signature)), None):
        raise ValueError(f"{name} is {what}")
    if encoding is None and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif encoding is None and b"\0" in data:
        raise ValueError(f"{name}, line {_line(data, data.index(0))}: holds a zero byte, so this is no text file (UTF-16 without its mark: --encoding utf-16-le)")
    try:
        text = data.decode(encoding or "utf-8-sig").removeprefix("\ufeff")
    except LookupError as error:
        raise ValueError(f"{name}: Python knows no text encoding {encoding!r}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}, line {_line(error.object, error.start)}: not {encoding or 'UTF-8'} text (a byte is {error.object[error.start]:#04x}); "
                         "name its encoding with --encoding, such as cp1252 or euc-kr") from error
    except UnicodeError as error:
        raise ValueError(f"{name} cannot be read as {encoding}: {error}") from error
    text = text.replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")           # the line ends of very old Macs


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


# -- CSV and TSV -------------------------------------------------------------------------------------------------------

def _csv_rows(text: str, name: str, format: str, header: Sequence[str] | None) -> Iterator[Row]:
    records = _csv_records(text, name) if format == "csv" else _tsv_records(text)
    columns = [column.strip() for column in header or next(records, (0, []))[1]]
    if doubled := next((column for column in columns if columns.count(column) > 1), None):
        raise ValueError(f"{name}: two columns are called {doubled!r}, among {_listed(columns)}" + ("" if header else ". " + no_header(format)))
    for number, fields in records:
        if len(fields) != len(columns):
            raise ValueError(f"{name}, line {number}: wanted {len(columns)} field{'s' * (len(columns) > 1)} ({_listed(columns)}), found {len(fields)}: "
                             f"{_start(fields)}")
        yield Row(dict(zip(columns, fields)), f"{name}, line {number}")


def _csv_records(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Records with the line that each begins on; one may go over several lines, inside quotes."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))        # a field may be a whole document
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield begins, fields
            begins = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{name}, in what begins on line {begins}: {error}. A field that holds a quote or a comma stands in quotes, "
                         "a quote inside it is written twice (if quotes mean nothing in this file and tabs part its fields: --format tsv)") from error


def _tsv_records(text: str) -> Iterator[tuple[int, list[str]]]:
    return ((number, line.split("\t")) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def no_header(format: str) -> str:
    """What to do where the first row of a file was taken for the names of its columns."""
    return "If the file has no line with the names of its columns, give them, for example: --header text,label" if format in ("csv", "tsv") else ""


# -- JSON, CoNLL, labels in front --------------------------------------------------------------------------------------

def _json_rows(text: str, name: str) -> Iterator[Row]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    try:
        first = json.loads(lines[0][1]) if lines else []
        whole = first if len(lines) <= 1 else None
    except (json.JSONDecodeError, RecursionError):
        whole = _json_value(text, name, 0)              # one value over many lines
    if isinstance(whole, dict) and isinstance(whole.get("data"), list):
        pairs = _squad_questions(whole["data"], name)
    elif isinstance(whole, list):
        pairs = ((f"{name}, row {number}", value) for number, value in enumerate(whole, start=1))
    elif whole is None or len(lines) == 1:
        pairs = ((f"{name}, line {number}", _json_value(line, name, number)) for number, line in lines)
    else:
        pairs = [(name, whole)]
    for where, value in pairs:
        if not isinstance(value, dict):
            raise ValueError(f'{where}: wanted an object such as {{"text": "...", "label": "..."}}, found {_start(value)}')
        yield Row(value, where)


def _json_value(text: str, name: str, number: int):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, line {number or error.lineno}: not JSON ({error.msg}, at letter {error.colno})") from error
    except RecursionError as error:
        raise ValueError(f"{name}, line {number or 1}: not JSON (nested too deeply)") from error


def _squad_questions(articles: list, name: str) -> Iterator[tuple[str, dict]]:
    """SQuAD's own form (Rajpurkar et al. 2016): data > paragraphs > qas, as rows like those of its form on the hub."""
    for i, article in enumerate(articles, start=1):
        for j, paragraph in enumerate(_list(article, "paragraphs", f"{name}, article {i}"), start=1):
            place = f"{name}, article {i}, paragraph {j}"
            for k, question in enumerate(_list(paragraph, "qas", place), start=1):
                if not isinstance(question, dict):
                    raise ValueError(f'{place}: wanted objects in "qas", found {_start(question)}')
                row = {"id": question.get("id"), "title": article.get("title"), "context": paragraph.get("context"),
                       "question": question.get("question"), "answers": question.get("answers", [])}
                yield f"{place}, question {k}", row


def _list(value, key: str, where: str) -> list:
    if not isinstance(value, dict) or not isinstance(value.get(key), list):
        raise ValueError(f'{where}: wanted an object with "{key}", a list, as in SQuAD\'s files; found {_start(value)}')
    return value[key]


def _conll_rows(text: str, name: str) -> Iterator[Row]:
    words, begins, wanted = [], 1, None
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if not line.strip() or line.startswith("-DOCSTART-"):
            if words:
                tags = {"tags": [fields[-1] for fields in words]} if wanted > 1 else {}
                yield Row({"words": [fields[0] for fields in words]} | tags, f"{name}, line {begins}")
            words, begins = [], number + 1
            continue
        if COMMENT.match(line):
            begins = begins if words else number + 1
            continue
        fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
        wanted = wanted or len(fields)
        if len(fields) != wanted or not fields[0]:
            raise ValueError(f"{name}, line {number}: wanted {wanted} field{'s' * (wanted > 1)} as on the lines before, the word first and its tag last, "
                             f"found {line!r}")
        words.append(fields)


def _label_text_rows(text: str, name: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            label, *rest = line.split(maxsplit=1)
            if not rest:
                raise ValueError(f"{name}, line {number}: wanted a label, white space and a text, found {line!r}")
            yield Row({"label": label, "text": rest[0].rstrip()}, f"{name}, line {number}")


# -- sets on the hub ---------------------------------------------------------------------------------------------------

def _hub_table(name: str, path: str, config: str | None, split: str) -> Table:
    """A split of a set; numbers of classes become their names, and -1, which stands for an unknown one, becomes None."""
    what = f"the set {name!r}, {split}"
    stream = open_hub_set(what, path, split, "give a file; there is none of this name", name=config)
    classes = {column: names for column, feature in (stream.features or {}).items() if (names := _class_names(feature))}
    rows = []
    try:
        for number, values in enumerate(tqdm(stream, desc=f"Reading {path}, {split}", unit=" rows", disable=None, leave=False), start=1):
            rows.append(Row({column: _named(value, classes.get(column)) for column, value in values.items()}, f"{what}, row {number}"))
    except Exception as error:          # the client and its network library each raise their own families
        raise ValueError(f"cannot read {what}, after row {len(rows)}: {type(error).__name__}: {error}") from error
    if not rows:
        raise ValueError(f"{what} has no rows")
    return Table(what, "hub", list(rows[0].values), rows)


def _class_names(feature) -> list[str] | None:
    """The names of a ClassLabel, or of a list of them."""
    inner = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
    return getattr(inner, "names", None)


def _named(value, names: list[str] | None):
    if names is None or value is None:
        return value
    if isinstance(value, list):
        return [_named(one, names) for one in value]
    return names[value] if value >= 0 else None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _start(value) -> str:
    return repr(value)[:60]
