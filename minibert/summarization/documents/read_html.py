"""The readable text of an HTML page: paragraphs, list items and headings; no menus, no scripts.

Beautiful Soup parses the page (package beautifulsoup4, imported when the first page is read).
Nothing that the page refers to is opened.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from minibert.config import InputError
from minibert.summarization.documents.read_text import STOP, Part, lay_out, text_parts

INSTALL = "pip install beautifulsoup4"

# Removed before parsing: unclosed comments and tags, over which the parser would take long.
NEVER_SHOWN = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--(?:-?>|.*?(?:--!?>|\Z))|<![^>]*(?:>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
LONG_REFERENCE = re.compile(r"&#\d{100,};?")  # to a character that there cannot be
UNFINISHED = re.compile(r"<[a-z/?][^<]*", re.IGNORECASE)
EMPTY_LINE = re.compile(r"\n\s*\n")  # of two <br>


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEADINGS = _names("h1 h2 h3 h4 h5 h6 dt caption figcaption legend summary")
KINDS = {"li": "item", "dd": "item", "td": "cell", "th": "cell"} | dict.fromkeys(
    HEADINGS, "heading"
)
BLOCKS = HEADINGS | _names(
    """address article aside blockquote body center dd details dialog dir div dl fieldset figure
    form hgroup hr html li main ol p section table tbody td tfoot th thead tr ul"""
)
# A block ends an open <p>, whose end tag is optional; Python's parser does not know that.
PARAGRAPH_END = re.compile(rf"(?=<(?:{'|'.join(sorted(BLOCKS))})\b)", re.IGNORECASE)
STRAY_END = re.compile(r"</p\s*>", re.IGNORECASE)  # ends a block even where no <p> is open
MENUS = "menus, headers, footers"
# Elements that are not read, and what `left_out` counts them as ("": not counted).
SKIPPED = (
    dict.fromkeys(_names("template title svg math iframe object canvas audio video"), "")
    | dict.fromkeys(_names("noscript button select textarea"), "")
    | dict.fromkeys(_names("nav header footer menu"), MENUS)
    | {"pre": "code blocks"}
)
ROLES = _names("navigation banner contentinfo search menu menubar toolbar dialog")
INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
PERMALINKS = frozenset("¶#§🔗")


def html_parts(page: str) -> tuple[list[Part], str | None, Counter[str]]:
    """The parts of a page, its title, and counts of what was left out.

    If the page marks its <main> part and that holds text, only it is read. Raises an InputError
    that says what to install where Beautiful Soup is missing, and for a page that it refuses.
    """
    soup, left_out = _parse(page), Counter[str]()
    title = soup.find("title")
    if title and title.find_parent("svg"):
        title = None
    found = list(_parts(_leaves(soup, left_out)))
    parts = [part for part, _ in found]
    main = [part for part, in_main in found if in_main]
    if any(part.kind in ("paragraph", "item") for part in main) and len(main) < len(parts):
        left_out["blocks outside of <main>"] = len(parts) - len(main)
        parts = main
    if not any(part.kind in ("paragraph", "item") for part in parts) and (code := _code(soup)):
        parts += text_parts(code)  # a text that was put on the web in one <pre>
        del left_out["code blocks"]
    name = " ".join(title.get_text().split()) if title else ""
    return parts, name or None, left_out


def _parse(page: str) -> Any:
    try:
        from bs4 import BeautifulSoup
        from bs4.builder import ParserRejectedMarkup
    except ImportError as error:
        raise InputError(
            f"reading HTML needs the package beautifulsoup4, which is not installed: {INSTALL}"
        ) from error
    page = LONG_REFERENCE.sub("\ufffd", NEVER_SHOWN.sub("", page))
    shown = page.rfind(">") + 1
    page = PARAGRAPH_END.sub(
        "</p>", STRAY_END.sub(r"\g<0><div></div>", page[:shown])
    ) + UNFINISHED.sub("", page[shown:])
    try:
        return BeautifulSoup(page, "html.parser")
    except ParserRejectedMarkup as error:
        raise InputError(
            "Beautiful Soup cannot parse this HTML: a part that begins with '<![' is broken"
        ) from error


def _code(soup: Any) -> str:
    """The text of all <pre>, once also where one is in another."""
    texts, inner = list[str](), set[int]()
    for pre in soup.find_all("pre"):
        if id(pre) not in inner:
            texts.append(pre.get_text())
            inner.update(map(id, pre.find_all("pre")))
    return "".join(texts)


def _why_skipped(element: Any) -> str | None:
    """What an element that is not read is counted as ("": not counted); None for one that is
    read."""
    if element.name in SKIPPED:
        return SKIPPED[element.name]
    if element.get("role") in ROLES:
        return MENUS
    hidden = element.has_attr("hidden") or element.get("aria-hidden") == "true"
    return "hidden parts" if hidden or INVISIBLE.search(element.get("style", "")) else None


class Leaf(NamedTuple):
    """A text of the page with what surrounds it."""

    block: int  # the number of the block that it belongs to
    kind: str
    in_main: bool
    in_link: bool
    text: str


def _leaves(root: Any, left_out: Counter[str]) -> Iterator[Leaf]:
    """Every text that is read, in order; `left_out` counts the elements that are not."""
    block = 0
    stack = [(iter(root.children), "paragraph", False, False, True)]
    while stack:
        children, kind, in_main, in_link, is_block = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            block += is_block
        elif child.name is None:
            yield Leaf(block, kind, in_main, in_link, child.replace("\n", " "))
        elif child.name == "br":
            yield Leaf(block, kind, in_main, False, "\n")
        else:
            is_block, skipped = child.name in BLOCKS, _why_skipped(child)
            block += is_block or skipped is not None
            if skipped is None:
                kind = KINDS.get(child.name, kind)
                in_main = in_main or child.name == "main" or child.get("role") == "main"
                in_link = in_link or child.name == "a"
                stack.append((iter(child.children), kind, in_main, in_link, is_block))
            elif skipped:
                left_out[skipped] += 1


def _parts(leaves: Iterable[Leaf]) -> Iterator[tuple[Part, bool]]:
    """A part for each block, or several where empty lines divide it, and whether it is in
    <main>."""
    for (_, kind, in_main), group in groupby(leaves, key=lambda leaf: leaf[:3]):
        text, linked = "", 0
        for leaf in group:
            if not (leaf.in_link and leaf.text.strip() in PERMALINKS):
                text += leaf.text
                linked += leaf.in_link * len("".join(leaf.text.split()))
        ends = STOP.search(text.strip()) is not None
        if kind == "cell" and ends:
            kind = "paragraph"
        elif kind in ("paragraph", "item") and not ends and linked == len("".join(text.split())):
            kind = "links"
        for paragraph in EMPTY_LINE.split(text):
            if paragraph.strip():
                yield Part(kind, lay_out(paragraph.split("\n"))), in_main
