"""The prose of a Wikipedia article, from its wiki markup as mwparserfromhell parses it."""

import html
import re
from collections.abc import Callable
from typing import Any

from minibert.data.sentences import split_sentences

# The arguments that these templates are replaced by. All other templates are removed.
KEPT_ARGUMENTS = {
    "lang": "2",
    "transl": "2",
    "nihongo": "1",
    "as of": "1",
    "quote": "1",
    "smaller": "1",
    "nowrap": "1",
    "vanchor": "1",
    "angbr": "1",
    "sc": "1",
}
HOLE = "\ufffc"  # marks a formula that is not a word: its sentence is left out
HOLES = {
    "chem",
    "frac",
    "val",
    "eqm",
    "math",
    "sup",
    "ipa",
    "vr",
    "coord",
    "railgauge",
    "currentyear",
    "pop density",
    "dentalformula",
    "us patent",
    "us$",
    "uss",
}
QUANTITIES = {"convert", "cvt"}  # 5|km, or 5|to|8|km with one of these in the middle:
RANGES = {"-", "–", "to", "and", "or", "x", "by", "to(-)"}
DROPPED_TAGS = {
    "ref",
    "references",
    "table",
    "gallery",
    "timeline",
    "source",
    "syntaxhighlight",
    "pre",
    "imagemap",
}
LIST_TAGS = {"li", "dd", "dt"}
ITEM = "\n\n\ufffb"  # before a list item, which becomes a separate paragraph
SECTION = "\ufffa"  # before a heading: its level and its title
HEADING = re.compile(SECTION + r"(?P<level>\d) (?P<title>.*)")

# a list item with fewer words is not prose; its mark counts as a word if a space follows (changing
# this would change the corpus)
LEAST_WORDS = 8
NO_PROSE = re.compile(
    r"\b(references?|bibliography|further reading|sources|notes|footnotes|citations?|cited|"
    r"external links|see also|editions|publications|textbooks)\b",
    re.IGNORECASE,
)
BOOK = re.compile(r"ISBN|\bPress\b")

# markup that the parser did not understand
LEFTOVER = re.compile(r"\[\[|\]\]|\{\{|\}\}|</?\w|''|\bthumb\||\|\||!!|(?:style|align|class)=")
NAMESPACE = re.compile(
    r"\s*:?\s*[A-Za-z][\w -]*:(?!\s)"
)  # File:, Category:, fr: (but not "Alien: Resurrection")
TEXT_END = re.compile(r"""[.!?…]["'’”)\]]*$""")
TIDY = [
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\((?:\s*[;,:])+\s*", "("),
        (r"\s*[;,]\s*\)", ")"),
        (r"\s*\(\s*(?:or|also)?\s*\)", ""),
        (r"\(\s+", "("),
        (r"\s+\)", ")"),
        (r"\s+([,.;:!?])(?=\s|$)", r"\1"),
        (r",(?:\s*,)+", ","),
        (r"'{2,}(?=s\b)", "'"),
        (ITEM.strip() + r"\s*", ""),
    )
]


def clean_sections(wikicode: Any) -> list[dict[str, Any]]:
    """The sections of a parsed article, the lead first: their paragraphs without tables, notes,
    short list items and broken sentences. Sections without prose are left out, except the lead."""
    sections: list[dict[str, Any]] = [{"heading": "", "level": 1, "paragraphs": []}]
    text = re.sub(
        f"({ITEM.strip()}.*)\n", r"\1\n\n", render(wikicode)
    )  # an item ends at the end of its line
    for block in re.split(r"\n\s*\n", text):
        if heading := HEADING.fullmatch(block):
            sections.append(
                {
                    "heading": html.unescape(heading["title"]),
                    "level": int(heading["level"]),
                    "paragraphs": [],
                }
            )
            continue
        if ITEM.strip() in block and (len(block.split()) < LEAST_WORDS or BOOK.search(block)):
            continue
        block = html.unescape(block)
        for pattern, new in TIDY:
            block = pattern.sub(new, block)
        sentences = split_sentences(block)
        while sentences and not TEXT_END.search(
            sentences[-1]
        ):  # a caption, or the introduction of a list
            sentences.pop()
        sentences = [
            sentence
            for sentence in sentences
            if HOLE not in sentence and not LEFTOVER.search(sentence)
        ]
        if sentences:
            sections[-1]["paragraphs"].append(" ".join(sentences))
    return [section for section in sections if section["paragraphs"] or not section["heading"]]


def render(wikicode: Any) -> str:
    """The prose of the page as a reader sees it, with marked headings."""
    parts, skipped = [], 0  # the level of the heading whose section is being left out
    for node in wikicode.nodes:
        kind = type(node).__name__
        if kind == "Heading":
            if not skipped or node.level <= skipped:
                skipped = node.level if NO_PROSE.search(str(node.title)) else 0
            parts.append(
                "\n\n"
                if skipped
                else f"\n\n{SECTION}{node.level} {' '.join(render(node.title).split())}\n\n"
            )
        elif not skipped and kind in RENDERERS:
            parts.append(RENDERERS[kind](node))
    return "".join(parts)


def _wikilink(node: Any) -> str:
    if NAMESPACE.match(str(node.title)):
        return ""
    return render(node.text) if node.text is not None else str(node.title)


def _template(node: Any) -> str:
    name = str(node.name).strip().lower()
    if name in HOLES:
        return HOLE
    if name in QUANTITIES:
        numbers = "1234" if node.has("2") and str(node.get("2").value).strip() in RANGES else "12"
    else:
        numbers = "1" if name.startswith("lang-") else KEPT_ARGUMENTS.get(name, "")
    text = " ".join(
        render(node.get(number).value).strip() for number in numbers if node.has(number)
    )
    return f"As of {text}" if name == "as of" else "'s" if name == "'s" else text


def _tag(node: Any) -> str:
    name = str(node.tag).strip().lower()
    if name in LIST_TAGS and node.wiki_markup:
        return ITEM
    if name in DROPPED_TAGS:
        return ""
    text = render(node.contents) if node.contents is not None else ""
    if name in HOLES and not text.isalpha():  # 5<sup>th</sup> is a word, 10<sup>5</sup> is not
        return HOLE
    return (
        " "
        if name == "br"
        else f"\n\n{text}\n\n"
        if name in ("blockquote", "div", "center")
        else text
    )


RENDERERS: dict[str, Callable[[Any], str]] = {
    "Text": lambda node: str(node.value),
    "HTMLEntity": lambda node: node.normalize() or "",
    "Wikilink": _wikilink,
    "Template": _template,
    "Tag": _tag,
    "ExternalLink": lambda node: render(node.title) if node.title is not None else "",
}
