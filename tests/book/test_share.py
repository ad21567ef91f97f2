"""A figure as the reader has set it: in the address of the page, as a link and as a picture."""

import io
import re

import pytest
from book_browser import PHONE, at_rest, drawn_figures, opened, until
from built_pages import notebooks, page
from PIL import Image, ImageChops

PAGES = sorted({*notebooks(), "book/calculator"} - {"notebooks/solutions"})
VIEW = "application/vnd.jupyter.widget-view+json"
SHARE = "#figure-{} + .figure-share"
# A control of each kind that a figure has, moved: a slider to its end, a menu to its last entry, boxes and choices pressed.
MOVE = """figure => {
    const said = (control, ...kinds) => kinds.forEach(kind => control.dispatchEvent(new Event(kind, { bubbles: true })));
    const [range] = figure.querySelectorAll("input[type=range]"), [menu] = figure.querySelectorAll("select"), [text] = figure.querySelectorAll("input[type=text], textarea");
    if (range) { range.value = range.value === range.max ? range.min : range.max; said(range, "input", "change"); }
    if (menu) { menu.selectedIndex = menu.options.length - 1 - (menu.options[menu.options.length - 1].disabled ? 1 : 0); said(menu, "input", "change"); }
    if (text) { text.value = "über 50% * a~b_c"; said(text, "input"); }
    [...figure.querySelectorAll("input[type=radio]:not(:checked), input[type=checkbox]")].slice(0, 1).forEach(control => control.click());
    figure.querySelector("button[aria-pressed=false]")?.click();
}"""


def shown(figure) -> str:
    """What a figure shows, without the names that are drawn at random and what only says where the focus was."""
    figure.owner_frame().wait_for_timeout(400)  # what it says comes a little later
    return re.sub(
        r"\b(mb-(?:arcs|clip|error|group|heads?|text|token)-)[\w-]+", r"\1", at_rest(figure)
    )


@pytest.mark.parametrize("name", PAGES)
def test_an_address_opens_each_figure_as_it_was(browser, address, site, name):
    tab, wrong = opened(browser, f"{address}{name}.html")
    figures = drawn_figures(tab)
    assert len(figures) == page(site, name).source.count(VIEW) > 0
    before = [shown(figure) for figure in figures]
    for figure in figures:
        figure.evaluate(MOVE)
    tab.wait_for_timeout(800)
    after = [shown(figure) for figure in figures]
    assert all(one != other for one, other in zip(before, after)), "a figure did not move"
    for number in range(1, len(figures) + 1):
        assert f"figure-{number}=" in tab.url
    again, also_wrong = opened(browser, tab.url)
    assert [shown(figure) for figure in drawn_figures(again)] == after
    assert wrong + also_wrong == []
    tab.context.close()
    again.context.close()


@pytest.fixture
def chapter(browser, address):
    tab, wrong = opened(browser, f"{address}notebooks/03_positions.html")
    drawn_figures(tab)
    yield tab
    assert wrong == []
    tab.context.close()


def test_what_is_put_back_leaves_the_address(chapter):
    slider = chapter.locator("#figure-2 input[type=range]").first
    slider.focus()
    chapter.keyboard.press("ArrowRight")
    chapter.wait_for_url("**?figure-2=*")
    chapter.keyboard.press("ArrowLeft")
    chapter.wait_for_url("**/03_positions.html")


def test_a_link_leads_to_the_figure(chapter, browser):
    chapter.context.grant_permissions(["clipboard-read", "clipboard-write"])
    slider = chapter.locator("#figure-2 input[type=range]").first
    slider.focus()
    chapter.keyboard.press("ArrowRight")
    chapter.locator(SHARE.format(2)).get_by_text("Copy link").click()
    chapter.locator(SHARE.format(2), has_text="The link is copied.").wait_for()
    link = chapter.evaluate("navigator.clipboard.readText()")
    assert re.search(r"/03_positions\.html\?figure-2=[\w.*-]+#figure-2$", link)
    tab, wrong = opened(browser, link, viewport=PHONE)
    tab.locator("#figure-2[data-drawn=yes]").wait_for()
    until(tab, "document.querySelector('#figure-2').getBoundingClientRect().top < innerHeight")
    assert wrong == []
    tab.context.close()


def test_a_link_that_means_nothing_changes_nothing(chapter, browser):
    plain = shown(chapter.query_selector("#figure-2"))
    address = f"{chapter.url}?figure-2=nothing*steps.%25*no-such-control.9*.*figure&figure-77=a.1"
    tab, wrong = opened(browser, address)
    assert shown(drawn_figures(tab)[1]) == plain and wrong == []
    tab.context.close()


def saved(tab, number: int, name: str = "03_positions") -> Image.Image:
    with tab.expect_download() as download:
        tab.locator(SHARE.format(number)).get_by_text("Save picture").click()
    assert download.value.suggested_filename == f"minibert-{name}-figure-{number}.png"
    return Image.open(io.BytesIO(download.value.path().read_bytes())).convert("RGB")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("from_file", [False, True], ids=["http", "file"])
def test_a_picture_shows_the_figure_as_it_is(browser, address, site, theme, from_file):
    start = f"{site.as_uri()}/" if from_file else address
    tab, wrong = opened(browser, f"{start}notebooks/03_positions.html", theme)
    drawn_figures(tab)
    first = saved(tab, 2)
    assert first.size == (1200, 630)
    paper = {"light": (255, 255, 255), "dark": (16, 22, 28)}[theme]
    assert first.getpixel((3, 3)) == paper
    colours = {colour for _, colour in first.getcolors(1 << 20)}
    assert len(colours) > 200, "there is no figure in the picture"
    slider = tab.locator("#figure-2 input[type=range]").first
    slider.focus()
    tab.keyboard.press("End")
    assert saved(tab, 2).tobytes() != first.tobytes(), "the picture is not that of the new state"
    assert wrong == []
    tab.context.close()


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_fits_into_its_picture(browser, address, name):
    """It is drawn, fills a good part of the card, and does not run into the line below it."""
    tab, wrong = opened(browser, f"{address}{name}.html")
    for number in range(1, len(drawn_figures(tab)) + 1):
        card = saved(tab, number, name.rpartition("/")[2])
        assert card.size == (1200, 630)
        above = card.crop((0, 0, 1200, 545))
        box = ImageChops.difference(above, Image.new("RGB", above.size, (255, 255, 255))).getbbox()
        assert box, f"figure {number} is not in its picture"
        left, top, right, bottom = box
        assert (right - left) * (bottom - top) > 0.25 * 1200 * 630 and bottom < 545, box
    assert wrong == []
    tab.context.close()
