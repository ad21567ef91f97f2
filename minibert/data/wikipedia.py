"""The default corpus: 97 English Wikipedia articles of 2016, which are on this machine once gensim 4.4.0 is installed.

The wheel of gensim carries, for its own tests, an extract of a Wikipedia dump. It is read from the installed files (gensim
itself is never imported), cleaned of the wiki markup, and kept in a cache. Nearly all titles begin with A: a model learns
these topics from it, not English at large. The text is under the licence CC BY-SA 3.0.
"""

import bz2
import calendar
import hashlib
import html
import importlib.metadata
import io
import json
import lzma
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tqdm import tqdm          # the plain one: that of notebooks does not obey TQDM_DISABLE

from minibert.data.sentences import split_sentences

EXTRACT = "gensim/test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
DIGEST = "a53f4648dec40467ebdcbc7a1307eddb51fe6e28e9309f6ebde81ba0d04bea2d"      # its sha256
INSTALL = "pip install gensim==4.4.0 mwparserfromhell"
CLEANER = 1                 # counts the versions of the rules below: each has a cache of its own
LEAST = 5                   # articles with fewer sentences are left out

# What templates leave behind: the numbers of the arguments to keep. All others leave nothing.
KEPT_ARGUMENTS = {"lang": "2", "transl": "2", "nihongo": "1", "as of": "1", "quote": "1",
                  "smaller": "1", "nowrap": "1", "vanchor": "1", "angbr": "1", "sc": "1"}
HOLE = "\ufffc"             # a formula that cannot be a word: its sentence is left out
HOLES = {"chem", "frac", "val", "eqm", "math", "sup", "ipa", "vr", "coord", "railgauge", "currentyear", "pop density", "dentalformula",
         "us patent", "us$", "uss"}
QUANTITIES = {"convert", "cvt"}             # 5|km, and 5|to|8|km with one of these in the middle:
RANGES = {"-", "–", "to", "and", "or", "x", "by", "to(-)"}
DROPPED_TAGS = {"ref", "references", "table", "gallery", "timeline", "source", "syntaxhighlight", "pre", "imagemap"}
LIST_TAGS = {"li", "dd", "dt"}
ITEM = "\n\n\ufffb"         # before an item of a list, which is a paragraph of its own
SECTION = "\ufffa"          # before a heading: its level and its words
HEADING = re.compile(SECTION + r"(?P<level>\d) (?P<title>.*)")
LEAST_WORDS = 8             # an item with fewer is no prose; its mark counts as one where a space follows (without it, another corpus)
NO_PROSE = re.compile(r"\b(references?|bibliography|further reading|sources|notes|footnotes|citations?|cited|external links|"
                      r"see also|editions|publications|textbooks)\b", re.IGNORECASE)
BOOK = re.compile(r"ISBN|\bPress\b")
# markup that the parser could make no sense of
LEFTOVER = re.compile(r"\[\[|\]\]|\{\{|\}\}|</?\w|''|\bthumb\||\|\||!!|(?:style|align|class)=")
NAMESPACE = re.compile(r"\s*:?\s*[A-Za-z][\w -]*:(?!\s)")       # File:, Category:, fr: (and not "Alien: Resurrection")
CATEGORY = re.compile(r"\s*Category\s*:(?P<name>[^|]+)", re.IGNORECASE)
INFOBOX = re.compile(r"\s*(?:infobox|.*taxobox|speciesbox)", re.IGNORECASE)
DATE = re.compile(r"(?:birth|death)[ -]date[^|]*(?:\|[a-z]+=[a-z]*)*\|(?P<year>\d{4})\|(?P<month>0?[1-9]|1[0-2])\|(?P<day>\d\d?)\b", re.IGNORECASE)
TEXT_END = re.compile(r"""[.!?…]["'’”)\]]*$""")
TIDY = [(re.compile(pattern), new) for pattern, new in (
    (r"\((?:\s*[;,:])+\s*", "("), (r"\s*[;,]\s*\)", ")"), (r"\s*\(\s*(?:or|also)?\s*\)", ""), (r"\(\s+", "("), (r"\s+\)", ")"),
    (r"\s+([,.;:!?])(?=\s|$)", r"\1"), (r",(?:\s*,)+", ","), (r"'{2,}(?=s\b)", "'"), (ITEM.strip() + r"\s*", ""))]


def wikipedia_texts() -> list[str]:
    """The cleaned articles, in the order of the dump; a blank line ends a paragraph.

    The first call cleans them (some ten seconds, with a progress bar); after that they come from the cache, in the folder
    that MINIBERT_CACHE_DIR names or else in ~/.cache/minibert.

    Raises a ValueError that says what to install where the extract or the parser of its markup is missing.
    """
    return [article["text"] for article in _cached(f"wikipedia-extract-{CLEANER}.jsonl.xz", clean_extract)]


