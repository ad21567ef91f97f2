"""Every page of the built book in a real browser, in the light on a wide window and in the dark on a phone.

Nothing jumps while it loads: what comes late finds its place kept. Nothing leaves, nothing fails, it is light enough, the maths is drawn, every figure answers a key and a pointer, nothing overflows, and
axe-core finds nothing, with everything opened that can be opened.
"""

from types import SimpleNamespace

import pages
import pytest
from axe import AXE, FINGER, complaints
from book_browser import (
    PAPER,
    PHONE,
    WIDE,
    answers_a_key,
    answers_a_pointer,
    drawn_figures,
    opened,
    overflow,
    wait_for_formulas,
)
from built_pages import contents, page

SQUEEZED = """() => [...document.querySelectorAll(".bd-article img[height]")].filter(image => image.offsetWidth && Math.abs(
    image.offsetHeight / image.offsetWidth - image.getAttribute("height") / image.getAttribute("width")) > 0.05).map(image => image.src)"""
CUT_OFF = """() => [...document.querySelectorAll("div.math mjx-math")].filter(
    math => math.getBoundingClientRect().left < math.closest("div.math").getBoundingClientRect().left - 2).map(math => math.textContent.slice(0, 60))"""

# What scrolls sideways says so by a shadow (--mb-scroll).
SILENT = """() => [...document.querySelectorAll(".bd-main *")].filter(box => {
    const style = getComputedStyle(box);
    return /auto|scroll/.test(style.overflowX) && box.clientWidth > 2 && box.scrollWidth > box.clientWidth + 1 && !style.backgroundImage.includes("gradient") && !box.closest("textarea");
}).map(box => `${box.tagName}.${box.className}: ${box.textContent.trim().slice(0, 60)}`)"""

# What the theme, or a rule of the book's own for something wider, has undone before: each is said with the element that it befell.
UNDONE = """() => {
    const parts = {
        "an end of a traceback that nobody can scroll to": [".output.traceback", box => {
            box.scrollTop = box.scrollHeight;
            return box.querySelector("pre").getBoundingClientRect().bottom > box.getBoundingClientRect().bottom + 1;
        }],
        "a heat table without gaps": ["table.heat", table => getComputedStyle(table).borderCollapse !== "separate"],
        "a head of a heat table that is cut": ["table.heat thead th", head => head.scrollWidth > head.clientWidth + 1],
        "a squeezed arrow": [".prev-next-area i", arrow => arrow.offsetWidth < arrow.offsetHeight - 1],
        "a plot smaller than its place": [".cell_output figure img", image => getComputedStyle(image).padding !== "0px"],
        "ligatures in code": [".bd-article code", code => getComputedStyle(code).fontVariantLigatures !== "none"],
    };
    return Object.entries(parts).flatMap(([name, [selector, wrong]]) => [...document.querySelectorAll(selector)].filter(
        part => part.getClientRects().length && wrong(part)).map(part => `${name}: ${part.textContent.trim().slice(0, 60)}`));
}"""

# axe looks at each word of code for its contrast, and there are ten thousand on a page; one of each colour is as good. What
# MathJax draws is hidden from screen readers, which get its MathML.
ONE_OF_EACH_COLOUR = """() => {
  const seen = new Set();
  document.querySelectorAll(".highlight pre span").forEach(word => {
    const colour = word.className + (word.closest(".cell_output") ? " out" : "");
    if (seen.has(colour) && !word.querySelector("a")) word.replaceWith(...word.childNodes);
    seen.add(colour);
  });
  document.querySelectorAll(".highlight pre").forEach(code => code.normalize());
}"""
# The shift is what a browser reports (https://web.dev/cls): under 0.1 counts as good, and the book keeps half of that. A busy machine lets
# letters and scripts come late and in another order, so a page that shifts more is loaded up to five times, and its smallest shift counts.
MOST, LOADS = 0.05, 5
WATCH = """window.shifts = [];
new PerformanceObserver((list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) window.shifts.push(
    [entry.value, ...entry.sources.map(({ node }) => node && `${node.nodeName}.${node.className} ${(node.textContent || "").trim().slice(0, 30)}`)]);
})).observe({ type: "layout-shift", buffered: true });"""
OPEN = "() => document.querySelectorAll('details, .sd-dropdown').forEach(each => { each.open = true; })"


def loaded(browser, url: str, theme: str):
    """One page with everything drawn that is in sight: in the light for keys and a mouse, in the dark on a phone for a finger.

    `shifts` is every shift while it loaded: its size, and what moved.
    """
    viewport = PHONE if theme == "dark" else WIDE
    tab, wrong = opened(browser, url, theme, viewport, touch=theme == "dark", before=WATCH)
    wait_for_formulas(tab)
    tab.wait_for_load_state("networkidle")
    tab.wait_for_timeout(300)
    return SimpleNamespace(
        url=url,
        theme=theme,
        tab=tab,
        wrong=wrong,
        first=list(tab.asked),
        shifts=tab.evaluate("window.shifts"),
    )


@pytest.fixture(
    scope="module",
    params=[(name, theme) for name in [*contents(), "search", "genindex"] for theme in PAPER],
    ids="-".join,
)
def visit(request, browser, address):
    """A page, opened once for the tests below."""
    name, theme = request.param
    visit = loaded(browser, f"{address}{name}.html", theme)
    visit.name = name
    yield visit
    visit.tab.context.close()


