"""Source code wraps at 72 columns, and on a phone earlier: what continues a line is indented below it. A comment after code that has no
room beside it goes below it in one piece, and what continues a comment stands under its first word.

A browser can wrap a line, but indents what continues it only where the line is an element of its own, so each line that may be wrapped
becomes one, with its own indent. What is copied stays as it is. Output is not wrapped, because its columns mean something.
"""

import re
from html import unescape

NEVER_WRAPPED = 36  # columns that have room everywhere
BLOCK = re.compile(
    r'(<div class="(?:highlight-(?!none|myst-ansi|ipythontb)[\w-]+) notranslate"><div class="highlight"><pre>(?:<span></span>)?)(.*?)(?=</pre>)',
    re.DOTALL,
)
TAG = re.compile(r"<[^>]*>")
TRAILING_COMMENT = re.compile(r'(?<=\S)( *)<span class="c1">([^<]+)</span>$')


def wrapped(block: re.Match) -> str:
    """A block of code whose long lines are elements."""
    return block[1] + "".join(map(element, block[2].splitlines(keepends=True)))


def element(line: str) -> str:
    """One line of highlighted code; Pygments ends every tag in the line in which it begins."""
    text = unescape(TAG.sub("", line)).rstrip("\n")
    if len(text) <= NEVER_WRAPPED:
        return line
    indent = len(text) - len(text.lstrip(" "))
    kind = "line remark" if text.lstrip().startswith("#") else "line"
    line = TRAILING_COMMENT.sub(r'\1<span class="c1 whole">\2</span>', line.rstrip("\n")) + "\n"
    return f'<span class="{kind}" style="--indent: {indent}">{line}</span>'


def wrap_code(app, pagename, templatename, context, doctree):
    if "body" in context:
        context["body"] = BLOCK.sub(wrapped, context["body"])


def setup(app):
    """Sphinx calls this."""
    app.connect("html-page-context", wrap_code)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
