"""Markdown as it is read: paragraphs, list items and headings, without code, tables, pictures, addresses and marks.

What matters of CommonMark and of its common extensions; the file is not checked, and nothing in it is an error.
"""

import html
import re
from collections import Counter

from minibert.summarization.reading_text import Part, lay_out

FRONT_MATTER = re.compile(r"\s*(---|\+\+\+)[ ]*\n(?=\s*(?:#|[\w-]+\s*[:=]))(?P<fields>.*?)\n(?:\1|\.\.\.)[ ]*(?:\n|$)", re.DOTALL)
FIELD = re.compile(r"""^title\s*[:=]\s*["']?(.*?)["']?\s*$""", re.MULTILINE)
QUOTE = re.compile(r" {0,3}> ?")
FENCE = re.compile(r"\s*(`{3,}|~{3,})[^`]*$")
HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
HEADING_END = re.compile(r"(?:^|[ \t])#+$")
HTML_HEADING = re.compile(r"\s*<(?:h([1-6])|summary)\b", re.IGNORECASE)
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
RULER = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
ITEM = re.compile(r"[ \t]*(?:[-*+]|(\d{1,9})[.)])(?:[ \t]+(?:\[[ xX]\][ \t]+)?|$)")
TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
DEFINITION = re.compile(r" {0,3}\[(?!\^)([^\[\]]+)\]:[ \t]*\S")
MEANING = re.compile(r" {0,3}:[ \t]+(?=\S)")       # of the term on the line above
FOOTNOTE = re.compile(r" {0,3}\[\^[^\[\]]+\]:[ \t]*")
DIRECTIVE = re.compile(r"[ \t]*(?::{3,}.*|\{%.*%\}|\{\{.*\}\}|!!! .*|\[!\w+\]\s*)$")
SKIPPED = re.compile(r"[ \t]*<(script|style|svg|pre|table)\b", re.IGNORECASE)
ONLY_TAGS = re.compile(r"[ \t]*(?:</?[A-Za-z][^<>]*>[ \t]*)+$")

