"""The search of the book: it finds the place, from a server and from a file, by keyboard and by touch."""

import sys

import pytest
from book_browser import PHONE, opened, overflow
from built_pages import contents, page

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_search

CHAPTER = "notebooks/{}.html#{}"
# What is typed, and the first place outside the glossary.
SECTIONS = {
    "why sqrt": ("04_attention", "why-divide-by-d"),
    "√": ("04_attention", "why-divide-by-d"),
    "square root of d": ("04_attention", "why-divide-by-d"),
    "padding mask": ("01_tokens", "pairs-padding-and-the-attention-mask"),
    "next sentence": (
        "07_pretraining_data",
        "next-sentence-prediction-make-the-pairs",
    ),
    "tied weights": ("08_pretraining", "the-first-value"),
    "query key value": ("04_attention", "queries-keys-and-values"),
    "layer norm": ("02_embeddings", "layernorm-by-hand"),
    "learned positions": ("03_positions", "learned-positions"),
    "why 10000": ("03_positions", "why-10000"),
    "80 10 10": ("07_pretraining_data", "why-80-10-and-10"),
    "warm-up": ("08_pretraining", "warm-up-a-falling-rate-and-clipping"),
    "dropout order": ("02_embeddings", "the-order-of-layernorm-and-dropout"),
    "longest match first": ("01_tokens", "longest-match-first"),
    "why add": ("02_embeddings", "why-add-and-not-concatenate"),
    "trigram blocking": ("10_bertsum", "from-scores-to-a-summary"),
    "pre-norm": ("05_encoder", "post-norm-and-pre-norm"),
    "probing": ("11_what_it_learned", "what-can-be-read-off-probes"),
    "rollout": ("11_what_it_learned", "attention-rollout"),
    "count parameters": ("05_encoder", "parameters-counted"),
}
NAMES = {
    "fused_attend": "book/api/model.html#minibert.attention.fused_attend",
    "BertSumExt": "book/api/summarization.html#minibert.summarization.model.BertSumExt",
    "minibert.attention.attend": "book/api/model.html#minibert.attention.attend",
}
TERMS = {
    "attention mask": "attention-mask",
    "WordPiece": "wordpiece",
    "tied weights": "tied-weights",
    "whole word masking": "whole-word-masking",
}
RESULTS = "#search-results li"


@pytest.fixture(scope="module", params=["http", "file"])
def searching(request, browser, address, site):
    """The page of the search; at the end, nothing has gone wrong on it and nothing has left it."""
    start = address if request.param == "http" else f"{site.as_uri()}/"
    tab, wrong = opened(browser, f"{start}search.html")
    yield tab
    assert wrong == []
    tab.context.close()


def found(tab, typed: str) -> list[tuple[str, str]]:
    """(kind, address) of the results for what is typed into the field of the page."""
    tab.locator(".bd-search-container input").fill(typed)
    tab.locator("#search-results [role=status]", has_text=f"“{typed}”").wait_for()
    return [
        tuple(each)
        for each in tab.eval_on_selector_all(
            RESULTS, "all => all.map(one => [one.className, one.querySelector('a').href])"
        )
    ]


@pytest.mark.parametrize("typed", SECTIONS)
def test_the_search_finds_the_section_first(searching, typed):
    sections = [place for kind, place in found(searching, typed) if kind != "search-term"]
    assert sections[0].endswith(CHAPTER.format(*SECTIONS[typed]))


@pytest.mark.parametrize("typed", NAMES)
def test_the_search_finds_functions_and_classes(searching, typed):
    kind, place = found(searching, typed)[0]
    assert kind == "search-name" and place.endswith(NAMES[typed])


@pytest.mark.parametrize("typed", TERMS)
def test_a_term_is_defined_before_anything_else(searching, typed):
    kind, place = found(searching, typed)[0]
    assert kind == "search-term" and place.endswith(f"book/glossary.html#term-{TERMS[typed]}")


def test_the_lines_around_show_what_was_found(searching):
    found(searching, "trigram blocking")
    lines = searching.locator(f"{RESULTS} p.context mark").all_inner_texts()
    assert lines and all(line.lower().startswith(("trigram", "block")) for line in lines)


