"""The whole book as one ePub 3 with formulas as MathML: `python tools/epub.py [FILE]`, from a built book.

Chromium does what a browser does best: it reads each chapter's HTML, turns its TeX to MathML with the book's own MathJax and writes
well-formed XHTML. The rest is a zip with a table of contents. The same book and date give the same bytes.
"""

import html
import re
import sys
import zipfile
from itertools import groupby
from pathlib import Path

from playwright.sync_api import Page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
from tools.book_cover import LINE, TITLE, cover
from tools.environment import ROOT
from tools.pdf import SITE, edition, made_on
from tools.stills import browser
from tools.whole_book import Chapter, picture, read_book, relink, write

TARGET = ROOT / "_build" / "epub" / "minibert.epub"
STYLE, OF_PAGES = ROOT / "book" / "_static" / "epub.css", ROOT / "book" / "_static" / "minibert.css"
IDENTIFIER = "urn:uuid:6f2f1a0c-6c0d-5a3e-9c39-6d696e696265"
TYPES = {".png": "image/png", ".svg": "image/svg+xml", ".jpg": "image/jpeg", ".gif": "image/gif"}

CONVERT = """(source) => {
  const parsed = new DOMParser().parseFromString(`<!doctype html><body>${source}`, "text/html");
  for (const place of parsed.querySelectorAll(".math")) {
    const display = place.tagName === "DIV";
    let tex = place.textContent.trim().replace(/^\\\\[(\\[]|\\\\[)\\]]$/g, "").trim();
    const tag = tex.match(/\\\\tag\\{(.*?)\\}/);
    tex = tex.replace(/\\\\tag\\{.*?\\}/, "").replace(/\\\\(begin|end)\\{equation\\}/g, "").trim();
    place.innerHTML = MathJax.tex2mml(tex, { display });
    const math = place.querySelector("math");
    math.setAttribute("alttext", tex);
    for (const node of [math, ...math.querySelectorAll("*")]) {
      for (const name of node.getAttributeNames()) if (name.startsWith("data-") || name === "class") node.removeAttribute(name);
    }
    if (tag) place.insertAdjacentHTML("afterbegin", `<span class="equation-number">(${tag[1]})</span> `);
  }
  for (const node of parsed.querySelectorAll("*")) {
    for (const name of node.getAttributeNames()) {
      if (/^(data-|loading$|decoding$|align$|tabindex$|on)/.test(name)) node.removeAttribute(name);
    }
  }
  return [...parsed.body.childNodes].map(node => new XMLSerializer().serializeToString(node)).join("");
}"""


def document(title: str, body: str, kind: str = "") -> str:
    """One XHTML file of the book."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">\n'
        f'<head><meta charset="utf-8"/><title>{html.escape(title)}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>\n<body{kind}>\n{body}\n</body>\n</html>\n'
    )


def style() -> str:
    """The looks of the e-book, and the colours of the chapters' signs from the pages: without variables, which not every reading system knows."""
    sheet = OF_PAGES.read_text(encoding="utf-8")
    colour = dict(
        reversed(re.findall(r"(--mb-[\w-]+): (#\w{6})", sheet))
    )  # the first one counts, that of the light theme
    signs = "\n".join(re.findall(r"^symbol .+$", sheet, re.MULTILINE))
    return (
        STYLE.read_text(encoding="utf-8")
        + re.sub(r"var\((--mb-[\w-]+)\)", lambda name: colour[name[1]], signs)
        + "\n"
    )


def navigation(chapters: list[Chapter]) -> str:
    """The table of contents, part by part."""
    parts = []
    for part, group in groupby(chapters, key=lambda chapter: chapter.part):
        rows = "\n".join(
            f'<li><a href="{chapter.key}.xhtml">{html.escape(chapter.heading)}</a></li>'
            for chapter in group
        )
        parts.append(
            f"<li><span>{html.escape(part)}</span>\n<ol>\n{rows}\n</ol></li>" if part else rows
        )
    listed = "\n".join(parts)
    return document(
        "Contents", f'<nav epub:type="toc" id="toc"><h1>Contents</h1>\n<ol>\n{listed}\n</ol></nav>'
    )


