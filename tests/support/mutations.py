"""Small changes of a file's bytes: anywhere, and in the JSON inside, with what frames it kept right."""

import io
import json
import random
import zipfile
from collections.abc import Callable

ODD = [
    *(None, True, 0, 1, -1, 7, 2**31, 10**25, 1e308, float("nan"), float("inf")),
    *("", " ", "x", "é\ud800\n", "\0", "../x", "1", "x" * 300),
    *([], [[]], [None], [1, 2], [10**9, 10**9], {}, {"a": 1}, {"": []}),
]
BYTES = [
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\n\n\n", b"\t", b"\x1b[31m"),
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"-1", b"1e999", b"NaN", b"9" * 30),
    *("\u2028é\u00a0".encode(), "日本。".encode(), b" " * 100, b"[" * 2000, b"a" * 300),
]
WORDS = {
    "html": (
        b"<p> <li> <ul> <table> <tr> <td> </td> <pre> <br> <title> <script> </script> <!-- --> <![CDATA[ <?x ?> "
        b"&amp; &#x110000; &#0; &nosuch; <a> </ <nav> <h1> <svg> <template> <meta\tcharset=utf-16> <meta\tcharset=x>"
    ).split(b" "),
    "markdown": (
        rb"# *** __ ` ``` ~~~ ---\n 1.\t - >\t | |-|-|\n [x]( ][ ]: ![ <div> \n\n\t \n===\n [^1] [^1]:\t $$ \( :::\n {#x}"
    )
    .replace(rb"\n", b"\n")
    .replace(rb"\t", b"\t")
    .split(b" "),
    "pickle": [
        bytes([code]) for code in b".()0125BCGIJKLMNQRSTUVXabcdeghijlopqrstu}]\x80\x81\x85\x95"
    ],
}


def mutated(data: bytes, others: list[bytes], draw: random.Random, kind: str) -> bytes:
    """The data with one to four small changes. `others` are files of which parts are put in."""
    change = FRAMED.get(kind, _plain)
    for _ in range(draw.choice((1, 1, 2, 4))):
        data = change(data, others, draw, kind)
    return data[:100_000]


def _plain(data: bytes, others: list[bytes], draw: random.Random, kind: str) -> bytes:
    first, last = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    last = min(last, first + draw.choice((1, 4, 40, 4000)))
    part = data[first:last]
    other = draw.choice(others) or b" "
    begin = draw.randrange(len(other))
    middle: Callable[[], bytes] = draw.choice(
        [
            lambda: b"",  # left out
            lambda: part * draw.choice((2, 3, 50)),
            lambda: draw.choice(BYTES + WORDS.get(kind, BYTES)) + part,
            lambda: part + draw.choice(WORDS.get(kind, BYTES)),
            lambda: draw.randbytes(len(part[:8])),
            lambda: other[begin : begin + draw.choice((4, 40, 400))],
            lambda: part[::-1],
        ]
    )
    return data[:first] + middle() + data[last:]


def _json(data: bytes, others: list[bytes], draw: random.Random, kind: str) -> bytes:
    """Another value somewhere in it, a name less, or a name more."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict | list) or draw.random() < 0.2:
        return _plain(data, others, draw, kind)
    places, waiting = [], [value]
    while waiting:
        inner = waiting.pop()
        for key in inner if isinstance(inner, dict) else range(len(inner)):
            places.append((inner, key))
            waiting += [inner[key]] * isinstance(inner[key], dict | list)
    if not places:
        return json.dumps(draw.choice(ODD)).encode()
    inner, key = draw.choice(places)
    if draw.random() < 0.8:
        inner[key] = draw.choice([*ODD, draw.choice(places)[0], [inner[key]], str(inner[key])])
    elif isinstance(inner, dict) and draw.random() < 0.5:
        inner[f"{key}x"] = inner[key]
    else:
        del inner[key]
    try:
        return json.dumps(value).encode()
    except (ValueError, RecursionError):  # it has come to hold itself
        return data


def _json_lines(data: bytes, others: list[bytes], draw: random.Random, kind: str) -> bytes:
    lines = data.split(b"\n")
    number = draw.randrange(len(lines))
    lines[number] = _json(lines[number], others, draw, kind)
    return b"\n".join(lines)


def _safetensors(data: bytes, others: list[bytes], draw: random.Random, kind: str) -> bytes:
    size = int.from_bytes(data[:8], "little")
    if size > len(data) or draw.random() < 0.3:
        return _plain(data, others, draw, kind)
    header = _json(data[8 : 8 + size], others, draw, kind)
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


def _tokens(data: bytes, others: list[bytes], draw: random.Random, kind: str) -> bytes:
    if draw.random() < 0.3:
        return _plain(data, others, draw, kind)
    header = _json(data[8:512].strip(), others, draw, kind)
    return data[:8] + header.ljust(504)[:504] + data[512:]


def _zip(data: bytes, others: list[bytes], draw: random.Random, kind: str) -> bytes:
    """A change in the pickle of a zip archive, whose checksums stay right."""
    written = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(written, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name.endswith(".pkl") or draw.random() < 0.05:
                    content = _plain(content, [content], draw, "pickle")
                new.writestr(name, content)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return _plain(data, others, draw, kind)
    return written.getvalue()


FRAMED = {
    "json": _json,
    "jsonl": _json_lines,
    "safetensors": _safetensors,
    "tokens": _tokens,
    "zip": _zip,
}