def test_title_before_heading_before_prose_before_code(site, browser, tmp_path):
    """Four places for one word, each in another part, in an index of their own."""
    parts = ["code", "prose", "heading", "title"]
    for name in ("search.html", "_static/search.js", "_static/vendor/minisearch/index.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((site / name).read_bytes())
    entries = [
        f'{{kind: "{"page" if part == "title" else "section"}", at: "#{part}", page: 0, weight: 1, set: "", '
        f'heading: "{"zebra" if part in ("title", "heading") else "another"}", prose: "{"a zebra" if part == "prose" else "text"}", '
        f'code: "{"zebra" if part == "code" else "x"}"}}'
        for part in parts
    ]
    (tmp_path / "_static" / "sections.js").write_text(
        f'var MINIBERT_SECTIONS = {{pages: [["a.html", "A page"]], entries: [{", ".join(entries)}]}};'
    )
    tab = browser.new_page()
    tab.goto((tmp_path / "search.html").as_uri())
    places = [place.partition("#")[2] for _, place in found(tab, "zebra")]
    tab.close()
    assert places == parts[::-1]


def test_what_is_nowhere_is_said(searching):
    assert found(searching, "qqqqzzzz") == []
    assert searching.locator("#search-results").inner_text().startswith("Nothing found")


def test_the_dialog_is_used_by_the_keyboard(browser, address):
    tab, wrong = opened(browser, f"{address}book/glossary.html")
    tab.keyboard.press("Control+k")
    tab.locator("#pst-search-dialog input:focus").wait_for()
    tab.keyboard.type("why sqrt")
    tab.locator("#pst-search-dialog li a").first.wait_for()
    assert tab.locator("#pst-search-dialog [role=status]").inner_text().count("“why sqrt”")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowUp")
    assert tab.evaluate("document.activeElement.getAttribute('href')").endswith("#why-divide-by-d")
    tab.keyboard.press("ArrowUp")
    assert tab.evaluate("document.activeElement.type") == "search"
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/04_attention.html#why-divide-by-d")
    tab.wait_for_load_state("load")
    tab.keyboard.press("Control+k")
    tab.locator("#pst-search-dialog input:focus").wait_for()
    tab.keyboard.type("softmax")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=softmax")
    tab.locator(f"{RESULTS} a").first.wait_for()
    assert wrong == []
    tab.context.close()


def test_the_dialog_fits_a_phone(browser, address):
    tab, wrong = opened(browser, f"{address}notebooks/04_attention.html", "dark", PHONE, touch=True)
    tab.locator("button.search-button").tap()
    tab.locator("#pst-search-dialog input").fill("padding mask")
    first = tab.locator("#pst-search-dialog li a").first
    first.wait_for()
    box = tab.locator("#pst-search-dialog .search-results").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    assert box["y"] + box["height"] <= PHONE["height"] and overflow(tab) == ""
    first.tap()
    tab.wait_for_url("**/01_tokens.html#pairs-padding-and-the-attention-mask")
    assert wrong == []
    tab.context.close()


def test_the_text_of_the_book_is_loaded_when_somebody_searches(browser, address, site):
    assert not any("sections.js" in page(site, name).source for name in contents())
    tab, _ = opened(browser, f"{address}book/glossary.html")
    tab.wait_for_load_state("networkidle")
    assert not any("minisearch" in asked or "sections.js" in asked for asked in tab.asked)
    tab.context.close()


def test_each_place_is_indexed_by_itself():
    entries = minibert_search.entries(
        """<article><section id="top"><h1>Title<a class="headerlink" href="#top">#</a></h1><p>Before.</p>
        <section id="part"><h2>Part <span class="math">\\(\\sqrt{d}\\)</span></h2><p>The <em>term</em> and <span class="math">\\(\\mathrm{x}\\)</span>.</p>
        <pre><span class="k">return</span> value</pre><script>no</script></section>
        <dl class="py"><dt class="sig" id="a.b"><span class="descname">b</span></dt><dd><p>Does it.</p></dd></dl></section></article>""",
        "book/x",
    )
    shown = [(e["kind"], e["at"], e["heading"], e["prose"], e["code"]) for e in entries]
    assert shown == [
        ("page", "", "Title", "Before.", ""),
        ("section", "#part", "Part √d", "The term and x.", "return value"),
        ("name", "#a.b", "b", "Does it.", "a.b"),
    ]


def test_a_page_far_down_shows_mark_search_and_itself_in_the_sidebar(browser, address):
    tab, wrong = opened(browser, f"{address}book/status.html")
    tab.wait_for_load_state("networkidle")
    for part in (".navbar-brand", ".search-button-field", "li.current.active > a"):
        box = tab.locator(f"#pst-primary-sidebar {part}").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= tab.viewport_size["height"], part
    assert wrong == []
    tab.context.close()
