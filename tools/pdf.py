"""The whole book as one tagged PDF with outline, page numbers and links: `python tools/pdf.py [FILE]`, from a built book.

One page of HTML holds all chapters; Chromium draws its formulas with the book's own MathJax and prints it, twice: the first time,
without tags, tells on which page each chapter begins, the second time the table of contents says so.
"""

import html
import os
import sys
import tempfile
import time
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
from tools.book_cover import TITLE, cover
from tools.environment import ROOT
from tools.stills import browser
from tools.whole_book import Chapter, picture, read_book, relink, write

SITE = ROOT / "_build" / "html"
TARGET = ROOT / "_build" / "pdf" / "minibert.pdf"
STYLE = ROOT / "book" / "_static" / "print.css"
LONGEST = 600_000  # milliseconds
PAPER_WIDTH = 650  # pixels between the margins of print.css
# Of code in a line: at the size that print.css gives it, and at the smallest that can be read.
LETTERS, MOST_LETTERS = 94, 122
SHORT = 22  # lines of code that stay on one page


def address(chapter: Chapter, fragment: str) -> str:
    return f"#{chapter.key}--{fragment}" if fragment else f"#{chapter.key}"


def prepare(chapters: list[Chapter], site: Path) -> None:
    """Ids that are unique in the whole work, links to them, pictures by their place on this machine."""
    relink(chapters, address)
    for chapter in chapters:
        for node in chapter.body.select("[id]"):
            node["id"] = f"{chapter.key}--{node['id']}"
        for node in chapter.body.select("[for], [headers], [aria-labelledby], [aria-describedby]"):
            for name in ("for", "headers", "aria-labelledby", "aria-describedby"):
                node.attrs.pop(name, None)
        for image in chapter.body("img"):
            image["src"] = picture(chapter, image, site).as_uri()
            image["loading"] = "eager"
        for sign in chapter.body.select("use[href]"):
            sign["href"] = address(chapter, sign["href"].removeprefix("#"))
        for code in chapter.body("pre"):
            fit(code)


def fit(code: Tag) -> None:
    """Letters as small as the longest line needs, down to what can be read (longer lines wrap); few lines stay together."""
    lines = code.get_text().splitlines()
    longest = max((len(line) for line in lines if len(line) <= MOST_LETTERS), default=0)
    if longest > LETTERS:
        code["style"] = f"--code: {8 * LETTERS / longest:.2f}pt"
    if len(lines) <= SHORT:
        code["class"] = [*code.get("class", []), "short"]


def made_on(form: str) -> str:
    """The date of today, or the one that SOURCE_DATE_EPOCH asks for."""
    return time.strftime(form, time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))


def edition() -> str:
    """Which state of the book this is."""
    return f"Version {version('minibert-course')}, made on {made_on('%Y-%m-%d')}. Text and figures: CC BY 4.0. Code: Apache License 2.0."


def formula_scripts(site: Path) -> str:
    """What draws the formulas on the pages of the site, as one of them has it."""
    page = site / "book" / "equations.html"
    found = []
    for script in BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")("script"):
        source = script.get("src", "")
        if "mathjax" in source.lower():
            found.append(
                f'<script defer src="{(page.parent / source.split("?")[0]).resolve().as_uri()}"></script>'
            )
        elif "MathJax" in script.get_text():
            found.append(str(script))
    return "".join(found)


def table_of_contents(chapters: list[Chapter]) -> str:
    """Parts and chapters, with gaps as wide as the numbers of their pages, which are not yet known."""
    rows = []
    for part, group in groupby(chapters, key=lambda chapter: chapter.part):
        if part:
            rows.append(f'<li class="part">{html.escape(part)}</li>')
        for chapter in group:
            rows.append(
                f'<li class="depth-{chapter.depth}"><a href="#{chapter.key}"><span>{html.escape(chapter.heading)}</span><i></i><b>000</b></a></li>'
            )
    return '<nav class="print-contents"><h1>Contents</h1><ol>' + "\n".join(rows) + "</ol></nav>"