def wikipedia_articles() -> list[dict]:
    """The same articles with their structure: {"title", "sections": [{"heading", "level", "paragraphs"}, …]}.

    The first section is the lead: what stands before the first heading, with heading "" and level 1. A section with a
    heading of level 3 is part of the one of level 2 before it. Sections without prose are left out, the lead excepted.
    The paragraphs, one after the other, are those of `wikipedia_texts`. They have a cache of their own.
    """
    return list(_cached(f"wikipedia-articles-{CLEANER}.jsonl.xz", clean_articles))


def wikipedia_labels() -> list[dict]:
    """What the writers of the articles said of them beside the prose: {"title", "categories", "links", "infobox"}.

    "categories" are the names in the [[Category:...]] lines; "links" the texts of the links to other articles, each once, as a
    reader sees them; "infobox" maps the slots of the table beside the lead to texts: first the whole value, then each link in
    it. They have a cache of their own. All pages that are articles are in it, the very short ones as well.
    """
    return list(_cached(f"wikipedia-labels-{CLEANER}.jsonl.xz", label_articles))


def clean_extract() -> Iterator[dict]:
    """Clean the articles of the installed extract one by one: {"title", "text"}, in the order of the dump."""
    for article in clean_articles():
        paragraphs = [paragraph for section in article["sections"] for paragraph in section["paragraphs"]]
        yield {"title": article["title"], "text": "\n\n".join(paragraphs)}


def clean_articles() -> Iterator[dict]:
    """Clean the articles of the installed extract one by one, as `wikipedia_articles` gives them."""
    for title, wikicode in _parsed_articles("Cleaning Wikipedia articles"):
        sections = clean_sections(wikicode)
        if sum(len(split_sentences(paragraph)) for section in sections for paragraph in section["paragraphs"]) >= LEAST:
            yield {"title": title, "sections": sections}


def label_articles() -> Iterator[dict]:
    """What `wikipedia_labels` gives, of the articles of the installed extract one by one."""
    for title, wikicode in _parsed_articles("Reading labels of Wikipedia articles"):
        yield {"title": title} | labels_of(wikicode)


# -- the extract -------------------------------------------------------------------------------------------------------

def _installed_extract() -> bytes:
    try:
        path = Path(importlib.metadata.distribution("gensim").locate_file(EXTRACT))
        data = path.read_bytes()
    except (importlib.metadata.PackageNotFoundError, FileNotFoundError) as error:
        raise ValueError("the default corpus is carried by the package gensim, version 4.4.0, which is not installed: "
                         + INSTALL) from error
    found = hashlib.sha256(data).hexdigest()
    if found != DIGEST:
        raise ValueError(f"{path} is not the extract that this course knows: its sha256 is {found}, wanted {DIGEST}. "
                         "What to do: pip install --force-reinstall --no-deps gensim==4.4.0")
    return data


def _articles(data: bytes) -> Iterator[tuple[str, str]]:
    """Title and wiki source of every page that is an article and no redirect."""
    for _, page in ElementTree.iterparse(io.BytesIO(bz2.decompress(data))):
        if page.tag.endswith("}page"):
            if page.findtext("{*}ns") == "0" and page.find("{*}redirect") is None:
                yield page.findtext("{*}title"), page.findtext("{*}revision/{*}text")
            page.clear()


def _parsed_articles(description: str) -> Iterator[tuple[str, Any]]:
    """Title and parsed source of every article, with a progress bar."""
    data = _installed_extract()
    try:
        import mwparserfromhell
    except ImportError as error:
        raise ValueError(f"the default corpus needs the package mwparserfromhell: {INSTALL}") from error
    for title, source in tqdm(list(_articles(data)), desc=description, unit="article"):
        yield title, mwparserfromhell.parse(source)


# -- cleaning ----------------------------------------------------------------------------------------------------------

def clean_sections(wikicode) -> list[dict]:
    """The sections of a parsed article, the lead first: their paragraphs without tables, notes, short items of lists and
    broken sentences. Those that hold no prose are left out."""
    sections = [{"heading": "", "level": 1, "paragraphs": []}]
    text = re.sub(f"({ITEM.strip()}.*)\n", r"\1\n\n", _render(wikicode))        # an item ends with its line
    for block in re.split(r"\n\s*\n", text):
        if heading := HEADING.fullmatch(block):
            sections.append({"heading": html.unescape(heading["title"]), "level": int(heading["level"]), "paragraphs": []})
            continue
        if ITEM.strip() in block and (len(block.split()) < LEAST_WORDS or BOOK.search(block)):
            continue
        block = html.unescape(block)
        for pattern, new in TIDY:
            block = pattern.sub(new, block)
        sentences = split_sentences(block)
        while sentences and not TEXT_END.search(sentences[-1]):             # a caption, or what leads in a list
            sentences.pop()
        sentences = [sentence for sentence in sentences if HOLE not in sentence and not LEFTOVER.search(sentence)]
        if sentences:
            sections[-1]["paragraphs"].append(" ".join(sentences))
    return [section for section in sections if section["paragraphs"] or not section["heading"]]


