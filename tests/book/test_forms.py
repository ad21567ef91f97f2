"""The other forms of the book: notebooks to take along, the status page, the PDF and the ePub."""

import io
import json
import re
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from book_browser import opened
from bs4 import BeautifulSoup
from built_pages import contents, notebooks, page
from pypdf import PdfReader

from tools import epub, pdf, whole_book
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_downloads
import minibert_status

XHTML, MATH = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/1998/Math/MathML}"


# ---------------------------------------------------------------- notebooks to take along


@pytest.mark.parametrize("name", notebooks())
def test_every_chapter_offers_its_own_notebook(site, name):
    file = Path(name).name + ".ipynb"
    assert f"../downloads/{file}" in page(site, name).links or name == "notebooks/solutions"
    assert f"../downloads/{file}" in page(site, "book/downloads").links
    assert (site / "downloads" / file).read_bytes() == (ROOT / f"{name}.ipynb").read_bytes()


def test_the_zip_holds_all_of_them_and_what_they_need(site):
    assert "../downloads/minibert-notebooks.zip" in page(site, "book/downloads").links
    with zipfile.ZipFile(site / "downloads" / "minibert-notebooks.zip") as archive:
        assert archive.testzip() is None
        names = {name.removeprefix("minibert-notebooks/") for name in archive.namelist()}
        assert names == {"README.txt"} | {f"{Path(name).name}.ipynb" for name in notebooks()}
        readme = archive.read("minibert-notebooks/README.txt").decode()
        for name in names - {"README.txt"}:
            assert json.loads(archive.read(f"minibert-notebooks/{name}"))["nbformat"] == 4
            assert name in readme
    assert "MINIBERT_SOURCE" in readme and "Python 3.11" in readme


def test_equal_notebooks_make_equal_zips(tmp_path):
    for name in ("one.zip", "two.zip"):
        minibert_downloads.pack(ROOT, tmp_path / name, "here")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


# ---------------------------------------------------------------- the status page


def test_the_status_is_that_of_the_notebooks_and_logs(site, monkeypatch):
    text = page(site, "book/status").text
    times = json.loads(
        (ROOT / "benchmarks" / "logs" / "notebooks.json").read_text(encoding="utf-8")
    )["notebooks"]
    rows = BeautifulSoup(page(site, "book/status").source, "html.parser").table.tbody("tr")
    assert [row.td.get_text() for row in rows] == [
        *sorted(Path(name).name for name in notebooks()),
        "all",
    ]
    for row in rows[:-1]:
        name, cells, ignored, _moving, seconds, *_ = (cell.get_text() for cell in row("td"))
        stored = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))[
            "cells"
        ]
        assert int(cells) == sum(cell["cell_type"] == "code" for cell in stored)
        assert int(ignored) == sum(
            "nbval-ignore-output" in cell["metadata"].get("tags", []) for cell in stored
        )
        assert float(seconds) == times[name]["processor_seconds"]
    assert re.search(r"Built on 20\d\d-\d\d-\d\d \d\d:\d\d UTC", text)
    assert re.search(
        r"[\d,]+ links inside the book were followed, their places on the page included: none of them broken",
        text,
    )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert (
        ">2023-11-14 22:13</time> UTC" in minibert_status.page(ROOT) == minibert_status.page(ROOT)
    )


def test_the_status_shows_what_the_benchmark_of_the_pages_measured(tmp_path):
    assert "dev.py bench pages" in minibert_status.weights(tmp_path)
    log = {
        "machine": {"cores": 2, "processor": "AVX2"},
        "rows": [
            {"variant": "an empty page", "seed": None, "seen": 0.05, "ready": 0.06, "seconds": 2.0},
            {
                "variant": "book/model",
                "seed": None,
                "kilobytes": 640,
                "all_kilobytes": 8123,
                "seen": 0.4,
                "ready": 0.93,
                "seconds": 9.1,
            },
        ],
    }
    (tmp_path / "benchmarks" / "logs").mkdir(parents=True)
    (tmp_path / "benchmarks" / "logs" / "pages.json").write_text(json.dumps(log))
    lines = minibert_status.weights(tmp_path).splitlines()
    assert (
        lines[2:4]
        == ["| an empty page |  |  | 0.05 | 0.06 |", "| book/model | 640 | 8,123 | 0.40 | 0.93 |"]
        and "2 cores (AVX2)" in lines[-1]
    )


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b/c.html#there">1</a> <a href="#here">2</a> <a href="b/c.html#gone">3</a> <a href="d.html">4</a> <a href="https://x.example/y">5</a>'
    )
    (tmp_path / "b" / "c.html").write_text(
        '<p id="there"><a href="../a.html">1</a> <a href="../a.html#%68ere">2</a> <a href="mailto:x@x.example">3</a>'
    )
    assert minibert_status.follow(tmp_path) == (
        4,
        {"x.example": 1},
        ["a.html: b/c.html#gone", "a.html: d.html"],
    )


