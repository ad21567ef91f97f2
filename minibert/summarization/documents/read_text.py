"""The paragraphs, list items and headings of a plain text, and which of its line breaks end a
sentence."""

import re
from itertools import accumulate, groupby
from typing import NamedTuple

from minibert.data.sentences import split_sentences

STOP = re.compile(r"""[.!?…。！？｡．؟۔।॥։።፧။។]["'”’»)\]」』）】]*$""")
# A line of repeated signs, under a title or between two parts.
RULER = re.compile(r"\s*([-=~*_#^+.\"'`])\1{2,}\s*")
ITEM = re.compile(r"\s{0,12}(?:(?P<bullet>[-*+•‣–])|(?P<number>\d{1,3})[.)])\s+(?=\S)")
# Characters of Chinese and Japanese, which have no spaces between words.
WIDE = r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60]"
WIDE_SIGN = re.compile(WIDE)  # takes two columns
# Line breaks that are joined without a space: between wide characters, and inside a hyphenated
# word.
NO_SPACE = re.compile(rf"(?<={WIDE})\n(?={WIDE})|(?<=\w)\u2010\n(?=\w)")

WIDEST = 160  # columns; a longer line was not wrapped by hand and is a paragraph by itself
NARROWEST = 45  # columns; text is hardly ever wrapped at fewer
LONG = 60  # words; lines that would join into a longer sentence without a stop stay lines
HEADING_WORDS, HEADING_LENGTH = 12, 80  # the most words and characters of a heading


class Part(NamedTuple):
    """A block of a document."""

    kind: str  # 'paragraph', 'item', 'heading', 'links' or 'cell'
    text: str  # a line break in it ends a sentence


def text_parts(text: str) -> list[Part]:
    """Split a plain text at its blank lines.

    A short line by itself, or with a ruler below it, is a heading if no stop ends it.
    """
    parts: list[Part] = []
    for blank, group in groupby(text.split("\n"), key=lambda line: not line.strip()):
        if not blank:
            parts += _paragraphs(list(group))
    return _without_false_headings(parts)


def lay_out(lines: list[str], ragged: bool = True) -> str:
    """Join the lines of a paragraph; only the line breaks that end a sentence stay.

    Lines that were wrapped at a fixed width are joined with spaces, and so are all lines where
    `ragged` is False. In other texts (poems, tables, logs) a line break ends a sentence unless the
    next line begins with a lowercase letter; where joining leaves no stop at the end, or a sentence
    of more than LONG words, the lines stay separate.
    """
    lines = [line for line in (" ".join(line.split()) for line in lines) if line]
    flowing = not ragged or _wrapped(lines)
    chunks: list[list[str]] = []
    for line in lines:
        if chunks and (
            flowing or line[0].islower() or chunks[-1][-1].endswith((",", ";", "-", "–", "—", "("))
        ):
            chunks[-1].append(line)
        else:
            chunks.append([line])
    return "\n".join(_join(chunk, flowing) for chunk in chunks)


def is_short(text: str) -> bool:
    """Short enough for a heading, and without a stop at its end."""
    return (
        len(text.split()) <= HEADING_WORDS and len(text) <= HEADING_LENGTH and not STOP.search(text)
    )


def _join(lines: list[str], flowing: bool) -> str:
    joined = NO_SPACE.sub("", "\n".join(lines)).replace("\n", " ")
    if len(lines) > 1:
        longest = max(
            len(sentence.split()) + len(WIDE_SIGN.findall(sentence)) // 2
            for sentence in split_sentences(joined)
        )
        stops = STOP.search(joined) is not None
        if (longest > LONG and not (flowing and stops)) or not (flowing or stops):
            return "\n".join(lines)
    return joined


def _wrapped(lines: list[str]) -> bool:
    """Whether lines were wrapped at a width: most could not have held the next line's first
    word."""
    widths = [len(line) + len(WIDE_SIGN.findall(line)) for line in lines]
    widest = max(widths, default=0)
    full = sum(
        width + (2 if WIDE_SIGN.match(after) else 1 + len(after.split()[0])) > 0.85 * widest
        for width, after in zip(widths, lines[1:], strict=False)
    )
    return NARROWEST <= widest <= WIDEST and 2 * full > len(lines) - 1


def _paragraphs(lines: list[str]) -> list[Part]:
    """The parts of a stretch without blank lines."""
    headings = _headings(lines)
    parts, lines = [Part("heading", line) for line in lines[:headings]], lines[headings:]
    if max(map(len, lines)) > WIDEST:
        return parts + [part for line in lines for part in _part("paragraph", [line])]
    kind, found = "paragraph", list[str]()
    for line in lines:
        item = ITEM.match(line)
        if RULER.fullmatch(line):
            parts += _part(
                "heading" if len(found) == 1 and is_short(found[0].strip()) else kind, found
            )
            kind, found = "paragraph", []
        elif item and (item["bullet"] or item["number"] == "1" or kind == "item" or not found):
            parts += _part(kind, found)
            kind, found = "item", [line[item.end() :]]
        else:
            found.append(line)
    return parts + _part(kind, found)


def _headings(lines: list[str]) -> int:
    """How many lines at the beginning are headings of what follows.

    Such a line is short, and either before lines that are all indented more, as in glossaries and
    manual pages, or in capitals before a line that is not.
    """
    # of the lines after each: the fewest spaces that one begins with, and the greatest length
    spaces = list(accumulate((len(line) - len(line.lstrip(" ")) for line in lines[:0:-1]), min))
    lengths = list(accumulate(map(len, lines[:0:-1]), max))
    found = 0
    for line, after, least, longest in zip(
        lines, lines[1:], reversed(spaces), reversed(lengths), strict=False
    ):
        term = line.strip()
        deeper = least > len(line) - len(line.lstrip()) and len(term) < 0.6 * longest
        if not (is_short(term) and (deeper or (line.isupper() and not after.isupper()))):
            break
        found += 1
    return found


def _part(kind: str, lines: list[str]) -> list[Part]:
    return [Part(kind, lay_out(lines, ragged=kind != "item"))] if lines else []


def _without_false_headings(parts: list[Part]) -> list[Part]:
    """Decide which short lines are headings: one to three in a row before a longer paragraph.

    More than three are a list, and those at the end of a text are a signature. In a text that has
    nothing else, headings are read as paragraphs.
    """
    found: list[Part] = []
    for short, run in groupby(
        parts,
        key=lambda part: part.kind == "paragraph" and "\n" not in part.text and is_short(part.text),
    ):
        group = list(run)
        if short and len(group) <= 3:
            ahead = len(found) + len(group) < len(parts)
            group = [Part("heading", part.text) for part in group] if ahead else group
        found += group
    if not any(part.kind != "heading" and any(map(str.isalnum, part.text)) for part in found):
        return [Part("paragraph", part.text) for part in found]
    return found