def _render(wikicode) -> str:
    """What a reader of the page would see of its prose, headings marked."""
    parts, skipped = [], 0                      # the level of the heading whose section is being left out
    for node in wikicode.nodes:
        kind = type(node).__name__
        if kind == "Heading":
            if not skipped or node.level <= skipped:
                skipped = node.level if NO_PROSE.search(str(node.title)) else 0
            parts.append("\n\n" if skipped else f"\n\n{SECTION}{node.level} {' '.join(_render(node.title).split())}\n\n")
        elif not skipped and kind in RENDERERS:
            parts.append(RENDERERS[kind](node))
    return "".join(parts)


def _wikilink(node) -> str:
    if NAMESPACE.match(str(node.title)):
        return ""
    return _render(node.text) if node.text is not None else str(node.title)


def _template(node) -> str:
    name = str(node.name).strip().lower()
    if name in HOLES:
        return HOLE
    if name in QUANTITIES:
        numbers = "1234" if node.has("2") and str(node.get("2").value).strip() in RANGES else "12"
    else:
        numbers = "1" if name.startswith("lang-") else KEPT_ARGUMENTS.get(name, "")
    text = " ".join(_render(node.get(number).value).strip() for number in numbers if node.has(number))
    return f"As of {text}" if name == "as of" else "'s" if name == "'s" else text


def _tag(node) -> str:
    name = str(node.tag).strip().lower()
    if name in LIST_TAGS and node.wiki_markup:
        return ITEM
    if name in DROPPED_TAGS:
        return ""
    text = _render(node.contents) if node.contents is not None else ""
    if name in HOLES and not text.isalpha():            # 5<sup>th</sup> is a word, 10<sup>5</sup> is none
        return HOLE
    return " " if name == "br" else f"\n\n{text}\n\n" if name in ("blockquote", "div", "center") else text


RENDERERS = {
    "Text": lambda node: str(node.value),
    "HTMLEntity": lambda node: node.normalize() or "",
    "Wikilink": _wikilink,
    "Template": _template,
    "Tag": _tag,
    "ExternalLink": lambda node: _render(node.title) if node.title is not None else "",
}


# -- labels ------------------------------------------------------------------------------------------------------------

def labels_of(wikicode) -> dict:
    """The categories, link texts and infobox of a parsed article, see `wikipedia_labels`."""
    categories = [match["name"].strip() for link in wikicode.filter_wikilinks() if (match := CATEGORY.match(str(link.title)))]
    infobox = {}
    for template in wikicode.filter_templates(recursive=False, matches=lambda node: INFOBOX.match(str(node.name))):
        for slot in template.params:
            texts = [_seen(slot.value), *_dates(slot.value), *_link_texts(slot.value)]
            infobox.setdefault(str(slot.name).strip().lower(), list(dict.fromkeys(filter(None, texts))))
    return {"categories": categories, "links": list(dict.fromkeys(_link_texts(wikicode))), "infobox": infobox}


def _link_texts(wikicode) -> list[str]:
    return list(filter(None, (_seen(link) for link in wikicode.filter_wikilinks() if not NAMESPACE.match(str(link.title)))))


def _dates(wikicode) -> list[str]:
    """{{birth date|1879|3|14}} as people write it, in both orders."""
    found = (DATE.search(str(template)) for template in wikicode.filter_templates())
    return [form for date in found if date for month in [calendar.month_name[int(date["month"])]]
            for form in (f"{int(date['day'])} {month} {date['year']}", f"{month} {int(date['day'])}, {date['year']}")]


def _seen(wikicode) -> str:
    """A link or a value as a reader sees it, on one line."""
    rendered = RENDERERS["Wikilink"](wikicode) if type(wikicode).__name__ == "Wikilink" else _render(wikicode)
    return " ".join(html.unescape(rendered).split())


# -- the cache ---------------------------------------------------------------------------------------------------------

def cache_folder() -> Path:
    """Where things are kept that took a while to make: $MINIBERT_CACHE_DIR, else ~/.cache/minibert."""
    return Path(os.environ.get("MINIBERT_CACHE_DIR") or Path.home() / ".cache" / "minibert")


def _cached(name: str, make: Callable[[], Iterable[dict]]) -> Iterator[dict]:
    """The records of the cache file of that name, made by `make` where it is not there."""
    path = cache_folder() / name
    lines = _read_cache(path)
    if lines is None:
        lines = [json.dumps(record, ensure_ascii=False) for record in make()]
        _write_cache(path, lines)
    return map(json.loads, lines)


def _read_cache(path: Path) -> list[str] | None:
    """The lines of a cache file, None if there is none or it is damaged: its first line is the digest of the others."""
    try:
        digest, *lines = lzma.decompress(path.read_bytes()).decode().splitlines()
    except (OSError, lzma.LZMAError, UnicodeDecodeError, ValueError):
        return None
    return lines if digest == _digest(lines) else None


def _write_cache(path: Path, lines: list[str]) -> None:
    """Write it whole or not at all; without a folder to write in, say so and go on."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(lzma.compress("\n".join([_digest(lines), *lines]).encode()))
        os.replace(file.name, path)
    except OSError as error:
        warnings.warn(f"the cleaned corpus could not be kept in {path}: {error.strerror}", stacklevel=3)


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