# ---------------------------------------------------------------- PDF and ePub: a small book

PAGE = """<article class="bd-article"><section id="top"><h1>{title}<a class="headerlink" href="#top">#</a></h1>
<p>See <a href="{link}">there</a>, <a href="../genindex.html">nowhere</a>, <a href="https://x.example/">outside</a>.</p>
<div class="generated generated-exercise task" id="exercise-one"><p>Do it.</p><details><summary>Hint 1</summary><p>So, as in <a href="#top">the text</a>.</p></details></div>
<div class="generated generated-exercise solution"><details><summary>Solution</summary><pre>x = 1</pre></details></div>
<div class="generated generated-quiz" id="quiz-one"><p><strong>Question 1.</strong> Why?</p>
<details class="wrong"><summary>A. This</summary><p>No. Never.</p></details><details class="right"><summary>B. That</summary><p>Right. Always.</p></details></div>
<noscript data-paper="Paper &lt;b&gt;rests&lt;/b&gt;."><p>Scripts are off.</p></noscript>
<details><summary>its code</summary><pre>y = 2</pre></details><details><summary>More</summary><p>Much more.</p></details>
<label><input type="checkbox"> Done</label><button>Press</button></section></article>"""


@pytest.fixture
def small(tmp_path):
    """Two chapters of a built book, and its table of contents."""
    (tmp_path / "_toc.yml").write_text(
        "root: book/intro\nparts:\n- caption: Build it\n  chapters:\n  - file: notebooks/01_one\n    sections:\n    - file: book/api/two\n"
    )
    for name, title, link in (
        ("book/intro", "Welcome", "../notebooks/01_one.html#quiz-one"),
        ("notebooks/01_one", "1. One", "#exercise-one"),
        ("book/api/two", "Two", "../../book/intro.html"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.html").write_text(PAGE.format(title=title, link=link))
    return whole_book.read_book(tmp_path, tmp_path)


def test_what_is_folded_goes_to_the_end_with_links_both_ways(small):
    intro, one, two, answers = small
    assert [(chapter.heading, chapter.part, chapter.depth) for chapter in small] == [
        ("Welcome", "", 0),
        ("1 · One", "Build it", 0),
        ("Two", "Build it", 1),
        ("Hints and answers", "Reference", 0),
    ]
    for hidden in (
        "Scripts are off",
        "Right.",
        "No. Never",
        "So, as in",
        "y = 2",
        "x = 1",
        "Press",
    ):
        assert hidden not in one.body.get_text()
    assert all(
        shown in one.body.get_text()
        for shown in ("A. This", "B. That", "Much more.", "☐  Done", "Paper rests.")
    )
    text = answers.body.get_text()
    assert text.count("Right. Always.") == text.count("So, as in") == 3 and "Question 1." in text
    cut = whole_book.relink(
        small,
        lambda chapter, fragment: f"#{chapter.key}--{fragment}" if fragment else f"#{chapter.key}",
    )
    assert cut == [
        f"{chapter.name}: {gone}"
        for chapter in (intro, one, two)
        for gone in ("../genindex.html", "notebooks/solutions.html")
    ], "they are not in this work"
    places = {
        f"#{chapter.key}--{node['id']}" for chapter in small for node in chapter.body.select("[id]")
    } | {f"#{chapter.key}" for chapter in small}
    links = [anchor["href"] for chapter in small for anchor in chapter.body.select("a[href]")]
    assert {link for link in links if link.startswith("#")} <= places
    assert (
        "#01_one--exercise-one" in links
        and "#answers--answers-quiz-one" in links
        and links.count("https://x.example/") == 3
    )


def test_code_gets_letters_as_small_as_its_longest_line_needs():
    def fitted(*lengths):
        code = BeautifulSoup(
            f"<pre>{chr(10).join('x' * length for length in lengths)}</pre>", "html.parser"
        ).pre
        pdf.fit(code)
        return code.get("style"), code.get("class")

    assert fitted(pdf.LETTERS, 3) == (None, ["short"]) and fitted(*[10] * (pdf.SHORT + 1)) == (
        None,
        None,
    )
    assert fitted(pdf.LETTERS * 8 // 7)[0] == "--code: 7.03pt"
    assert fitted(pdf.MOST_LETTERS + 1, 20)[0] is None, (
        "a line that would be too small to be read wraps, and its neighbours stay as they are"
    )


def test_signs_and_places_are_found_in_the_whole_work(small, tmp_path):
    chapter = small[0]
    chapter.body.append(
        BeautifulSoup(
            '<svg><symbol id="sign-1"><path d="M0 0"></path></symbol><use href="#sign-1"></use></svg>',
            "html.parser",
        )
    )
    pdf.prepare(small, tmp_path)
    assert (
        chapter.body.find("use")["href"]
        == "#" + chapter.body.find("symbol")["id"]
        == "#intro--sign-1"
    )


def test_the_looks_of_the_e_book_need_no_variables():
    sheet = epub.style()
    assert "symbol .segment { fill: #c44e00; }" in sheet and sheet.count("symbol .") > 12
    assert "var(" not in sheet and ":is(" not in sheet, (
        "what reading systems of some age do not know"
    )


@pytest.mark.parametrize("tool", [pdf, epub])
def test_without_a_book_or_a_browser_the_forms_end_with_a_sentence(
    tool, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "argv", ["tool", str(tmp_path / "form")])
    monkeypatch.setattr(tool, "SITE", tmp_path)
    assert tool.main() == 2 and "python3 dev.py book" in capsys.readouterr().err
    for name, *_ in whole_book.contents(ROOT):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.html").write_text(PAGE.format(title="A page", link="#top"))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tool.main() == 2 and "Chromium or Chrome" in capsys.readouterr().err
    assert not (tmp_path / "form").exists()


# ---------------------------------------------------------------- PDF and ePub: the whole book


def squashed(text):
    return re.sub(r"\W", "", text)


def in_a_thread(make, *arguments):
    """Playwright runs once in a thread, and this one may have the browser of the other tests."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(make, *arguments).result()


@pytest.fixture(scope="module")
def chapters(site):
    """What is printed, which takes half a minute to be read."""
    return whole_book.read_book(site, ROOT)


@pytest.fixture(scope="module")
def printed(site, chapters, needs_chromium, tmp_path_factory):
    read = {(site, ROOT): chapters}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdf, "read_book", lambda *places: read[places])
        return PdfReader(
            in_a_thread(pdf.make, site, ROOT, tmp_path_factory.mktemp("pdf") / "minibert.pdf")
        )


@pytest.mark.slow
def test_the_pdf_has_every_chapter_where_its_contents_say(printed, chapters):
    root = printed.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en"
    outline = [entry.title for entry in printed.outline if not isinstance(entry, list)]
    assert len(outline) == len(chapters) + 1 and printed.metadata.title == "minibert"
    text = [squashed(sheet.extract_text()) for sheet in printed.pages[:4]]
    front, numbers = "".join(text[1:4]), pdf.page_numbers(printed)
    for chapter in chapters:
        first = numbers[chapter.key]
        assert f"{squashed(chapter.heading)}{first}" in front, chapter.heading
        assert squashed(chapter.title)[:30] in squashed(printed.pages[first - 1].extract_text()), (
            chapter.title
        )
    assert (
        printed.pages[10].extract_text().split()[-1] == "11"
        or printed.pages[10].extract_text().split()[0] == "11"
    )
    assert "minibert" in printed.pages[0].extract_text()


@pytest.mark.slow
def test_links_in_the_pdf_lead_somewhere(printed):
    places = {name.lstrip("/") for name in printed.named_destinations}
    inside, outside = set(), set()
    for sheet in printed.pages:
        for note in sheet.get("/Annots", []):
            note = note.get_object()
            if "/Dest" in note:
                inside.add(str(note["/Dest"]).lstrip("/"))
            elif "/A" in note and "/URI" in note["/A"]:
                outside.add(note["/A"]["/URI"])
    assert inside <= places and len(inside) > 300
    assert outside and all(
        link.startswith(("http://", "https://", "mailto:")) for link in outside
    ), "no address of this machine"


@pytest.fixture(scope="module")
def bound(site, needs_chromium, tmp_path_factory):
    return zipfile.ZipFile(
        in_a_thread(epub.make, site, ROOT, tmp_path_factory.mktemp("epub") / "minibert.epub")
    )


@pytest.fixture(scope="module")
def sheets(bound):
    """Every page of the ePub, read as XML: name -> tree."""
    return {
        name.removeprefix("EPUB/"): ElementTree.parse(io.BytesIO(bound.read(name)))
        for name in bound.namelist()
        if name.endswith(".xhtml")
    }


@pytest.mark.slow
def test_the_epub_is_whole(bound, sheets):
    assert (
        bound.namelist()[0] == "mimetype"
        and bound.read("mimetype") == b"application/epub+zip"
        and bound.infolist()[0].compress_type == zipfile.ZIP_STORED
    )
    spaces = {"opf": "http://www.idpf.org/2007/opf"}
    package = ElementTree.fromstring(bound.read("EPUB/package.opf"))
    listed = {item.get("href"): item for item in package.findall(".//opf:item", spaces)}
    assert {f"EPUB/{name}" for name in listed} == {
        name for name in bound.namelist() if name.startswith("EPUB/") and name != "EPUB/package.opf"
    }
    assert {reference.get("idref") for reference in package.findall(".//opf:itemref", spaces)} == {
        listed[name].get("id") for name in sheets
    }
    for name, sheet in sheets.items():
        assert ("mathml" in (listed[name].get("properties") or "")) == (
            next(sheet.iter(f"{MATH}math"), None) is not None
        ), name
    assert len(sheets) == len(contents()) + 3, "the pages, the answers, the contents, the cover"


@pytest.mark.slow
def test_links_pictures_and_formulas_of_the_epub(bound, sheets, site):
    ids = {name: {node.get("id") for node in sheet.iter()} for name, sheet in sheets.items()}
    for name, sheet in sheets.items():
        for anchor in sheet.iter(f"{XHTML}a"):
            target = unquote(anchor.get("href", ""))
            if target and not target.startswith(("http://", "https://", "mailto:")):
                file, _, place = target.partition("#")
                assert file in sheets and (not place or place in ids[file]), f"{name}: {target}"
        for image in sheet.iter(f"{XHTML}img"):
            assert len(image.get("alt", "")) > 20 or (
                image.get("alt") is not None and "logo" in image.get("src")
            ), f"{name}: {image.attrib}"
            assert f"EPUB/{image.get('src')}" in bound.namelist()
        assert not list(sheet.iter(f"{MATH}merror")), name
        assert not list(sheet.iter(f"{XHTML}script")) and not list(sheet.iter(f"{XHTML}button"))
    formulas = sum(len(list(sheet.iter(f"{MATH}math"))) for sheet in sheets.values())
    assert (
        formulas
        == sum(page(site, name).source.count('class="math notranslate') for name in contents())
        > 300
    )
    stills = sum(page(site, name).source.count("figure-still") for name in contents())
    assert (
        sum(
            "figure-still" in image.get("class", "")
            for sheet in sheets.values()
            for image in sheet.iter(f"{XHTML}img")
        )
        == stills
        > 10
    )


@pytest.mark.slow
def test_a_page_of_the_epub_opens_in_a_browser(bound, browser, tmp_path):
    bound.extractall(tmp_path)
    tab, wrong = opened(browser, (tmp_path / "EPUB" / "04_attention.xhtml").as_uri())
    assert tab.locator("h1").count() == 1
    assert tab.evaluate(
        "[...document.querySelectorAll('math')].every(math => math.getBoundingClientRect().width > 3)"
    )
    assert tab.evaluate("[...document.images].every(image => image.naturalWidth > 50)")
    tab.locator("a[href^='answers.xhtml#']").first.click()
    assert tab.url.split("/")[-1].startswith("answers.xhtml#answers-")
    assert [entry for entry in wrong if "asks for" not in entry] == []
    tab.context.close()