def package(chapters: list[Chapter], files: dict[str, bytes]) -> str:
    """The list of all files, and their order."""
    items = [
        f'<item id="page-{chapter.key}" href="{chapter.key}.xhtml" media-type="application/xhtml+xml"{properties(files[f"{chapter.key}.xhtml"])}/>'
        for chapter in chapters
    ]
    pictures = [name for name in files if Path(name).suffix in TYPES]
    items += [
        f'<item id="picture-{Path(name).stem}" href="{name}" media-type="{TYPES[Path(name).suffix]}"{" properties=" + chr(34) + "cover-image" + chr(34) if name == "cover.svg" else ""}/>'
        for name in pictures
    ]
    spine = "".join(f'<itemref idref="page-{chapter.key}"/>' for chapter in chapters)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">{IDENTIFIER}</dc:identifier><dc:title>{TITLE}: {html.escape(LINE)}</dc:title><dc:language>en</dc:language>
<dc:creator>the minibert authors</dc:creator><dc:rights>{html.escape(edition())}</dc:rights><dc:date>{made_on("%Y-%m-%d")}</dc:date>
<meta property="dcterms:modified">{made_on("%Y-%m-%dT00:00:00Z")}</meta>
<meta property="schema:accessMode">textual</meta><meta property="schema:accessMode">visual</meta><meta property="schema:accessModeSufficient">textual</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta><meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta><meta property="schema:accessibilityFeature">structuralNavigation</meta>
<meta property="schema:accessibilityHazard">none</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="cover-page" href="cover.xhtml" media-type="application/xhtml+xml" properties="svg"/>
<item id="style" href="style.css" media-type="text/css"/>
{chr(10).join(items)}
</manifest>
<spine><itemref idref="cover-page"/><itemref idref="nav"/>{spine}</spine>
</package>
"""


def properties(page: bytes) -> str:
    """What a reading system has to know of a file before it opens it."""
    found = [name for name, mark in (("mathml", b"<math"), ("svg", b"<svg")) if mark in page]
    return f' properties="{" ".join(found)}"' if found else ""


def collect(chapters: list[Chapter], site: Path, tab: Page) -> dict[str, bytes]:
    """Every file of the book by name; `tab` is a page of the site whose MathJax has started."""
    files = {
        "cover.svg": cover(edition()).encode(),
        "cover.xhtml": document(
            TITLE, f'<section epub:type="cover">{cover(edition())}</section>', ' class="cover"'
        ).encode(),
        "nav.xhtml": navigation(chapters).encode(),
        "style.css": style().encode(),
    }
    relink(
        chapters,
        lambda chapter, fragment: f"{chapter.key}.xhtml" + (f"#{fragment}" if fragment else ""),
    )
    for chapter in chapters:
        for image in chapter.body("img"):
            source = picture(chapter, image, site)
            files[f"images/{source.name}"] = source.read_bytes()
            image["src"] = f"images/{source.name}"
        files[f"{chapter.key}.xhtml"] = document(
            chapter.heading, tab.evaluate(CONVERT, chapter.body.decode_contents())
        ).encode()
    return files


def make(site: Path, root: Path, target: Path) -> Path:
    """Bind the book in `site` as `target`."""
    chapters = read_book(site, root)
    with browser() as started:
        # The page's policy forbids to evaluate text, which Playwright does while it waits.
        tab = started.new_page(bypass_csp=True)
        tab.goto((site / "book" / "equations.html").as_uri())
        tab.wait_for_function(
            "!!window.MathJax && !!MathJax.startup && !!MathJax.startup.promise && !!MathJax.tex2mml"
        )
        tab.evaluate("MathJax.startup.promise")
        files = collect(chapters, site, tab)
    files["package.opf"] = package(chapters, files).encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        stored(
            archive, "mimetype", b"application/epub+zip", zipfile.ZIP_STORED
        )  # first and not compressed, so that a file's first bytes say what it is
        stored(
            archive,
            "META-INF/container.xml",
            b'<?xml version="1.0"?>\n<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            b'<rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>\n',
        )
        for name in sorted(files):
            stored(archive, f"EPUB/{name}", files[name])
    return target


def stored(
    archive: zipfile.ZipFile, name: str, content: bytes, how: int = zipfile.ZIP_DEFLATED
) -> None:
    """Add a file under one date, so that equal books are equal bytes."""
    archive.writestr(
        zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), content, compress_type=how
    )


def main() -> int:
    return write(make, SITE, TARGET, __doc__)


if __name__ == "__main__":
    sys.exit(main())