# Inside a paragraph; every repetition is bounded, so that no text takes long.
HELD = re.compile(r"(?<!`)(`{1,3})(?!`)((?:[^`]|(?!\1)`){1,500}?)(?<!`)\1(?!`)|\\([!-/:-@\[-`{-~])")
ADDRESS = r"(?:\([^()\n]{0,1000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,5}\)|\[[^\[\]]{0,200}\])"
IMAGE = re.compile(rf"!\[[^\[\]]{{0,500}}\]{ADDRESS}?")
LINK = re.compile(rf"\[([^\[\]]{{0,500}})\]{ADDRESS}")
SHORTCUT = re.compile(r"\[([^\[\]]{1,200})\]")
NOTE = re.compile(r"\[\^[^\[\]]{1,100}\]")
AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,1000})>")
BREAK = re.compile(r"<br\s*/?>|(?:  |\\)(?=\n)", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
EMPHASIS = [re.compile(rf"{before}{mark}(?=[^\s{sign}])(.{{1,500}}?)(?<=[^\s]){mark}{after}", re.DOTALL) for mark, sign, before, after in (
    (r"\*\*\*", r"\*", "", ""), (r"\*\*", r"\*", "", ""), (r"\*", r"\*", "", r"(?!\*)"), ("___", "_", r"(?<!\w)", r"(?!\w)"),
    ("__", "_", r"(?<!\w)", r"(?!\w)"), ("_", "_", r"(?<!\w)", r"(?!\w)"), ("~~", "~", "", ""))]


def markdown_parts(text: str) -> tuple[list[Part], str | None, Counter]:
    """The parts, the title (of the front matter, or the first heading of the first level), and what was left out."""
    title, left_out = None, Counter()
    if front := FRONT_MATTER.match(text):
        text = text[front.end():]
        left_out["front matter"] = 1
        title = (field := FIELD.search(front["fields"])) and field[1]
    lines = text.split("\n")
    definitions = {" ".join(found[1].lower().split()) for line in lines if (found := DEFINITION.match(line))}
    parts, kind, found = [], "paragraph", []
    fence = closing = None                  # of what is being skipped: a fence of code; the end tag of a piece of HTML or of a comment
    in_list = in_table = in_code = False

    def end_part():
        nonlocal kind, found
        lines = "\n".join(line.strip() + "  " * line.endswith("  ") for line in found)
        lines = _inline(lines, definitions).split("\n\v")       # at hard breaks
        if content := "\n".join(filter(None, (lay_out(line.split("\n"), ragged=False) for line in lines))):
            parts.append(Part(kind, content))
        kind, found = "paragraph", []

    for line in lines:
        line = line.expandtabs(4)
        if fence:
            fence = None if QUOTE.sub("", line).strip().startswith(fence) and not line.strip(" >`~") else fence
            continue
        if closing:
            closing = None if closing in line.lower() else closing
            continue
        while quote := QUOTE.match(line):
            line = line[quote.end():]
        if not line.strip():
            end_part()
            in_table = False
            continue
        indented = line.startswith("    ") and not found and not in_list and not (parts and ITEM.match(line))
        left_out["code blocks"] += indented and not in_code
        in_code = indented
        if indented or in_table:
            continue
        heading = HEADING.match(line)
        if opened := FENCE.match(line):
            end_part()
            fence = opened[1]
            left_out["code blocks"] += 1
        elif "<!--" in line:
            before, _, comment = line.partition("<!--")
            closing = None if "-->" in comment else "-->"
            line = before + comment.partition("-->")[2]
            if line.strip():
                found.append(line)
        elif skipped := SKIPPED.match(line):
            end_part()
            tag = skipped[1].lower()
            closing = None if f"</{tag}>" in line.lower() else f"</{tag}>"
            left_out[{"pre": "code blocks", "table": "tables"}.get(tag, "pieces of HTML")] += 1
        elif found and kind == "paragraph" and UNDERLINE.match(line):
            kind = "heading"
            end_part()
            title = title or "=" in line and parts and parts[-1].text or None
        elif found and "|" in line + found[-1] and TABLE_RULE.match(line):
            found.pop()                     # the head of the table
            end_part()
            in_table = True
            left_out["tables"] += 1
        elif heading or HTML_HEADING.match(line):
            end_part()
            kind, found = "heading", [HEADING_END.sub("", line[heading.end():].strip()) if heading else line]
            first = (heading or HTML_HEADING.match(line))[1] in ("#", "1")
            before = len(parts)
            end_part()
            title = title or first and len(parts) > before and parts[-1].text or None
            in_list = False
        elif RULER.match(line) or DIRECTIVE.match(line) or DEFINITION.match(line) or ONLY_TAGS.match(line) and not AUTOLINK.search(line):
            end_part()
        elif (meaning := MEANING.match(line)) and (len(found) == 1 or not found and parts):
            kind = "heading" if found and kind == "paragraph" else kind
            end_part()
            kind, found = "item", [line[meaning.end():]]
        elif note := FOOTNOTE.match(line):
            end_part()
            kind, found = "item", [line[note.end():]]
        elif (item := ITEM.match(line)) and (not found or kind == "item" or item[1] in (None, "1")):
            end_part()
            kind, found, in_list = "item", [line[item.end():]], True
        else:
            in_list = in_list and (bool(found) or line.startswith("  "))
            found.append(line)
    end_part()
    return parts, title, +left_out


def _inline(text: str, definitions: set[str]) -> str:
    """The text as it is read; a hard break becomes a line break with a vertical tab behind it."""
    held = []

    def hold(match):
        held.append(match[2] or match[3])
        return f"\0{len(held) - 1}\0"

    def name(match):
        return match[1] if " ".join(match[1].lower().split()) in definitions else match[0]

    text = HELD.sub(hold, text)             # code and what is escaped stays as it is
    text = NOTE.sub("", LINK.sub(r"\1", IMAGE.sub("", text)))
    text = SHORTCUT.sub(name, text) if definitions else text
    text = AUTOLINK.sub(r"\1", text)
    text = TAG.sub("", BREAK.sub("\n\v", text).replace("\n\v\n", "\n\v"))
    for mark in EMPHASIS:
        text = mark.sub(r"\1", text)
    return re.sub(r"\0(\d+)\0", lambda match: held[int(match[1])], html.unescape(text))
