"""The paragraphs, list items and headings of a plain text, and which of its line breaks end a sentence."""

import re
from itertools import groupby
from typing import NamedTuple

from minibert.data.sentences import split_sentences

STOP = re.compile(r"""[.!?…。！？｡．؟۔।॥։።፧။។]["'”’»)\]」』）】]*$""")
RULER = re.compile(r"\s*([-=~*_#^+.\"'`])\1{2,}\s*")                    # a line of signs, under a title or between two parts
ITEM = re.compile(r"\s{0,12}(?:(?P<bullet>[-*+•‣–])|(?P<number>\d{1,3})[.)])\s+(?=\S)")
WIDE = r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60]"       # Chinese and Japanese, which set no space between words
WIDE_SIGN = re.compile(WIDE)                                           # as wide as two others on the page
NO_SPACE = re.compile(rf"(?<={WIDE})\n(?={WIDE})|(?<=\w)‐\n(?=\w)")      # and words that a manual page divides

WIDEST = 160            # a line longer than this was not wrapped by hand: it is a paragraph
NARROWEST = 45          # and text is hardly ever wrapped at less
LONG = 60               # words, from which on a sentence without its stop is rather a list of lines
HEADING = (12, 80)      # a heading has at most so many words, and characters


class Part(NamedTuple):
    """A block of a document: 'paragraph', 'item', 'heading', 'links' or 'cell', and its text, in which a line break ends a sentence."""
    kind: str
    text: str


def text_parts(text: str) -> list[Part]:
    """Paragraphs are what blank lines part. A short line alone, or with a ruler below, is a heading if it ends without a stop."""
    parts = []
    for blank, group in groupby(text.split("\n"), key=lambda line: not line.strip()):
        if not blank:
            parts += _paragraphs(list(group))
    return _without_false_headings(parts)


def lay_out(lines: list[str], ragged: bool = True) -> str:
    """The lines of a paragraph as one text, in which the breaks that end a sentence stay line breaks and the others are spaces.

    Lines that were wrapped at a width are joined, and all where they may not be `ragged`. Elsewhere (in poems, tables, logs) a line
    ends a sentence unless the next begins with a small letter, and always where no stop comes. What has no stop and more words
    than sentences have is lines as well.
    """
    lines = [line for line in (" ".join(line.split()) for line in lines) if line]
    flowing = not ragged or _wrapped(lines)
    chunks = []
    for line in lines:
        if chunks and (flowing or line[0].islower() or chunks[-1][-1].endswith((",", ";", "-", "–", "—", "("))):
            chunks[-1].append(line)
        else:
            chunks.append([line])
    return "\n".join(_join(chunk, flowing) for chunk in chunks)


def is_short(text: str) -> bool:
    """Short enough for a heading, and without a stop at its end."""
    return len(text.split()) <= HEADING[0] and len(text) <= HEADING[1] and not STOP.search(text)


def _join(lines: list[str], flowing: bool) -> str:
    joined = NO_SPACE.sub("", "\n".join(lines)).replace("\n", " ")
    if len(lines) > 1:
        longest = max(len(sentence.split()) + len(WIDE_SIGN.findall(sentence)) // 2 for sentence in split_sentences(joined))
        if longest > LONG and not (flowing and STOP.search(joined)) or not flowing and not STOP.search(joined):
            return "\n".join(lines)
    return joined


def _wrapped(lines: list[str]) -> bool:
    """Was this cut where the next word did not fit? So it is where most lines, with that word, would be wider than nearly the widest."""
    widths = [len(line) + len(WIDE_SIGN.findall(line)) for line in lines]
    widest = max(widths, default=0)
    full = sum(width + (2 if WIDE_SIGN.match(after) else 1 + len(after.split()[0])) > 0.85 * widest for width, after in zip(widths, lines[1:]))
    return NARROWEST <= widest <= WIDEST and 2 * full > len(lines) - 1


def _paragraphs(lines: list[str]) -> list[Part]:
    """The parts of a stretch without blank lines."""
    first, *others = lines
    if others and is_short(first.strip()) and (_is_term(first, others) or first.isupper() and not others[0].isupper()):
        return [Part("heading", first), *_paragraphs(others)]
    if max(map(len, lines)) > WIDEST:
        return [part for line in lines for part in _part("paragraph", [line])]
    parts, kind, found = [], "paragraph", []
    for line in lines:
        item = ITEM.match(line)
        if RULER.fullmatch(line):
            parts += _part("heading" if len(found) == 1 and is_short(found[0].strip()) else kind, found)
            kind, found = "paragraph", []
        elif item and (item["bullet"] or item["number"] == "1" or kind == "item" or not found):
            parts += _part(kind, found)
            kind, found = "item", [line[item.end():]]
        else:
            found.append(line)
    return parts + _part(kind, found)


def _is_term(line: str, others: list[str]) -> bool:
    """Is it a short line before indented ones, as in glossaries and manual pages?"""
    indent = len(line) - len(line.lstrip())
    return all(other.startswith(" " * (indent + 1)) for other in others) and len(line.strip()) < 0.6 * max(map(len, others))


def _part(kind: str, lines: list[str]) -> list[Part]:
    return [Part(kind, lay_out(lines, ragged=kind != "item"))] if lines else []


def _without_false_headings(parts: list[Part]) -> list[Part]:
    """A short line alone is a heading where one to three of them stand before a paragraph; more are a list, the last are a signature.

    And where nothing else is there, headings are what there is to read.
    """
    found = []
    for short, group in groupby(parts, key=lambda part: part.kind == "paragraph" and "\n" not in part.text and is_short(part.text)):
        group = list(group)
        if short and len(group) <= 3:
            ahead = len(found) + len(group) < len(parts)
            group = [Part("heading", part.text) for part in group] if ahead else group
        found += group
    if not any(part.kind != "heading" and any(map(str.isalnum, part.text)) for part in found):
        return [Part("paragraph", part.text) for part in found]
    return found
