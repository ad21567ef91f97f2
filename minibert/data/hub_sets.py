"""The sets that come over the network through `datasets`, streamed; an adapter for each makes documents of its rows."""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Callable

HELD_OUT = 1000             # one Wikipedia article in this many is for validation
INSTEAD = "take the corpus 'default', which needs none"

# -- adapters: rows of the hub's schema -> documents, uncut ------------------------------------------------------------

ARTICLE = re.compile(r"= [^=].* =")            # " = Title = ", where a section has " = = Title = = "
HEADING = re.compile(r"= .* =")
UNTOKENIZED = [(re.compile(pattern), new) for pattern, new in (
    (r" @([-,.–])@(?: |$)", r"\1"), (r'" ([^"]*?) "', r'"\1"'), (r"(?<= )' ([^']*?) '(?= )", r"'\1'"), (r"(?<= )' (?=\d)", "'"),
    (r" (n't|'(?:s|m|d|re|ve|ll)\b)", r"\1"), (r"(?<=s) '(?= )", "'"),
    (r" ([,.;:!?%)\]]+)(?=\s|$|[\"'),.;:])", r"\1"), (r"([(\[$£€]) ", r"\1"), (r" / ", "/"), (r"° ([CF])\b", r"°\1"))]


def wikitext_texts(rows: Iterable[dict]) -> Iterator[str]:
    """WikiText, one paragraph a row, tokens set apart by spaces: articles begin at ' = Title = ', headings are left out."""
    article = []
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
    """Put a WikiText paragraph back as it was printed: 'a 1 @.@ 5 @-@ day trip , he said' -> 'a 1.5-day trip, he said'."""
    for pattern, new in UNTOKENIZED:
        line = pattern.sub(new, line)
    return line


def wikipedia_texts(rows: Iterable[dict]) -> Iterator[str]:
    """Wikipedia, one article a row; single line breaks end its paragraphs, and short lines without a stop are headings."""
    for row in rows:
        lines = (line.strip() for line in row["text"].split("\n"))
        yield "\n\n".join(line for line in lines if line.endswith((".", "!", "?", '"', ")")) or len(line) > 80)


def imdb_texts(rows: Iterable[dict]) -> Iterator[str]:
    """IMDB, one review a row, with the line breaks of a web page."""
    for row in rows:
        yield row["text"].replace("<br />", "\n")


# -- the sets ----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class HubSet:
    """Where a set is, which of its splits are ours, and how its rows are read."""
    path: str
    config: str | None
    splits: dict[str, tuple[str, ...]]
    adapter: Callable[[Iterable[dict]], Iterator[str]]


WIKITEXT = {"train": ("train",), "valid": ("validation",)}
HUB_SETS = {
    "wikitext-2": HubSet("Salesforce/wikitext", "wikitext-2-raw-v1", WIKITEXT, wikitext_texts),
    "wikitext-103": HubSet("Salesforce/wikitext", "wikitext-103-raw-v1", WIKITEXT, wikitext_texts),
    "wikipedia": HubSet("wikimedia/wikipedia", "20231101.en", {"train": ("train",), "valid": ("train",)}, wikipedia_texts),
    "imdb": HubSet("stanfordnlp/imdb", None, {"train": ("train", "unsupervised"), "valid": ("test",)}, imdb_texts),
}


def hub_texts(name: str, split: str, index: int, count: int) -> Iterator[str]:
    """The documents of a set that process `index` of `count` reads, uncut. Nothing is kept on disk.

    Raises a ValueError that names the set and what to use instead where `datasets` or the network is missing.
    """
    hub_set = HUB_SETS[name]
    splits = tuple(dict.fromkeys(chain.from_iterable(hub_set.splits.values()))) if split == "all" else hub_set.splits[split]
    parts = [open_hub_set(f"the corpus {name!r}", hub_set.path, part, INSTEAD, name=hub_set.config) for part in splits]
    if name == "wikipedia":
        (rows,) = parts
        if rows.num_shards >= count:            # each process fetches files of its own, not all of them
            rows, index, count = rows.shard(num_shards=count, index=index), 0, 1
        # by their ids, so that an article is held out whoever reads it
        parts = [(row for row in rows if split == "all" or _is_held_out(row) == (split == "valid"))]
    return islice(_telling(name, hub_set.adapter(chain.from_iterable(parts))), index, None, count)


def _is_held_out(row: dict) -> bool:
    return zlib.crc32(row["id"].encode()) % HELD_OUT == 0


def open_hub_set(what: str, path: str, split: str, instead: str, **options):
    """The rows of one split of a set on the hub, streamed; `options` go to `datasets.load_dataset`.

    Raises a ValueError that begins with `what` and advises `instead` where `datasets` or the network is missing.
    """
    try:
        import datasets                         # slow to import: only where they are asked for
        import huggingface_hub
    except ImportError as error:
        raise ValueError(f"{what} needs the package datasets: pip install datasets (or {instead})") from error
    try:
        # asked first, because without a network `datasets` tries again and again for half a minute
        huggingface_hub.HfApi().dataset_info(path, timeout=10)
        return datasets.load_dataset(path, split=split, streaming=True, **options)
    except Exception as error:                  # the client and its network library each raise their own families
        raise _unreachable(what, path, error, instead) from error


def _telling(name: str, texts: Iterator[str]) -> Iterator[str]:
    """The same texts; a network that fails on the way is told as one that fails at the start."""
    try:
        yield from texts
    except Exception as error:
        raise _unreachable(f"the corpus {name!r}", HUB_SETS[name].path, error, INSTEAD) from error


def _unreachable(what: str, path: str, error: Exception, instead: str) -> ValueError:
    reason = (str(error).strip() or "no details").splitlines()[0]
    return ValueError(f"cannot read {what} ({path} on the hub): {type(error).__name__}: {reason}. "
                      f"What to do: check the network; or {instead}")
