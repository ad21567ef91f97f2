"""Search by meaning in a folder of text, Markdown and HTML files.

Every file is cut into passages of a few sentences, every passage gets a sentence vector, and a
question is answered by the passages whose vectors have the highest cosine with its own (Reimers &
Gurevych 2019, section 1: semantic search). Vectors are kept for the next search, see
`passage_cache`.
"""

import hashlib
import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import torch
from torch import Tensor

from minibert.config import InputError
from minibert.hub.find_pretrained import expanded
from minibert.inference.checks import unknown_words_ignored
from minibert.inference.passage_cache import Passage, PassageCache
from minibert.inference.sentence_embeddings import embed
from minibert.model import BertPreTrainedModel
from minibert.summarization.documents.read_html import LONG_REFERENCE
from minibert.summarization.documents.reading import (
    SUFFIXES,
    Document,
    Sentence,
    decode,
    format_of_name,
    read_text,
)
from minibert.tokenization import WordPieceTokenizer

SENTENCES, CHARACTERS = 3, 600  # a passage is closed when it has so many of one of them
WORDS = 200  # of a passage at most: a longer sentence is cut, because models read 512 tokens
TOGETHER = 512  # passages that are collected, from whole files, before they are embedded
NOT_PROSE = (".log", ".csv", ".tsv")  # that the readers would take for text
SEARCHED = tuple(
    suffix for names in SUFFIXES.values() for suffix in names if suffix not in NOT_PROSE
)

WORD = re.compile(r"\w+")
# A sentence is found in its file by its first words: by five of them not far behind the sentence
# before it, or by two (marks may cut the others), or by five farther behind it.
OPENINGS = ((5, 400), (2, 400), (5, 50_000))  # words, and the farthest distance in words
TAG, LINK = re.compile(r"<[^<>]*>"), re.compile(r"\]\([^()]*\)")


@dataclass(frozen=True)
class Hit:
    """A passage that was found."""

    score: float  # its cosine with the question, from -1 to 1
    path: Path
    passage: Passage


@dataclass(frozen=True)
class Found:
    """What a search gives back."""

    hits: list[Hit]  # the best first
    files: int  # that were searched
    passages: int  # in these files
    embedded: int  # of these, how many had no vector in the cache
    left_out: dict[str, str]  # files that could not be read, and why
    notes: list[str]  # about the cache


def search(
    folder: str | Path,
    question: str,
    model: BertPreTrainedModel,
    tokenizer: WordPieceTokenizer,
    top: int = 5,
    cache: PassageCache | None = None,
    progress: Callable[[int, int], None] | None = None,
    encoding: str | None = None,
) -> Found:
    """The passages of the files in a folder, or of one file, that are nearest to a question.

    model     a BertModel that was trained for sentence vectors, or one with a head
    top       how many passages to give, at most
    cache     where the vectors are kept; None: nowhere
    progress  called with the number of files that are done, and that of all
    encoding  of the files; None: UTF-8, or what an HTML page declares

    Raises an InputError for an empty question, `top` below 1, a folder that is not there or has no
    file with text, and where `embed` does.
    """
    if not question.strip():
        raise InputError("the question is empty")
    if top < 1:
        raise InputError(f"top must be at least 1, not {top}")
    paths = text_files(expanded(folder))
    asked = embed(model, tokenizer, [question])[0].float().cpu()  # [H]
    kept: list[tuple[Path, list[Passage], Tensor]] = []
    waiting: list[tuple[Path, str, list[Passage]]] = []
    left_out: dict[str, str] = {}
    embedded, done = 0, 0

    def embed_waiting() -> None:
        nonlocal embedded, done
        if waiting:
            texts = [passage.text for _, _, passages in waiting for passage in passages]
            with unknown_words_ignored():
                vectors = embed(model, tokenizer, texts).float().cpu()  # [P, H]
            embedded += len(texts)
            sizes = [len(passages) for *_, passages in waiting]
            for (path, key, passages), part in zip(waiting, vectors.split(sizes), strict=True):
                kept.append((path, passages, part))
                if cache is not None:
                    cache.write(key, passages, part)
            done += len(waiting)
            waiting.clear()
        if progress is not None:
            progress(done + len(left_out), len(paths))

    for path in paths:
        try:
            key, source = _read(path, encoding)
            if cache is not None and (found := cache.read(key, path, len(asked))):
                kept.append((path, *found))
                done += 1
                continue
            waiting.append((path, key, passages_of(source(), path)))
        except InputError as error:
            left_out[str(path)] = str(error)
        if sum(len(passages) for *_, passages in waiting) >= TOGETHER:
            embed_waiting()
    embed_waiting()
    if not kept:
        name, why = next(iter(left_out.items()))
        raise InputError(f"no file in {folder} could be read; of {name}: {why}")
    kept.sort(key=lambda entry: entry[0])
    places = [(path, passage) for path, passages, _ in kept for passage in passages]
    cosines = torch.cat([vectors for *_, vectors in kept]) @ asked  # [P]
    rounded = cosines.round(decimals=6)  # [P]; equal passages have equal cosines but for rounding
    best = rounded.sort(descending=True, stable=True).indices[:top].tolist()
    return Found(
        hits=[Hit(float(cosines[n]), *places[n]) for n in best],
        files=len(kept),
        passages=len(places),
        embedded=embedded,
        left_out=left_out,
        notes=cache.notes if cache is not None else [],
    )


