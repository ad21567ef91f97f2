"""A text, Markdown or HTML file, or standard input: its readable text, and the sentences in their
places in it."""

import codecs
import itertools
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from minibert.config import InputError
from minibert.data.files import decoded
from minibert.data.sentences import split_sentences
from minibert.hub.find_pretrained import read_input
from minibert.summarization.documents.read_html import NEVER_SHOWN, html_parts
from minibert.summarization.documents.read_markdown import markdown_parts
from minibert.summarization.documents.read_text import Part, text_parts
from minibert.summarization.documents.time_limit import time_limit

FORMATS = ("text", "markdown", "html")
SECONDS = (
    20  # processor time that reading a document may take, and as much for each million letters
)
SUFFIXES = {
    "markdown": (".md", ".markdown", ".mdown", ".mkd"),
    "html": (".html", ".htm", ".xhtml"),
    "text": (".txt", ".text", ".log", ".csv", ".tsv", ".rst"),
}

# The first bytes of files that people try, and that are no text.
SIGNATURES = {
    b"%PDF": "a PDF; save it as text first (pdftotext does)",
    b"PK\x03\x04": "a ZIP archive (as .docx, .odt and .epub are); save it as text or HTML first",
    b"\x1f\x8b": "compressed (gzip); unpack it first",
    b"\xd0\xcf\x11\xe0": "an old Office file; save it as text or HTML first",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"{\\rtf": "an RTF file; save it as text or HTML first",
}
# not in a description of the page, or of its author
META_CHARSET = re.compile(
    r"""<meta\b(?![^>]{0,200}\b(?:name|property|itemprop)\s*=)[^>]{0,200}?"""
    r"""\bcharset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE | re.ASCII,
)

# What is neither shown nor read: a terminal's colours and overstruck letters (as in man pages) ...
ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])|[^\n]\x08"
)
# ... control characters and soft hyphens, zero-width and direction marks, surrogates.
INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad"
    r"\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
LINE_ENDS = str.maketrans(
    {"\x85": "\n", "\u2028": "\n", "\v": "\n", "\f": "\n\n", "\u2029": "\n\n"}
)

# The stops of scripts that put no space after them, or have their own, with the quotes and brackets
# that close after them; in Japanese the sentence continues after 「…。」と. And a stop before a
# command's option, which begins with a lowercase letter.
OTHER_STOPS = re.compile(
    r"[。！？｡．؟۔।॥։።፧။។]++[!?…]*+[\"'’”»)\]」』）】》〉]*+(?!と)|[.!?](?= --?[a-z])"
)

MARKDOWN_SIGNS = [
    re.compile(sign, re.MULTILINE)
    for sign in (
        r"^ {0,3}(?:```|~~~)",
        r"^#{1,6} \S",
        r"\]\([^()\s]+\)",
        r"\*\*\S",
        r"^\|.*\|\s*$",
        r"^> ",
    )
]
HTML_TAG = re.compile(
    r"</?(?:p|div|span|a|br|h[1-6]|table|ul|li|meta|title|b|i|em|strong)\b[^<>]*>", re.IGNORECASE
)
HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


# What `left_out` calls the blocks of a kind that holds no sentences.
WITHOUT_SENTENCES = {
    "heading": "headings",
    "links": "lists of links",
    "cell": "cells of tables",
}


class Sentence(NamedTuple):
    """`document.text[start:end] == text`; `block` is the index of the paragraph or list item that
    it stands in."""

    text: str
    start: int
    end: int
    block: int


class Block(NamedTuple):
    """A stretch of the readable text: 'paragraph', 'item' (both hold sentences), 'heading', 'links'
    or 'cell' (of a table)."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """What was read. `text` is the readable text: blocks with a blank line between them (one line
    break between items), in which white space is single spaces; `left_out` counts what of the file
    is not in it or holds no sentence, such as 'code blocks'."""

    name: str
    format: str
    text: str
    blocks: list[Block]
    sentences: list[Sentence]
    left_out: dict[str, int]
    title: str | None = None


def read_file(name: str | Path, format: str | None = None, encoding: str | None = None) -> Document:
    """Read a file, or standard input where `name` is '-'.

    `format` is 'text', 'markdown' or 'html'; by default the name's suffix decides, and for other
    names a look at the text. `encoding` is by default UTF-8 (or UTF-16 with its mark), in HTML what
    the page says of itself. Nothing else is opened or fetched. Errors: a ValueError for what cannot
    be read, is no text, is in another encoding, or holds no sentence.
    """
    try:
        data = read_input(name)
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from error
    shown = "standard input" if str(name) == "-" else str(name)
    format = format or format_of_name(name)
    return read_text(decode(data, shown, format, encoding), format, shown)


def format_of_name(name: str | Path) -> str | None:
    """The format that a file's suffix names; None for an unknown suffix."""
    suffix = Path(name).suffix.lower()
    return next((format for format, suffixes in SUFFIXES.items() if suffix in suffixes), None)


def read_text(text: str, format: str | None = None, name: str = "the text") -> Document:
    """The document that a string holds; as `read_file`, with `name` for its errors."""
    if format not in (None, *FORMATS):
        raise InputError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    text = _clean(text)
    if not text.strip():
        raise InputError(f"{name} is empty: there is no text in it")
    format = format or _guess_format(text)
    title: str | None = None
    left_out = Counter[str]()
    allowed = SECONDS * (1 + len(text) / 1e6)
    too_long = (
        f"reading it as {format} takes more than {allowed:.0f} seconds, far longer than any "
        "ordinary document of its size"
    )
    try:
        with time_limit(allowed, too_long):
            if format == "text":
                parts = text_parts(text)
            elif format == "markdown":
                parts, title, left_out = markdown_parts(text)
            else:
                parts, title, left_out = html_parts(text)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    return _document(name, format, parts, title, left_out)


def decode(data: bytes, name: str, format: str | None = None, encoding: str | None = None) -> str:
    """The text of a file's bytes; `name` is for the errors, which are those of `read_file`."""
    if what := next(
        (what for signature, what in SIGNATURES.items() if data.startswith(signature)), None
    ):
        raise InputError(f"{name} is {what}")
    if encoding is None and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif encoding is None and b"\x00" in data:
        raise InputError(
            f"{name} is not text: byte {data.index(0)} is 0x00, as in a binary file (UTF-16 "
            "without its mark: --encoding utf-16-le)"
        )
    said, declared = "UTF-8", None
    if encoding is not None:
        said = encoding
    elif not data.startswith(codecs.BOM_UTF8):
        head = NEVER_SHOWN.sub("", data[:4096].decode("latin-1"))
        if format == "html" or (format is None and HTML_TAG.search(head)):
            declared = META_CHARSET.search(head)
    try:
        if declared:
            said = encoding = declared[1]
            if encoding.lower() in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"):
                encoding = "cp1252"  # what browsers read under these names
            if decoded(declared[0].encode("latin-1"), encoding, "replace") != declared[0]:
                said, encoding = "UTF-8", None  # such as UTF-16: it was found as ASCII
        return decoded(data, encoding or "utf-8-sig")
    except LookupError as error:
        advice = ", which the page declares: name its encoding with --encoding" * bool(declared)
        raise InputError(f"{name}: Python knows no text encoding {said!r:.60}{advice}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not {said} text: byte {error.start} is {error.object[error.start]:#04x}; "
            "name its encoding with --encoding, such as cp1252 or euc-kr"
        ) from error
    except UnicodeError as error:
        raise InputError(f"{name} cannot be read as {said}: {error}") from error


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(LINE_ENDS)
    return INVISIBLE.sub("", ESCAPES.sub("", text))


def _guess_format(text: str) -> str:
    if HTML_START.match(text) or (
        text.lstrip().startswith("<") and len(HTML_TAG.findall(text[:4096])) >= 3
    ):
        return "html"
    return "markdown" if sum(bool(sign.search(text)) for sign in MARKDOWN_SIGNS) >= 2 else "text"


def _document(
    name: str, format: str, parts: list[Part], title: str | None, left_out: Counter[str]
) -> Document:
    pieces, blocks, sentences = list[str](), list[Block](), list[Sentence]()
    at, before = 0, ""
    for kind, text in parts:
        text = "\n".join(
            line for line in (" ".join(line.split()) for line in _clean(text).split("\n")) if line
        )
        if not text:
            continue
        glue = "\n\n" if pieces else ""
        if kind == before and kind in ("item", "links", "cell"):
            glue = "\n"
        bullet = "- " if kind in ("item", "links") else ""
        at += len(glue) + len(bullet)
        found = (
            [
                Sentence(text[start:end], at + start, at + end, len(blocks))
                for start, end in _spans(text)
            ]
            if kind in ("paragraph", "item")
            else []
        )
        sentences += found
        if not found:
            left_out[WITHOUT_SENTENCES.get(kind, "blocks without words")] += 1
        blocks.append(Block(kind, at, at + len(text)))
        pieces += [glue, bullet, text]
        at += len(text)
        before = kind
    if not sentences:
        has = ", ".join(f"{what}: {count}" for what, count in left_out.items())
        raise InputError(
            f"{name} holds no sentence, read as {format}" + (f" ({has})" if has else "")
        )
    return Document(
        name,
        format,
        "".join(pieces),
        blocks,
        sentences,
        dict(left_out),
        (title and " ".join(_clean(title).split())) or None,
    )


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a block lie in it; a line break ends one, and so do the stops of other
    scripts."""
    spans, at = [], 0
    for line in text.split("\n"):
        cuts = [0, *(stop.end() for stop in OTHER_STOPS.finditer(line)), len(line)]
        for start, end in itertools.pairwise(cuts):
            start += line.startswith(" ", start, end)
            for sentence in split_sentences(
                line[start:end]
            ):  # in single-spaced text it takes one space away between two
                if any(letter.isalnum() for letter in sentence):
                    spans.append((at + start, at + start + len(sentence)))
                start += len(sentence) + 1
        at += len(line) + 1
    return spans
