"""A document as text, with the chosen sentences marked in it."""

import os
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minibert.summarization.documents.reading import Document

COLOUR = ("\x1b[1;32m", "\x1b[0m")
MARKS = ("»", "«")


def in_context(document: "Document", chosen: list[int]) -> str:
    """The readable text, with the chosen sentences marked; as wide as the terminal, where there is
    one."""
    terminal = sys.stdout.isatty()
    coloured = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    text = _wrap(document.text, shutil.get_terminal_size().columns) if terminal else document.text
    before, after = COLOUR if coloured else MARKS
    pieces, at = [], 0
    for sentence in (document.sentences[n] for n in chosen):
        pieces += [text[at : sentence.start], before, text[sentence.start : sentence.end], after]
        at = sentence.end
    return "".join([*pieces, text[at:]])


def _wrap(text: str, width: int) -> str:
    """The text with line breaks in the place of some spaces, so that all places in it stay what
    they are."""
    letters, line, space = list(text), 0, None  # where the line begins; the last place to break it
    for place, letter in enumerate(text):
        if letter == "\n":
            line, space = place + 1, None
        elif (
            letter != " " and place - line >= width - 2 and space is not None
        ):  # room for two marks
            letters[space] = "\n"
            line, space = space + 1, None
        if letter == " ":
            space = place
    return "".join(letters)
