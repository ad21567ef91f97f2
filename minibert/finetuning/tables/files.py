"""Read labelled data as rows of named values, each with its place in the file."""

import codecs
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from minibert.config import InputError
from minibert.data.compressed import DAMAGED, open_decompressed
from minibert.data.files import decoded
from minibert.finetuning.tables.formats import (
    conll_rows,
    csv_rows,
    json_rows,
    label_text_rows,
)
from minibert.finetuning.tables.hub import hub_table
from minibert.finetuning.tables.rows import FORMATS, Row, Table, format_of
from minibert.hub.find_pretrained import expanded

SET_NAME = re.compile(
    r"(?P<path>\w[\w.-]*/\w[\w.-]*)(?::(?P<config>[\w.-]*))?(?::(?P<split>[\w.-]+))?"
)
SIGNATURES = {
    b"PK\x03\x04": "a ZIP archive (as .xlsx and .ods are): export it as CSV first",
    b"PAR1": "a Parquet file: export it as CSV or JSON lines first",
    b"\xd0\xcf\x11\xe0": "an old Office file: export it as CSV first",
}


def read_table(
    source: str | Path,
    split: str = "train",
    *,
    format: str | None = None,
    header: Sequence[str] | None = None,
    encoding: str | None = None,
    otherwise: str | None = None,
    refuse_blank: bool = False,
) -> Table:
    """The rows of a file, of standard input ('-'), or of a dataset such as 'nyu-mll/glue:sst2'.

    split       of a dataset on the hub: 'train', 'validation' or 'test'. A third part of its name
                overrides this: 'nyu-mll/glue:mnli:validation_matched'
    format      of a file; by default what its suffix says, and `otherwise` where that says nothing:
                'csv'         a line that names the columns, then rows; quotes as in spreadsheets
                'tsv'         the same with tabs between the fields; quotes have no meaning
                'json'        a row on each line, or a list of rows, or SQuAD's own format
                'conll'       on each line a word and its tag (the first and the last field), a
                              blank line between sentences
                'label-text'  on each line the label, white space, the text
                and any of them with .gz or .xz at the end of the name
    header      the names of the columns of a CSV or TSV file that has no line for them
    encoding    by default UTF-8, or UTF-16 or UTF-32 with a byte order mark
    refuse_blank    refuse a blank line between the rows of a format with a row on each line; left
                out, it would shift the answers below it against the lines

    Raises an InputError with file and line for what cannot be read, has another encoding or
    format, or has no rows.
    """
    path, name = expanded(source), str(source)
    matched = SET_NAME.fullmatch(name)
    is_file = name == "-" or path.exists() or format is not None or format_of(path) is not None
    if matched and not is_file:
        return hub_table(
            name, matched["path"], matched["config"] or None, matched["split"] or split
        )
    if path.is_dir():
        raise InputError(f"{source} is a folder; expected a file with rows")
    format = format or format_of(path) or otherwise
    if format is None and path.is_file():
        _refuse_binary(_read(path), name)  # .xlsx and .parquet get advice of their own
    if format is None and name != "-" and not path.exists():
        raise InputError(f"there is no file {source}")
    if format is None:
        raise InputError(
            f"cannot tell the format of {source} from its name: give --format, one of "
            f"{', '.join(FORMATS)}"
        )
    if format not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    if header and format not in ("csv", "tsv"):
        raise InputError(
            f"--header names the columns of CSV and TSV files; {source} is read as {format}, which "
            "has names of its own"
        )
    name = "standard input" if name == "-" else name
    text = _decode(_read(path), name, encoding)
    rows = list(_rows(text, name, format, header, refuse_blank))
    if not rows:
        only_header = format in ("csv", "tsv") and text.strip() and not header
        raise InputError(
            f"{name} has no rows" + " below the line that names its columns" * bool(only_header)
        )
    columns = list(dict.fromkeys(column for row in rows for column in row.values))
    return Table(name, format, columns, rows)


def _rows(
    text: str, name: str, format: str, header: Sequence[str] | None, refuse_blank: bool
) -> Iterator[Row]:
    if format in ("csv", "tsv"):
        return csv_rows(text, name, format, header, refuse_blank)
    if format == "label-text":
        return label_text_rows(text, name, refuse_blank)
    return {"json": json_rows, "conll": conll_rows}[format](text, name)


def _read(path: Path) -> bytes:
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read()
        with open_decompressed(path) as file:
            return file.read()
    except FileNotFoundError as error:
        raise InputError(f"there is no file {str(path)!r} (looked for in {Path.cwd()})") from error
    except DAMAGED as error:
        raise InputError(
            f"{path}: the compressed file is damaged or cut short ({error})"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def _decode(data: bytes, name: str, encoding: str | None) -> str:
    _refuse_binary(data, name)
    if encoding is None and data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        encoding = "utf-32"  # before UTF-16, whose mark is the first half of this one
    elif encoding is None and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif encoding is None and b"\0" in data:
        raise InputError(
            f"{name}, line {_line(data, data.index(0))}: holds a zero byte, so this is not a text "
            "file (for UTF-16 without a byte order mark: --encoding utf-16-le)"
        )
    try:
        text = decoded(data, encoding or "utf-8-sig").removeprefix("\ufeff")
        text.encode()  # fails where UTF-7 gives half of a surrogate pair, which is no character
    except LookupError as error:
        raise InputError(f"{name}: Python knows no text encoding {encoding!r:.60}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}, line {_line(error.object, error.start)}: not {encoding or 'UTF-8'} text "
            f"(a byte is {error.object[error.start]:#04x}); "
            "name its encoding with --encoding, such as cp1252 or euc-kr"
        ) from error
    except UnicodeError as error:
        raise InputError(f"{name} cannot be read as {encoding}: {error}") from error
    text = text.replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")  # the line ends of very old Macs


def _refuse_binary(data: bytes, name: str) -> None:
    for signature, what in SIGNATURES.items():
        if data.startswith(signature):
            raise InputError(f"{name} is {what}")


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1