def text_files(folder: Path) -> list[Path]:
    """The text, Markdown and HTML files in a folder and the folders in it, in alphabetical order.

    What has a name that begins with a dot is left out, and links to folders are not followed. A
    file stands for itself, whatever its name; a folder that may not be read is in the list, too.
    Raises an InputError where there is no file.
    """
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        if os.path.lexists(folder):
            raise InputError(f"{str(folder)!r} is neither a file nor a folder")
        raise InputError(f"there is no folder {str(folder)!r}")
    found = []
    if not os.access(folder, os.R_OK | os.X_OK):
        raise InputError(f"cannot read the folder {folder}: Permission denied")
    refused: list[Path] = []
    for parent, folders, names in os.walk(
        folder, onerror=lambda error: refused.append(Path(error.filename))
    ):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(parent, name)
            for name in names
            if not name.startswith(".")
            and name.lower().endswith(SEARCHED)
            and Path(parent, name).is_file()  # neither a pipe nor a broken link
        ]
    if not found:
        raise InputError(
            f"{folder} has no file to search; expected names that end in {', '.join(SEARCHED)}"
        )
    return sorted(found + refused)


def passages_of(source: str, path: Path) -> list[Passage]:
    """The passages of a file's text, with the lines on which each begins and ends.

    A passage is up to SENTENCES sentences that follow one another without a heading between them. A
    text without full stops becomes passages of WORDS words, on the lines of the whole.
    Raises an InputError where there is no sentence.
    """
    format = format_of_name(path)
    document = read_text(source, format, str(path))
    lines = list(_lines(source, document))
    groups: list[list[int]] = []
    for number, sentence in enumerate(document.sentences):
        group = groups[-1] if groups else []
        if group and not _is_full([document.sentences[n] for n in group]):
            before = document.sentences[group[-1]].block
            between = document.blocks[before + 1 : sentence.block]
            if not between:
                group.append(number)
                continue
        groups.append([number])
    passages = []
    for group in groups:
        words = " ".join(document.sentences[n].text for n in group).split(" ")
        passages += [
            Passage(" ".join(words[at : at + WORDS]), lines[group[0]][0], lines[group[-1]][1])
            for at in range(0, len(words), WORDS)
        ]
    return passages


def _is_full(sentences: Sequence[Sentence]) -> bool:
    characters = sum(len(sentence.text) for sentence in sentences)
    return len(sentences) >= SENTENCES or characters >= CHARACTERS


def _read(path: Path, encoding: str | None) -> tuple[str, Callable[[], str]]:
    """The cache key of a file, and what decodes its text."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    format = format_of_name(path)
    read_as = f"{format} {encoding!r} {WORDS}"  # what decides about the passages
    key = hashlib.sha256(f"{read_as}\n".encode() + data).hexdigest()
    return key, lambda: decode(data, str(path), format, encoding)


def _lines(source: str, document: Document) -> Iterator[tuple[int, int]]:
    """The lines, counted from 1, on which each sentence begins and ends in its file.

    The reader drops marks, tags and line breaks, so a sentence is looked up by its words, after the
    sentence before it. One that is not found (its words may be cut by marks) gets the line of the
    one before.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if document.format == "html":
        source = unescape(LONG_REFERENCE.sub("", TAG.sub(_line_breaks, source)))
    elif document.format == "markdown":
        source = LINK.sub(_line_breaks, source)
    # The words as one string, and where each begins in it: 20 bytes a word, and quick to search.
    of_lines = list[str]()
    starts, lines = array("q"), array("q")
    length = 1
    for number, line in enumerate(source.split("\n"), start=1):
        if of_line := WORD.findall(line):
            of_lines.append(" ".join(of_line))
        for word in of_line:
            starts.append(length)
            lines.append(number)
            length += len(word) + 1
    starts.append(length)
    text = " ".join(["", *of_lines, ""])
    at = 0  # the word behind the sentence before
    for sentence in document.sentences:
        wanted = WORD.findall(sentence.text)
        for count, far in OPENINGS:
            end = starts[min(at + far + min(count, len(wanted)), len(lines))]
            found = text.find(" ".join(["", *wanted[:count], ""]), starts[at] - 1, end)
            if found >= 0 and wanted:
                start = bisect_left(starts, found + 1)
                at = min(start + len(wanted), len(lines))
                yield lines[start], lines[at - 1]
                break
        else:
            last = lines[max(at - 1, 0)] if lines else 1
            yield last, last


def _line_breaks(match: re.Match[str]) -> str:
    """A space, and the line breaks that a mark or a tag has."""
    return " " + "\n" * match[0].count("\n")
