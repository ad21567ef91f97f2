"""The default corpus: 97 English Wikipedia articles of 2016, which come with gensim 4.4.0.

The wheel of gensim contains an extract of a Wikipedia dump for its own tests. We read it from the
installed files (without importing gensim), remove the wiki markup, and cache the result. Nearly all
titles begin with A, so a model learns the topics of these articles rather than English in general.
The text is under the licence CC BY-SA 3.0.
"""

import bz2
import hashlib
import importlib.metadata
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tqdm import tqdm  # the plain version: the notebook version ignores TQDM_DISABLE

from minibert.config import InputError
from minibert.data.sentences import split_sentences
from minibert.data.wikipedia.cache import cached
from minibert.data.wikipedia.clean_markup import clean_sections
from minibert.data.wikipedia.labels import labels_of

EXTRACT = (
    "gensim/test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
)
DIGEST = "a53f4648dec40467ebdcbc7a1307eddb51fe6e28e9309f6ebde81ba0d04bea2d"  # its sha256
INSTALL = "pip install gensim==4.4.0 mwparserfromhell"
CLEANER = 1  # version of the cleaning rules; each version has a separate cache
LEAST = 5  # articles with fewer sentences are left out


def wikipedia_texts() -> list[str]:
    """The cleaned articles, in the order of the dump; a blank line ends a paragraph.

    The first call cleans them (about ten seconds, with a progress bar). Later calls read the cache,
    in the folder that MINIBERT_CACHE_DIR names or, if it is not set, in ~/.cache/minibert.

    If the extract or the parser of its markup is missing, raises a ValueError that says what to
    install.
    """
    return [
        article["text"]
        for article in cached(f"wikipedia-extract-{CLEANER}.jsonl.xz", clean_extract)
    ]


def wikipedia_articles() -> list[dict[str, Any]]:
    """The same articles with their structure: {"title", "sections": [{"heading", "level",
    "paragraphs"}, …]}.

    The first section is the lead, the text before the first heading; it has heading "" and level 1.
    A section of level 3 is part of the section of level 2 before it. Sections without prose are
    left out, except the lead. The paragraphs are the same as those of `wikipedia_texts`, in the
    same order. The articles are cached in a separate file.
    """
    return list(cached(f"wikipedia-articles-{CLEANER}.jsonl.xz", clean_articles))


def wikipedia_labels() -> list[dict[str, Any]]:
    """Labels of the articles from their markup: {"title", "categories", "links", "infobox"}.

    "categories" are the names in the [[Category:...]] lines. "links" are the texts of the links to
    other articles as a reader sees them, without duplicates. "infobox" maps the slots of the table
    beside the lead to texts: first the whole value, then each link in it. The labels cover all
    articles, including very short ones, and are cached in a separate file.
    """
    return list(cached(f"wikipedia-labels-{CLEANER}.jsonl.xz", label_articles))


def clean_extract() -> Iterator[dict[str, Any]]:
    """Clean the articles of the installed extract one by one: {"title", "text"}, in the order of
    the dump."""
    for article in clean_articles():
        paragraphs = [
            paragraph for section in article["sections"] for paragraph in section["paragraphs"]
        ]
        yield {"title": article["title"], "text": "\n\n".join(paragraphs)}


def clean_articles() -> Iterator[dict[str, Any]]:
    """Clean the articles of the installed extract one by one, in the format of
    `wikipedia_articles`."""
    for title, wikicode in _parsed_articles("Cleaning Wikipedia articles"):
        sections = clean_sections(wikicode)
        if (
            sum(
                len(split_sentences(paragraph))
                for section in sections
                for paragraph in section["paragraphs"]
            )
            >= LEAST
        ):
            yield {"title": title, "sections": sections}


def label_articles() -> Iterator[dict[str, Any]]:
    """Label the articles of the installed extract one by one, in the format of
    `wikipedia_labels`."""
    for title, wikicode in _parsed_articles("Reading labels of Wikipedia articles"):
        yield {"title": title} | labels_of(wikicode)


# -- the extract -----------------------------------------------------------------------------------


def _installed_extract() -> bytes:
    try:
        path = Path(str(importlib.metadata.distribution("gensim").locate_file(EXTRACT)))
        data = path.read_bytes()
    except (importlib.metadata.PackageNotFoundError, FileNotFoundError) as error:
        raise InputError(
            "the default corpus is part of the package gensim, version 4.4.0, which is not "
            f"installed: {INSTALL} (the extra 'corpora')"
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != DIGEST:
        raise InputError(
            f"{path} is not the extract that this course uses: its sha256 is {found}, expected "
            f"{DIGEST}. "
            "What to do: pip install --force-reinstall --no-deps gensim==4.4.0"
        )
    return data


def _articles(data: bytes) -> Iterator[tuple[str, str]]:
    """Title and wiki source of every page that is an article and not a redirect."""
    for _, page in ElementTree.iterparse(io.BytesIO(bz2.decompress(data))):
        if page.tag.endswith("}page"):
            if page.findtext("{*}ns") == "0" and page.find("{*}redirect") is None:
                yield page.findtext("{*}title", ""), page.findtext("{*}revision/{*}text", "")
            page.clear()


def _parsed_articles(description: str) -> Iterator[tuple[str, Any]]:
    """Title and parsed source of every article, with a progress bar."""
    data = _installed_extract()
    try:
        import mwparserfromhell
    except ImportError as error:
        raise InputError(
            f"the default corpus needs the package mwparserfromhell: {INSTALL} (the extra "
            "'corpora')"
        ) from error
    for title, source in tqdm(list(_articles(data)), desc=description, unit="article"):
        yield title, mwparserfromhell.parse(source)
