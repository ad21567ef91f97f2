"""Print a document's text with the chosen sentences marked."""

import os
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minibert.summarization.documents.reading import Document

COLOUR = ("\x1b[1;32m", "\x1b[0m")
MARKS = ("»", "«")


def in_context(document: "Document", chosen: list[int]) -> str:
    """The document's text with the chosen sentences marked; wrapped if stdout is a terminal.

    `chosen` are the indices of the sentences, in increasing order.
    """
    terminal = sys.stdout.isatty()
    coloured = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    text = _wrap(document.text, shutil.get_terminal_size().columns) if terminal else document.text
    before, after = COLOUR if coloured else MARKS
    parts, end = [], 0
    for sentence in (document.sentences[n] for n in chosen):
        parts += [text[end : sentence.start], before, text[sentence.start : sentence.end], after]
        end = sentence.end
    return "".join([*parts, text[end:]])


def _wrap(text: str, width: int) -> str:
    """Wrap text by replacing spaces with line breaks, so that all character offsets stay valid."""
    characters = list(text)
    line_start, last_space = 0, None
    for position, character in enumerate(text):
        if character == "\n":
            line_start, last_space = position + 1, None
        elif (
            character != " " and position - line_start >= width - 2 and last_space is not None
        ):  # leave room for two marks
            characters[last_space] = "\n"
            line_start, last_space = last_space + 1, None
        if character == " ":
            last_space = position
    return "".join(characters)
