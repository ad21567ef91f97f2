"""The search: it finds sections, terms of the glossary and names of the package, in the page itself and from a file.

When the pages are there, their text is written to `_static/sections.js`, a script and not JSON, because a browser that shows a file
fetches no other. book/_static/search.js reads it with MiniSearch (book/_static/vendor) once somebody searches. The search of Sphinx finds
pages, so it is not used; its index is still written, because Sphinx reads it back in the next build.
"""

import json
import re
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from minibert_index import singular

INDEX, GLOSSARY = "_static/sections.js", "book/glossary"
NOT_SEARCHED = {"book/index_of_terms", "book/progress"}
NOT_TEXT = re.compile(r"<(script|style|svg|noscript)\b.*?</\1>", re.DOTALL)
CODE, TAG = re.compile(r"(?<=<pre>).*?(?=</pre>)", re.DOTALL), re.compile(r"<[^>]*>")
FORMULAS = [
    (re.compile(sign), typed)
    for sign, typed in [
        (r"\\sqrt\s*", "√"),
        (r"\\cdot\b", "·"),
        (r"\\times\b", "×"),
        (r"\\(?:text|mathrm|mathbf|mathit|operatorname|left|right)\b|\\[^\w\s]|\\(?=[a-zA-Z])", ""),
        (r"[{}]", ""),
    ]
]
BLOCKS = ["p", "li", "td", "th", "caption", "summary", "dt", "dd", "figcaption"]
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
# Where the same words stand twice, a reader wants the place that explains them.
CLOSING = re.compile(
    r"Quiz|Summary|What the \w+ do(es)? differently|Further reading|Exercise [\d.]+"
)
LESS = {
    "book/deviations": 0.6,
    "notebooks/solutions": 0.3,
    "book/bibliography": 0.3,
    "book/equations": 0.5,
    "book/status": 0.4,
}


def entries(page: str, name: str) -> list[dict]:
    """What can be found on one page: its sections, terms and names, each with its text.

    A dictionary has `kind` (page, section, term or name), `at` (the end of the address), `heading`, `set` (what is set in italics),
    `prose`, `code` and `weight`.
    """
    page = CODE.sub(lambda code: TAG.sub("", code[0]), NOT_TEXT.sub("", page))
    article = BeautifulSoup(page, "html.parser").find("article")
    found = []
    for part in article.select("section[id], dt.sig[id], dt[id^=term-]"):
        entry = {"kind": "section", "at": f"#{part['id']}", "set": [], "prose": [], "code": []}
        if part.name == "section":
            heading = part.find(HEADINGS, recursive=False)
            if heading is None:
                continue
            entry["heading"] = text(heading)
            if heading.name == "h1":
                entry |= {"kind": "page", "at": ""}
            elif part["id"].startswith("module-"):
                entry["kind"] = "name"
            gather(part, entry, heading)
        else:
            is_term = "sig" not in part.get("class", [])
            entry["kind"] = "term" if is_term else "name"
            entry["heading"] = text(part) if is_term else text(part.select_one(".descname"))
            about = part.find_next_sibling("dd")
            if is_term:
                gather(about, entry)
            else:  # its code says what its name and its text say
                entry["code"] = [part["id"]]
                entry["prose"] = [text(line) for line in about.find_all("p", recursive=False)]
        entry["weight"] = LESS.get(name, 1) * (0.5 if CLOSING.match(entry["heading"]) else 1)
        found.append(
            entry
            | {
                "prose": " ".join(plain("".join(entry["prose"])).split()),
                "code": " ".join(dict.fromkeys(re.findall(r"[\w.]{2,}", " ".join(entry["code"])))),
            }
        )
    return found


def text(tag: Tag) -> str:
    """The text of a heading or a paragraph, without the sign that links to it."""
    pieces = tag.find_all(string=True)
    seen = "".join(piece for piece in pieces if not piece.find_parent(class_="headerlink"))
    return " ".join(plain(seen).split())


def plain(formulas: str) -> str:
    r"""Text with its formulas as one would type them: `\(\sqrt{d}\)` is √d."""
    for sign, typed in FORMULAS:
        formulas = sign.sub(typed, formulas)
    return formulas


def gather(tag: Tag | None, entry: dict, heading: Tag | None = None) -> None:
    """Sort the text below a tag into the entry; what has an entry of its own is left out."""
    for child in tag.children if tag else ():
        if not isinstance(child, Tag):
            entry["prose"].append(str(child))
        elif child.name == "pre":
            entry["code"].append(child.get_text())
        elif child is not heading and not has_own_entries(child):
            if child.name == "em":
                entry["set"].append(child.get_text())
            gather(child, entry)
            if child.name in BLOCKS:
                entry["prose"].append(" ")


def has_own_entries(tag: Tag) -> bool:
    """Whether what is in a tag can be found by itself: a section, a list of names or of terms."""
    is_list = tag.name == "dl" and tag.find("dt", id=True, recursive=False)
    return tag.name == "section" or bool(is_list)


def write_index(app, exception):
    """Write the text of all pages as a script that sets one variable. Of what is set in italics, terms of the glossary count: they are
    introduced there."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    names = sorted(app.env.found_docs - NOT_SEARCHED)
    read = {
        name: entries((site / f"{name}.html").read_text(encoding="utf-8"), name) for name in names
    }
    terms = {
        singular(alias)
        for entry in read.get(GLOSSARY, [])
        if entry["kind"] == "term"
        for alias in re.sub(r"\s*\(.*?\)", "", entry["heading"]).split(",")
    }
    pages = [(f"{name}.html", read[name][0]["heading"]) for name in names]
    found = [
        entry
        | {
            "page": number,
            "set": " · ".join(
                dict.fromkeys(word for word in entry["set"] if singular(word) in terms)
            ),
        }
        for number, name in enumerate(names)
        for entry in read[name]
    ]
    content = json.dumps({"pages": pages, "entries": found}, ensure_ascii=False)
    (site / INDEX).write_text(f"var MINIBERT_SECTIONS = {content};\n", encoding="utf-8")


def setup(app):
    """Sphinx calls this."""
    app.connect("build-finished", write_index)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
