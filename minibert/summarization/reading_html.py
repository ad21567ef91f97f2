"""An HTML page as it is read: paragraphs, list items and headings, without scripts, menus, tables of numbers and hidden parts.

Over the standard library's parser, which raises nothing on bad HTML. Nothing that the page names is opened.
"""

import re
from collections import Counter
from html.parser import HTMLParser

from minibert.summarization.reading_text import STOP, Part, lay_out, text_parts

# Taken out before the parser sees them: it would take long over comments and tags without an end, and stop at some declarations.
NEVER_SHOWN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<![^>]*(?:>|\Z)", re.DOTALL | re.IGNORECASE)
UNFINISHED = re.compile(r"<[a-z/?][^<]*", re.IGNORECASE)
EMPTY_LINE = re.compile(r"\n\s*\n")           # two <br>
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption", "figcaption", "legend", "summary"))
BLOCKS = HEADINGS | frozenset("""address article aside blockquote body center dd details dialog dir div dl fieldset figure form head hgroup hr html
    li main menu ol p section table tbody td tfoot th thead tr ul""".split())
SKIPPED = {"template": None, "head": None, "svg": None, "math": None, "iframe": None, "object": None, "canvas": None,
           "audio": None, "video": None, "noscript": None, "button": None, "select": None, "textarea": None, "nav": "menus, headers, footers",
           "header": "menus, headers, footers", "footer": "menus, headers, footers", "menu": "menus, headers, footers", "pre": "code blocks"}
ROLES = frozenset("navigation banner contentinfo search menu menubar toolbar dialog".split())
# An element whose end tag may be missing ends where one of these begins; the search for it stops at its container.
CLOSES = {"li": ("li", {"ul", "ol", "menu", "dir"}), "dt": (("dt", "dd"), {"dl"}), "dd": (("dt", "dd"), {"dl"}), "tr": (("tr", "td", "th"), {"table"}),
          "td": (("td", "th"), {"tr", "table"}), "th": (("td", "th"), {"tr", "table"}), "option": ("option", {"select"}), "body": ("head", {"html"})}


def html_parts(page: str) -> tuple[list[Part], str | None, Counter]:
    """The parts, the page's title, and what was left out. If the page marks its <main> part and there is text in it, only that is read."""
    page = NEVER_SHOWN.sub("", page)
    shown = page.rfind(">") + 1
    reader = _Reader()
    reader.feed(page[:shown] + UNFINISHED.sub("", page[shown:]))
    reader.close()
    reader.end_part()
    parts = [part for part, _ in reader.found]
    main = [part for part, in_main in reader.found if in_main]
    if any(part.kind in ("paragraph", "item") for part in main) and len(main) < len(parts):
        reader.left_out["blocks outside of <main>"] = len(parts) - len(main)
        parts = main
    if reader.code and not any(part.kind in ("paragraph", "item") for part in parts):
        parts += text_parts("".join(reader.code))       # a text that was put on the web in one <pre>
        del reader.left_out["code blocks"]
    return parts, " ".join("".join(reader.title).split()) or None, reader.left_out


class _Reader(HTMLParser):
    """Collects (part, stands in <main>) in `found`; the stack of open elements says what a piece of text belongs to."""

    def __init__(self):
        super().__init__()
        self.found, self.title, self.left_out = [], [], Counter()
        self.stack = []                     # (tag, its text is not read, it is or stands in <main>)
        self.open = Counter()               # how often a tag is in the stack
        self.code = []                      # what stands in <pre>
        self.pieces, self.linked = [], 0    # of the part that is being read; characters in links

    def handle_starttag(self, tag, attributes):
        if tag in CLOSES:
            wanted, container = CLOSES[tag]
            self._close(wanted if isinstance(wanted, tuple) else (wanted,), container)
        if tag in BLOCKS or tag in SKIPPED:
            if tag not in HEADINGS and tag != "head":
                self._close(("p", "head"), {"td", "th", "li"})
            self.end_part() if tag in BLOCKS or SKIPPED[tag] else None
        elif tag == "br":
            self._text("\n")
        if tag in VOID:
            return
        attributes = {name: (value or "").lower() for name, value in attributes}
        hidden, in_main = self.stack[-1][1:] if self.stack else (False, False)
        if not hidden and (what := self._hides(tag, attributes)) is not False:
            hidden = True
            if what:
                self.left_out[what] += 1
        self.stack.append((tag, hidden, in_main or tag == "main" or attributes.get("role") == "main"))
        self.open[tag] += 1

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)       # in HTML <p/> is <p>
        if tag in ("svg", "math", "iframe", "a"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self.open[tag]:
            self._close((tag,), set())
        if tag in BLOCKS:
            self.end_part()

    def handle_data(self, data):
        tag, hidden, _ = self.stack[-1] if self.stack else (None, False, False)
        if tag == "title" and not self.open["svg"]:
            self.title.append(data)
        elif self.open["pre"]:
            self.code.append(data)
        elif not hidden:
            data = data.replace("\n", " ")
            if self.open["a"]:
                data = "" if data.strip() in ("¶", "#", "§", "🔗") else data
                self.linked += len("".join(data.split()))
            self._text(data)

    def end_part(self):
        text, self.pieces = "".join(self.pieces), []
        linked, self.linked = self.linked, 0
        kind = next((kind for tag, kind in (("th", "cell"), ("td", "cell"), ("li", "item"), ("dd", "item")) if self.open[tag]), "paragraph")
        if any(self.open[tag] for tag in HEADINGS):
            kind = "heading"
        elif kind == "cell":
            kind = "paragraph" if STOP.search(text.strip()) else "cell"
        elif linked == len("".join(text.split())) and not STOP.search(text.strip()):
            kind = "links"
        for paragraph in EMPTY_LINE.split(text):
            if paragraph.strip():
                self.found.append((Part(kind, lay_out(paragraph.split("\n"))), bool(self.stack and self.stack[-1][2])))

    def _text(self, data):
        if not (self.stack and self.stack[-1][1]):
            self.pieces.append(data)

    def _hides(self, tag, attributes):
        """What an element is counted as that is not read (None: not counted), or False for one that is."""
        if tag in SKIPPED:
            return SKIPPED[tag]
        if attributes.get("role") in ROLES:
            return "menus, headers, footers"
        style = "".join(attributes.get("style", "").split())
        if "hidden" in attributes or attributes.get("aria-hidden") == "true" or "display:none" in style or "visibility:hidden" in style:
            return "hidden parts"
        return False

    def _close(self, tags, container):
        """Pop the nearest open element of `tags`, and what stands in it, if no element of `container` lies between."""
        if not any(self.open[tag] for tag in tags):
            return
        for depth in range(len(self.stack) - 1, -1, -1):
            tag = self.stack[depth][0]
            if tag in tags:
                if any(tag in BLOCKS for tag, *_ in self.stack[depth:]):
                    self.end_part()
                for tag, *_ in self.stack[depth:]:
                    self.open[tag] -= 1
                del self.stack[depth:]
                return
            if tag in container:
                return
