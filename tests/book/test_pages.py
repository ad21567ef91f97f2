"""The built book: every chapter, figure, formula, search entry and link is there, and no page asks another host for anything."""

import json
import re
import sys
from collections import Counter
from html import unescape
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from built_pages import Page, contents, notebooks, page

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_status

HERE = "https://book.example/"  # stands for wherever the book is served from


def test_every_notebook_stands_in_the_contents():
    there = {f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert there == set(notebooks())


def test_every_page_of_the_contents_is_built(site):
    for name in contents():
        built = page(site, name)
        assert built.tags["h1"] >= 1, name
        assert max(built.ids.values()) == 1, (
            f"{name}: the same id twice: {built.ids.most_common(3)}"
        )
    assert "book/intro.html" in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", notebooks())
def test_every_figure_is_shown_with_its_text_alternative(site, name):
    cells = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    stored = sum(
        "image/png" in output.get("data", {})
        for cell in cells
        for output in cell.get("outputs", [])
    )
    shown = [image for image in page(site, name).images if "_images/" in image["src"]]
    assert len(shown) == stored
    for image in shown:
        assert len(image.get("alt", "")) > 20, f"{name}: {image}"
        assert (site / name).parent.joinpath(image["src"]).resolve().is_file(), image["src"]


@pytest.mark.parametrize("name", notebooks())
def test_every_moving_figure_has_its_state_in_the_page(site, name):
    cells = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    stored = [
        output["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
        for cell in cells
        for output in cell.get("outputs", [])
        if "application/vnd.jupyter.widget-view+json" in output.get("data", {})
    ]
    source = page(site, name).source
    assert source.count("application/vnd.jupyter.widget-view+json") == len(stored)
    for model in stored:
        assert source.count(model) >= 2, f"{name}: the state of figure {model} is not in the page"


def test_every_page_can_be_searched(site):
    index = (site / "_static" / "sections.js").read_text(encoding="utf-8")
    index = json.loads(index.removeprefix("var MINIBERT_SECTIONS = ").rstrip().removesuffix(";"))
    found = {address.removesuffix(".html") for address, title in index["pages"]}
    assert set(contents()) - found == {"book/index_of_terms", "book/progress"}
    for entry in index["entries"]:
        address, _ = index["pages"][entry["page"]]
        name = address.removesuffix(".html")
        assert entry["heading"] and (not entry["at"] or entry["at"][1:] in page(site, name).ids)


def test_every_internal_link_leads_to_something(site):
    good, _, broken = minibert_status.follow(site)
    assert broken == [] and good > 1000


def test_no_page_loads_anything_from_another_host(site):
    for path in set(site.rglob("*.html")) - set(
        site.glob("_static/**/*.html")
    ):  # those are templates of the theme
        for load in Page(path).loads:
            if load.startswith("data:"):
                continue
            assert urljoin(HERE, load).startswith(HERE), f"{path.name} loads {load}"
            assert path.parent.joinpath(unquote(urlsplit(load).path)).resolve().is_file(), (
                f"{path.name} loads {load}, which is not there"
            )
    for path in site.rglob("*.css"):
        style = path.read_text(encoding="utf-8")
        for address in re.findall(r"url\(\s*['\"]?([^'\")]+)", style) + re.findall(
            r"@import\s+['\"]([^'\"]+)", style
        ):
            assert address.startswith(("data:", "#")) or urljoin(HERE, address).startswith(HERE), (
                f"{path.name} loads {address}"
            )


def test_pages_name_no_delivery_network(site):
    networks = re.compile(r"jsdelivr|unpkg|cdnjs|cloudflare|googleapis|gstatic|thebe")
    for name in contents():
        found = networks.search(page(site, name).source)
        assert found is None, f"{name} names {found[0]}"


def test_no_sign_of_markdown_is_left_in_what_the_reader_sees(site):
    for name in contents():
        seen = re.sub(
            r"<(code|pre|script|style)\b.*?</\1>", "", page(site, name).source, flags=re.DOTALL
        )
        for sign in (r"<summary>[^<]*[`*$]", r"\*\*\w", r"\{\{", r"\]\([\w./#:]+\)"):
            found = re.search(sign, seen)
            assert found is None, f"{name}: {seen[found.start() - 60 : found.end() + 60]}"


def test_citations_and_glossary_terms_became_links(site):
    for name in set(notebooks()) - {"notebooks/solutions"}:
        links = page(site, name).links
        assert any(link.startswith("../book/bibliography.html#") for link in links), (
            f"{name} cites nothing"
        )
        assert any(link.startswith("../book/glossary.html#term-") for link in links), (
            f"{name} defines no term of the glossary"
        )


@pytest.mark.parametrize("name", contents())
def test_a_term_is_linked_where_it_is_first_set_in_italics(site, name):
    if name == "book/glossary":
        return
    terms = re.findall(
        r'<dt id="(term-[\w-]+)">(.*?)</dt>', page(site, "book/glossary").source, re.DOTALL
    )
    anchors = {
        key(alias): anchor
        for anchor, term in terms
        for alias in re.sub(r"\s*\(.*?\)", "", term).split(",")
    }
    text = re.sub(
        r"<(h\d|summary|title|nav)\b.*?</\1>", "", page(site, name).source, flags=re.DOTALL
    )  # there no link is wanted
    linked = [
        (key(term), anchor)
        for anchor, term in re.findall(
            r'glossary-term[^>]*#(term-[\w-]+)"><em>(.*?)</em></a>', text, re.DOTALL
        )
    ]
    first = dict.fromkeys(
        key(term) for term in re.findall(r"<em>(.*?)</em>", text, re.DOTALL) if key(term) in anchors
    )
    assert {anchor for _, anchor in linked} == {anchors[term] for term in first}
    assert len({anchor for _, anchor in linked}) == len(linked), "a term is linked once"
    for term, anchor in linked:
        assert anchors[term] == anchor
        before = text[: re.search(rf'#{anchor}"><em>', text).start()]
        assert term not in map(key, re.findall(r"<em>(.*?)</em>", before, re.DOTALL)), (
            f"{term} is in italics before its link"
        )


def key(term):
    """The form in which terms are compared: without tags, in small letters, in the singular."""
    return " ".join(unescape(re.sub(r"<.*?>", "", term)).lower().split()).removesuffix("s")


def test_the_glossary_is_in_order_and_names_nothing_twice():
    lines = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8").splitlines()
    terms = [before for before, line in zip(lines, lines[1:]) if line.startswith(": ")]
    assert terms == sorted(terms, key=str.lower)
    names = [name.removesuffix("s") for term in terms for name in term.lower().split(", ")]
    assert max(Counter(names).values()) == 1, Counter(names).most_common(2)


def test_every_reference_is_complete_and_names_its_own_address():
    entries = (ROOT / "book" / "references.bib").read_text(encoding="utf-8").split("\n@")[1:]
    addresses = [re.search(r"\burl\s*=\s*\{(.*?)\}", entry) for entry in entries]
    assert all(addresses), "an entry without an address"
    repeated = [
        address
        for address, times in Counter(match[1].rstrip("/") for match in addresses).items()
        if times > 1
    ]
    assert repeated == []
    for entry in entries:
        assert all(re.search(rf"\b{field}\s*=", entry) for field in ("author", "title", "year")), (
            entry
        )