def whole(chapters: list[Chapter], site: Path) -> str:
    """The whole work as one page of HTML."""
    sheets = [site / "_static" / name for name in ("pygments.css", "minibert.css", "api.css")]
    links = "".join(
        f'<link rel="stylesheet" href="{sheet.as_uri()}">'
        for sheet in [*sheets, STYLE]
        if sheet.exists()
    )
    articles = "\n".join(
        f'<article class="bd-article print-chapter" id="{chapter.key}">{chapter.body.decode_contents()}</article>'
        for chapter in chapters
    )
    return (
        f'<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{TITLE}</title>{links}{formula_scripts(site)}</head>'
        f'<body><main class="bd-main"><div class="bd-content"><section class="print-cover">{cover(edition())}</section>'
        f"{table_of_contents(chapters)}{articles}</div></main></body></html>"
    )


# ---------------------------------------------------------------- the browser


def load_page(tab, page: Path) -> None:
    """Load a page from a file, wait until its formulas and pictures are drawn, make them fit for paper."""
    tab.goto(page.as_uri(), wait_until="load", timeout=LONGEST)
    tab.wait_for_function(
        "!window.MathJax || document.querySelectorAll('.math:not(:has(mjx-container))').length === 0",
        timeout=LONGEST,
    )
    tab.evaluate(
        "Promise.all([document.fonts.ready, ...[...document.images].map(image => image.decode().catch(() => null))])"
    )
    # A formula that is wider than the paper would make Chromium shrink every page of the book.
    tab.evaluate("""() => document.querySelectorAll("div.math").forEach(place => {
        const drawn = place.querySelector("mjx-container");
        if (drawn && drawn.scrollWidth > place.clientWidth) drawn.style.fontSize = `${Math.floor(95 * place.clientWidth / drawn.scrollWidth)}%`;
    })""")
    # The letters of a drawn formula are no text. So that it can be found and read aloud, its TeX stands there, too small to be seen.
    tab.evaluate("""() => document.querySelectorAll("mjx-container").forEach(drawn => {
        drawn.querySelectorAll("mjx-assistive-mml").forEach(hidden => hidden.remove());
        const text = document.createElement("span");
        text.className = "tex";
        text.textContent = ` ${drawn.closest(".math").dataset.tex} `;
        drawn.before(text);
    })""")


def number_pages(tab, numbers: dict[str, int]) -> None:
    """Fill in the table of contents."""
    tab.evaluate(
        """numbers => document.querySelectorAll(".print-contents a").forEach(link => {
        link.querySelector("b").textContent = numbers[link.getAttribute("href").slice(1)];
    })""",
        numbers,
    )


def page_numbers(reader: PdfReader) -> dict[str, int]:
    """Named place -> number of its page, from 1."""
    return {
        name.lstrip("/"): reader.get_destination_page_number(place) + 1
        for name, place in reader.named_destinations.items()
    }


def make(site: Path, root: Path, target: Path) -> Path:
    """Print the book in `site` to `target`."""
    chapters = read_book(site, root)
    prepare(chapters, site)
    for chapter in chapters:
        for formula in chapter.body.select(".math"):
            formula["data-tex"] = formula.get_text().strip()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, browser() as started:
        page = Path(scratch) / "book.html"
        page.write_text(whole(chapters, site), encoding="utf-8")
        numbers: dict[str, int] = {}
        for _ in range(2):  # each time loaded anew, because a second print breaks pages elsewhere
            tab = started.new_page(viewport={"width": PAPER_WIDTH, "height": 900})
            tab.emulate_media(media="print")
            tab.set_default_timeout(LONGEST)
            load_page(tab, page)
            number_pages(tab, numbers)
            tab.pdf(
                path=target,
                prefer_css_page_size=True,
                print_background=True,
                tagged=True,
                outline=True,
            )
            tab.close()
            numbers = page_numbers(PdfReader(target))
    return target


def main() -> int:
    return write(make, SITE, TARGET, __doc__)


if __name__ == "__main__":
    sys.exit(main())
