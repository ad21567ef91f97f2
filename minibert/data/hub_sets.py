"""Datasets that are streamed over the network with `datasets`. An adapter for each turns its rows
into documents.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from minibert.config import InputError

Row = dict[str, Any]  # of a dataset on the hub: column -> value

HELD_OUT = 1000  # one Wikipedia article in this many is for validation
INSTEAD = "use the corpus 'default', which needs neither"

# -- adapters: rows of the hub's schema -> documents, not yet split into sentences -----

ARTICLE = re.compile(r"= [^=].* =")  # " = Title = "; a section has " = = Title = = "
HEADING = re.compile(r"= .* =")
UNTOKENIZED = [
    (re.compile(pattern), new)
    for pattern, new in (
        (r" @([-,.–])@(?: |$)", r"\1"),
        (r'" ([^"]*?) "', r'"\1"'),
        (r"(?<= )' ([^']*?) '(?= )", r"'\1'"),
        (r"(?<= )' (?=\d)", "'"),
        (r" (n't|'(?:s|m|d|re|ve|ll)\b)", r"\1"),
        (r"(?<=s) '(?= )", "'"),
        (r" ([,.;:!?%)\]]+)(?=\s|$|[\"'),.;:])", r"\1"),
        (r"([(\[$£€]) ", r"\1"),
        (r" / ", "/"),
        (r"° ([CF])\b", r"°\1"),
    )
]


def wikitext_texts(rows: Iterable[Row]) -> Iterator[str]:
    """WikiText, one paragraph per row, tokens separated by spaces. Articles begin at ' = Title = ';
    headings are left out.
    """
    article: list[str] = []
    for row in rows:
        line = row["text"].strip()
        if ARTICLE.fullmatch(line) and article:
            yield "\n\n".join(article)
            article = []
        elif line and not HEADING.fullmatch(line):
            article.append(untokenize(line))
    if article:
        yield "\n\n".join(article)


def untokenize(line: str) -> str:
    """Undo the tokenization of a WikiText paragraph: 'a 1 @.@ 5 @-@ day trip , he said' -> 'a
    1.5-day trip, he said'.
    """
    for pattern, new in UNTOKENIZED:
        line = pattern.sub(new, line)
    return line


def wikipedia_texts(rows: Iterable[Row]) -> Iterator[str]:
    """Wikipedia, one article per row. Single line breaks end its paragraphs; short lines without a
    full stop are headings and are left out.
    """
    for row in rows:
        lines = (line.strip() for line in row["text"].split("\n"))
        yield "\n\n".join(
            line for line in lines if line.endswith((".", "!", "?", '"', ")")) or len(line) > 80
        )


def imdb_texts(rows: Iterable[Row]) -> Iterator[str]:
    """IMDB, one review per row, with HTML line breaks."""
    for row in rows:
        yield row["text"].replace("<br />", "\n")


# -- the datasets ----------------------------------------------------------------------


@dataclass(frozen=True)
class HubSet:
    """Where a dataset is, how its splits map to ours, and how its rows are read."""

    path: str
    config: str | None
    splits: dict[str, tuple[str, ...]]
    adapter: Callable[[Iterable[Row]], Iterator[str]]


WIKITEXT: dict[str, tuple[str, ...]] = {"train": ("train",), "valid": ("validation",)}
HUB_SETS = {
    "wikitext-2": HubSet("Salesforce/wikitext", "wikitext-2-raw-v1", WIKITEXT, wikitext_texts),
    "wikitext-103": HubSet("Salesforce/wikitext", "wikitext-103-raw-v1", WIKITEXT, wikitext_texts),
    "wikipedia": HubSet(
        "wikimedia/wikipedia",
        "20231101.en",
        {"train": ("train",), "valid": ("train",)},
        wikipedia_texts,
    ),
    "imdb": HubSet(
        "stanfordnlp/imdb",
        None,
        {"train": ("train", "unsupervised"), "valid": ("test",)},
        imdb_texts,
    ),
}


def hub_texts(name: str, split: str, index: int, count: int) -> Iterator[str]:
    """The documents of a dataset that process `index` of `count` reads, not yet split into
    sentences. Nothing is stored on disk.

    If `datasets` or the network is missing, raises a ValueError that names the dataset and an
    alternative.
    """
    hub_set = HUB_SETS[name]
    splits = (
        tuple(dict.fromkeys(chain.from_iterable(hub_set.splits.values())))
        if split == "all"
        else hub_set.splits[split]
    )
    parts = [
        open_hub_set(f"the corpus {name!r}", hub_set.path, part, INSTEAD, name=hub_set.config)
        for part in splits
    ]
    if name == "wikipedia":
        (rows,) = parts
        if rows.num_shards >= count:  # each process fetches only its own files
            rows, index, count = rows.shard(num_shards=count, index=index), 0, 1
        # by their ids, so that the split does not depend on the process that reads an article
        parts = [(row for row in rows if split == "all" or _is_held_out(row) == (split == "valid"))]
    return islice(_telling(name, hub_set.adapter(chain.from_iterable(parts))), index, None, count)


def _is_held_out(row: Row) -> bool:
    return zlib.crc32(row["id"].encode()) % HELD_OUT == 0


def open_hub_set(what: str, path: str, split: str, instead: str, **options: Any) -> Any:
    """Stream one split of a dataset on the hub; `options` are passed to `datasets.load_dataset`.

    If `datasets` or the network is missing, raises a ValueError that names `what` and recommends
    `instead`.
    """
    try:
        import datasets  # slow to import, so only when needed
        import huggingface_hub
    except ImportError as error:
        raise InputError(
            f"{what} needs the package datasets: pip install datasets (or {instead})"
        ) from error
    try:
        # checked first, because without a network `datasets` retries for half a minute
        huggingface_hub.HfApi().dataset_info(path, timeout=10)
        return datasets.load_dataset(path, split=split, streaming=True, **options)
    except Exception as error:  # the client and its network library raise many classes
        raise _unreachable(what, path, error, instead) from error


def _telling(name: str, texts: Iterator[str]) -> Iterator[str]:
    """The same texts; a network error while reading gets the same message as one at the start."""
    try:
        yield from texts
    except Exception as error:
        raise _unreachable(f"the corpus {name!r}", HUB_SETS[name].path, error, INSTEAD) from error


def _unreachable(what: str, path: str, error: Exception, instead: str) -> InputError:
    reason = (str(error).strip() or "no details").splitlines()[0]
    return InputError(
        f"cannot read {what} ({path} on the hub): {type(error).__name__}: {reason}. "
        f"What to do: check the network; or {instead}"
    )
