"""Documents, each a list of sentences, from corpora known by name and from your own files.

Everything is streamed: one document is in memory at a time (except for the default corpus, whose
2.5 MB are loaded as a whole).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice

from minibert.config import InputError
from minibert.data.files import (
    Paths,
    choose_files,
    file_texts,
    find_files,
    of_split,
    titled_texts,
)
from minibert.data.hub_sets import HUB_SETS, hub_texts
from minibert.data.sentences import split_sentences
from minibert.data.wikipedia.articles import wikipedia_texts

DEFAULT = "default"
KNOWN = (DEFAULT, *HUB_SETS)
PER_LINE = "a sentence per line is a format of .txt files"
SPLITS = ("train", "valid", "all")


def documents(
    name_or_paths: Paths,
    split: str = "train",
    *,
    shard: tuple[int, int] = (0, 1),
    sentence_per_line: bool = False,
) -> Iterator[list[str]]:
    """Iterate over the documents of a corpus; a document is the list of its sentences, in order.

    `name_or_paths` is a name: 'default' (97 Wikipedia articles; needs the package gensim, but no
    network), 'wikitext-2', 'wikitext-103', 'wikipedia' or 'imdb' (downloaded). Or it is a file, a
    folder (searched recursively, but not through links or in hidden folders), a pattern
    ('texts/*.txt'), or a list of these. All files must be UTF-8; they may be compressed (.gz, .xz):

    - .txt: a blank line ends a paragraph; two or more blank lines, or the end of the file, end a
      document. A line break inside a paragraph becomes a space, so hard-wrapped text is joined
      again.
    - .txt with `sentence_per_line=True`, the format of google-research/bert: each line is one
      sentence and is not split further; a blank line ends a document.
    - .jsonl: each line is a JSON object whose "text" is a document; a blank line in it ends a
      paragraph.

    No sentence spans two paragraphs. `split` is 'train', 'valid' or 'all'. If the name of any file
    begins with train, valid, val, dev or test, the names decide which split a file belongs to, and
    files with other names are left out, with a warning. (Where the names show one part only, such
    as train, and there are other files, that is an error.) Otherwise every twelfth document is
    'valid' and the others are 'train'. `shard=(index, count)` selects the documents of process
    `index` out of `count` processes: each document goes to exactly one process.

    Raises a ValueError for a missing file, for text that cannot be read, with file and line, and
    for `sentence_per_line` with anything but .txt files.
    """
    found = sourced_documents(
        name_or_paths, split, shard=shard, sentence_per_line=sentence_per_line
    )
    return (document for _, document in found)


def sourced_documents(
    name_or_paths: Paths,
    split: str = "train",
    *,
    shard: tuple[int, int] = (0, 1),
    sentence_per_line: bool = False,
) -> Iterator[tuple[str, list[str]]]:
    """As `documents`, and with each document its source.

    That is the "source" which its line of a .jsonl names; "" where none is named.
    """
    if split not in SPLITS:
        raise InputError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
    index, count = shard
    if not 0 <= index < count:
        raise InputError(f"shard must be (index, count) with 0 <= index < count, not {shard!r}")
    cut = _lines_of if sentence_per_line else split_sentences
    if sentence_per_line and isinstance(name_or_paths, str) and name_or_paths in KNOWN:
        raise InputError(f"{PER_LINE}, and not for the corpus {name_or_paths!r}")
    if name_or_paths == DEFAULT:
        texts = _unnamed(islice(of_split(wikipedia_texts(), split), index, None, count))
    elif isinstance(name_or_paths, str) and name_or_paths in HUB_SETS:
        texts = _unnamed(hub_texts(name_or_paths, split, index, count))
    else:
        try:
            paths = find_files(name_or_paths)
        except ValueError as error:
            raise InputError(
                f"{error}; the corpora known by name are {', '.join(KNOWN)}"
            ) from error
        if sentence_per_line and (others := [path for path in paths if ".jsonl" in path.suffixes]):
            raise InputError(f"{PER_LINE}, and not for {others[0]}")
        texts = islice(
            file_texts(paths, split, blank_lines=1 if sentence_per_line else 2), index, None, count
        )
    return _cut(texts, cut)


def titled_documents(name_or_paths: Paths, split: str = "train") -> Iterator[tuple[str, list[str]]]:
    """The source of each document that has a title, and its title and first sentence.

    Raises an InputError for a corpus that is not in .jsonl files, which alone have a "title".
    """
    found = [] if isinstance(name_or_paths, str) else find_files(name_or_paths)
    paths, split = choose_files(found, split)
    if not paths or any(".jsonl" not in path.suffixes for path in paths):
        raise InputError('titles are read from .jsonl files only, where each line has a "title"')
    for source, title, text in of_split(chain.from_iterable(map(titled_texts, paths)), split):
        first = split_sentences(text.partition("\n\n")[0])[:1]
        if first:
            yield source, [title, *first]


@contextmanager
def named_in_errors(names: Iterable[str]) -> Iterator[None]:
    """Let an InputError about `texts` name the corpus that they came from."""
    try:
        yield
    except InputError as error:
        about, space, problem = str(error).partition(" ")
        if about != "texts":
            raise
        raise InputError(f"the corpus {', '.join(names)}{space}{problem}") from error


@contextmanager
def held_out_in_errors() -> Iterator[None]:
    """Let an InputError say that it is about the held-out text."""
    try:
        yield
    except InputError as error:
        raise InputError(
            f"the held-out text: {error} (--held-out names other text for it, or none)"
        ) from error


def _unnamed(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    return (("", text) for text in texts)


def _cut(
    texts: Iterable[tuple[str, str]], cut: Callable[[str], list[str]]
) -> Iterator[tuple[str, list[str]]]:
    for source, text in texts:
        if sentences := cut(text):
            yield source, sentences


def _lines_of(text: str) -> list[str]:
    return [sentence for line in text.split("\n") if (sentence := " ".join(line.split()))]
