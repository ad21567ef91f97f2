"""The readable text of Markdown: paragraphs, list items and headings; no code, tables or pictures.

markdown-it-py parses it: CommonMark with tables, strikethrough and, from mdit-py-plugins,
definition lists. HTML in it goes to `read_html`. The packages are imported when the first file is
read.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from minibert.config import InputError
from minibert.summarization.documents.read_html import html_parts
from minibert.summarization.documents.read_text import Part, lay_out

INSTALL = "pip install markdown-it-py mdit-py-plugins beautifulsoup4"

FRONT_MATTER = re.compile(
    r"\s*(---|\+\+\+)[ ]*\n(?=\s*(?:#|[\w-]+\s*[:=]))(?P<fields>.*?)\n(?:\1|\.\.\.)[ ]*(?:\n|$)",
    re.DOTALL,
)
TITLE = re.compile(r"^title[ \t]*[:=](.*)$", re.MULTILINE)
# Lines of other dialects without text: ":::{note}", "{% raw %}", "!!! note", "[!NOTE]"
DIRECTIVE = re.compile(
    r"^([> \t]*)(?::{3,}.*|\{%.*%\}|\{\{.*\}\}|!!! .*|\[!\w+\]\s*)$", re.MULTILINE
)
FOOTNOTE = re.compile(r"^ {0,3}\[\^[^\[\]\n]+\]:[ \t]*", re.MULTILINE)
FOOTNOTE_MARK = re.compile(r"\[\^[^\[\]]{1,100}\]")
CHECKBOX = re.compile(r"\[[ xX]\]\s+")
HTML_TABLE = re.compile(r"<table\b.*?(?:</table>|\Z)", re.DOTALL | re.IGNORECASE)
HTML_TITLE = re.compile(r"\s*<h1\b", re.IGNORECASE)
LONGEST_DEFINITION = 10  # lines of a link definition with its title
LONGEST_TAG = 2000  # characters of a tag or a comment within a line of text
DEEPEST_LINK = 10  # links and pictures in one another
BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
# Containers that decide what a paragraph in them is; the innermost counts.
KINDS = {"list_item": "item", "dd": "item", "dt": "heading", "heading": "heading"}


def markdown_parts(text: str) -> tuple[list[Part], str | None, Counter[str]]:
    """The parts, the title (of the front matter, or the first heading of level 1), and counts of
    what was left out.

    Raises an InputError that says what to install where a parser is missing.
    """
    title, left_out, parts = None, Counter[str](), list[Part]()
    if front := FRONT_MATTER.match(text):
        text = text[front.end() :]
        left_out["front matter"] = 1
        title = (field := TITLE.search(front["fields"])) and field[1].strip(" \t\"'")
    containers = ["paragraph"]
    in_table = False
    for token in _parse(FOOTNOTE.sub("- ", DIRECTIVE.sub(r"\1", text))):
        name, _, edge = token.type.rpartition("_")
        if name == "table":
            in_table = edge == "open"
            left_out["tables"] += in_table
        elif name in KINDS:
            containers.append(KINDS[name]) if edge == "open" else containers.pop()
            top = token.tag == "h1" and edge == "open"
        elif token.type in ("fence", "code_block"):
            left_out["code blocks"] += 1
        elif token.type == "html_block":
            content, tables = HTML_TABLE.subn("", token.content)
            found, _, hidden = html_parts(content)
            left_out.update(hidden)
            left_out["tables"] += tables
            parts += found
            if title is None and HTML_TITLE.match(content) and found:
                title = found[0].text
        elif token.type == "inline" and not in_table:
            content = _readable(token.children)
            if containers[-1] == "item":
                content = CHECKBOX.sub("", content, count=1) if CHECKBOX.match(content) else content
            lines = (lay_out(line.split("\n"), ragged=False) for line in content.split("\v"))
            if content := "\n".join(filter(None, lines)):
                parts.append(Part(containers[-1], content))
                title = title or (content if containers[-1] == "heading" and top else None)
    return parts, title, +left_out


def _parse(text: str) -> list[Any]:
    try:
        from markdown_it import MarkdownIt
        from mdit_py_plugins.deflist import deflist_plugin
    except ImportError as error:
        raise InputError(
            f"reading Markdown needs packages that are not installed: {INSTALL}"
        ) from error
    parser = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
    # these keep or copy the text again for each piece that they join; `_readable` joins them
    parser.disable(["fragments_join", "text_join"])
    parser.block.ruler.at("reference", _short_reference)
    parser.inline.ruler.at("html_inline", _short_tag)
    for name in ("link", "image"):
        parser.inline.ruler.at(name, _not_too_deep(name))
    return parser.use(deflist_plugin).parse(text)


def _short_reference(state: Any, start: int, end: int, silent: bool) -> bool:
    """markdown-it's rule for a link definition, limited to LONGEST_DEFINITION lines.

    The rule itself reads to the end of the paragraph for each definition, so its time grows with
    the square of their number.
    """
    from markdown_it.rules_block import reference

    lines, state.lineMax = state.lineMax, min(state.lineMax, start + LONGEST_DEFINITION)
    try:
        return reference(state, start, end, silent)
    finally:
        state.lineMax = lines


def _short_tag(state: Any, silent: bool) -> bool:
    """markdown-it's rule for HTML in a line, limited to tags of LONGEST_TAG characters.

    The rule itself looks for the end of each tag through the whole paragraph.
    """
    from markdown_it.rules_inline import html_inline

    source, state.src = state.src, state.src[: state.pos + LONGEST_TAG]
    try:
        return html_inline(state, silent)
    finally:
        state.src = source


def _not_too_deep(name: str) -> Callable[[Any, bool], bool]:
    """markdown-it's rule for links or for pictures, which gives up within DEEPEST_LINK others.

    The rule itself reads all that follows a bracket once for each level of nesting.
    """
    from markdown_it import rules_inline

    rule = getattr(rules_inline, name)

    def limited(state: Any, silent: bool) -> bool:
        if silent and state.level > DEEPEST_LINK:
            if state.src[state.pos] not in "[!":
                return False
            state.pos = state.posMax  # as the parser does at its own limit
            return True
        return bool(rule(state, silent))

    return limited


def _readable(tokens: Iterable[Any]) -> str:
    """The text of a paragraph as a reader sees it; a hard break becomes a vertical tab."""
    pieces = []
    for is_text, group in groupby(tokens, lambda token: token.type in ("text", "text_special")):
        if is_text:
            pieces.append(FOOTNOTE_MARK.sub("", "".join(token.content for token in group)))
        else:
            pieces += map(_readable_token, group)
    return "".join(pieces)


def _readable_token(token: Any) -> str:
    if token.type == "code_inline":
        return str(token.content)
    if token.type == "softbreak":
        return "\n"
    if token.type == "hardbreak" or BREAK.fullmatch(token.content):
        return "\v"
    return ""
