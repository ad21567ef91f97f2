"""Where the text comes from: documents, each a list of sentences, from corpora known by name and from files of your own.

Everything streams: one document is in memory at a time (the default corpus, 2.5 MB, is there as a whole).
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from minibert.data.files import file_texts, find_files, of_split
from minibert.data.hub_sets import HUB_SETS, hub_texts
from minibert.data.sentences import split_sentences
from minibert.data.wikipedia import wikipedia_texts

DEFAULT = "default"
SPLITS = ("train", "valid", "all")


def documents(name_or_paths, split: str = "train", *, shard: tuple[int, int] = (0, 1),
              sentence_per_line: bool = False) -> Iterator[list[str]]:
    """Iterate over the documents of a corpus; a document is the list of its sentences, in order.

    `name_or_paths` is a name: 'default' (97 Wikipedia articles; no network, but the package gensim), 'wikitext-2',
    'wikitext-103', 'wikipedia', 'imdb' (over the network). Or a file, a folder (searched all through), a pattern
    ('texts/*.txt'), or a list of these, all UTF-8 and perhaps compressed (.gz, .xz):

    - .txt: a blank line ends a paragraph; two or more blank lines, or the end of the file, end a document. A line break
      inside a paragraph is a space, so that wrapped lines read as they were written.
    - .txt with `sentence_per_line=True`, the format of google-research/bert: each line is a sentence, left as it is, and
      a blank line ends a document.
    - .jsonl: each line is a JSON object whose "text" is a document; a blank line in it ends a paragraph.

    No sentence reaches across two paragraphs. `split` is 'train', 'valid' or 'all'. If the name of any file begins with
    train, valid, val, dev or test, these names decide, and files without are left out. Otherwise every twelfth document
    is 'valid' and the others are 'train'. `shard=(index, count)` gives process `index` of `count` its part: each document
    goes to exactly one.

    Raises a ValueError for what is not there, and for text that cannot be read, with file and line.
    """
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
    index, count = shard
    if not 0 <= index < count:
        raise ValueError(f"shard must be (index, count) with 0 <= index < count, not {shard!r}")
    cut = _lines_of if sentence_per_line else split_sentences
    if name_or_paths == DEFAULT:
        texts = islice(of_split(wikipedia_texts(), split), index, None, count)
    elif isinstance(name_or_paths, str) and name_or_paths in HUB_SETS:
        texts = hub_texts(name_or_paths, split, index, count)
    else:
        try:
            paths = find_files(name_or_paths)
        except ValueError as error:
            raise ValueError(f"{error}; the corpora known by name are {', '.join([DEFAULT, *HUB_SETS])}") from error
        texts = islice(file_texts(paths, split, blank_lines=1 if sentence_per_line else 2), index, None, count)
    return _cut(texts, cut)


def _cut(texts: Iterable[str], cut: Callable[[str], list[str]]) -> Iterator[list[str]]:
    for text in texts:
        if sentences := cut(text):
            yield sentences


def _lines_of(text: str) -> list[str]:
    return [sentence for line in text.split("\n") if (sentence := " ".join(line.split()))]