def size(shifts: list) -> float:
    return sum(shift[0] for shift in shifts)


def smallest_shifts(browser, first: SimpleNamespace) -> list:
    """The shifts of a load, or of further ones where they are not small enough: those whose sum is the smallest."""
    best = first.shifts
    for _ in range(LOADS - 1):
        if size(best) < MOST:
            break
        again = loaded(browser, first.url, first.theme)
        best = min(best, again.shifts, key=size)
        again.tab.context.close()
    return best


def test_nothing_jumps_while_a_page_loads(visit, browser):
    found = smallest_shifts(browser, visit)
    assert size(found) < MOST, found


def test_nothing_narrows_the_article_when_the_list_of_sections_comes(browser, address):
    """The list is the last thing in the file, so a page that arrives slowly is first drawn without it."""
    tab, _ = opened(browser, f"{address}notebooks/09_finetuning.html")
    width = "document.querySelector('.bd-article').offsetWidth"
    there = tab.evaluate(width)
    tab.evaluate("document.querySelector('.bd-sidebar-secondary').remove()")
    assert tab.evaluate(width) == there
    tab.context.close()


def test_a_jump_is_seen(browser, tmp_path):
    """Half a screen that comes late, above what one reads."""
    page = tmp_path / "late.html"
    page.write_text(
        "<!doctype html><title>late</title><p style='height: 500px'>Text</p><script>setTimeout(() => "
        "document.body.prepend(Object.assign(document.createElement('div'), { style: 'height: 400px' })), 200)</script>",
        encoding="utf-8",
    )
    first = loaded(browser, page.as_uri(), "light")
    first.tab.context.close()
    assert size(smallest_shifts(browser, first)) > MOST


def test_page_is_drawn(visit):
    assert visit.tab.evaluate("document.querySelectorAll('mjx-merror').length") == 0, (
        "a formula that MathJax cannot read"
    )
    assert (
        visit.tab.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER[visit.theme]
    )
    assert visit.wrong == []


def test_every_figure_answers_a_key_and_a_pointer(visit, site):
    figures = drawn_figures(visit.tab)
    if visit.name in contents():
        assert len(figures) == page(site, visit.name).source.count(
            'type="application/vnd.jupyter.widget-view+json"'
        )
    for number, figure in enumerate(figures, 1):
        assert figure.query_selector("[role=status]").inner_text(), f"figure {number} says nothing"
        assert visit.theme == "dark" or answers_a_key(visit.tab, figure), (
            f"figure {number} does not answer a key"
        )
        assert answers_a_pointer(visit.tab, figure, visit.theme == "dark"), (
            f"figure {number} does not answer a pointer"
        )


def test_page_is_light_enough(visit, site):
    if visit.name.startswith("notebooks/"):
        assert sum(pages.sizes(site, visit.first).values()) < pages.LIGHT * 1000, (
            "what a chapter asks for before it can be read and used"
        )
    pages.scroll(visit.tab)
    assert sum(pages.sizes(site, visit.tab.asked).values()) < pages.LARGEST * 1000


def test_nothing_overflows(visit):
    home = visit.tab.viewport_size
    for viewport in (WIDE, PHONE):
        visit.tab.set_viewport_size(viewport)
        assert overflow(visit.tab) == "", f"at {viewport['width']} px"
        assert visit.tab.evaluate(CUT_OFF) == [], (
            f"formulas whose beginning nobody can scroll to, at {viewport['width']} px"
        )
        assert visit.tab.evaluate(SILENT) == [], (
            f"boxes that do not show that they scroll, at {viewport['width']} px"
        )
        assert visit.tab.evaluate(SQUEEZED) == [], (
            f"pictures out of shape, at {viewport['width']} px"
        )
    visit.tab.set_viewport_size(home)


def test_nothing_undoes_the_look(visit):
    assert visit.tab.evaluate(UNDONE) == []


def test_axe_finds_nothing(visit):
    tab = visit.tab
    for prepare in (OPEN, ONE_OF_EACH_COLOUR, AXE, FINGER):
        tab.evaluate(prepare)
    assert complaints(tab) == []
    for menu in tab.locator(".bd-header-article button.dropdown-toggle").all():
        menu.click()
        tab.locator(".dropdown-menu.show").wait_for()
        assert complaints(tab, ".bd-header-article", opened=True) == [], "a menu, opened"
        tab.keyboard.press("Escape")
    if visit.theme == "light" and visit.name != "search":  # that page has the field on itself
        tab.keyboard.press("Control+k")
        tab.locator("dialog#pst-search-dialog[open]").wait_for()
        tab.keyboard.type("padding mask")
        tab.locator("#pst-search-dialog li a").first.wait_for()
        assert complaints(tab, "#pst-search-dialog", opened=True) == [], "the search"
        tab.keyboard.press("Escape")
    for side in ("primary", "secondary") if visit.theme == "dark" else ():
        if tab.locator(f".{side}-toggle:visible").count():
            tab.locator(f".{side}-toggle:visible").click()
            tab.locator(f"#pst-{side}-sidebar-modal[open]").wait_for()
            assert complaints(tab, f"#pst-{side}-sidebar-modal", opened=True) == [], (
                f"the {side} sidebar, opened"
            )
            tab.keyboard.press("Escape")
            tab.locator(f"#pst-{side}-sidebar-modal[open]").wait_for(state="detached")


def test_nothing_went_wrong_and_nothing_left_the_page(visit):
    assert visit.wrong == []
