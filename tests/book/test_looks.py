"""One palette for plots, moving figures and pages, legible in both themes; and pages that print whole."""

import math
import re
from itertools import combinations

import matplotlib
import pytest
from book_browser import wait_for_formulas
from built_pages import contents
from playwright.sync_api import expect

from minibert.course.diagrams.drawing import PALETTE
from minibert.course.figures import COLORS, DIVERGING, SEQUENTIAL, heat_table, use_style
from minibert.course.figures.moving import STATIC
from minibert.course.figures.style import SERIES
from tools.environment import ROOT
from tools.stills import browser

SHEET = (ROOT / "book" / "_static" / "minibert.css").read_text(encoding="utf-8")
FIGURES = (STATIC / "common.css").read_text(encoding="utf-8")
THEMES = ["light", "dark"]
CONCEPTS = ["token", "segment", "position", "head", "mask"]
A4 = {"width": 673, "height": 1000}  # 178 mm of letters at 96 pixels to the inch


def palette(theme: str) -> dict[str, str]:
    """The page's colours by name: what the dark theme does not say is as in the light one."""
    light, dark = re.search(
        r"html, html\[data-theme\] \{(.*?)\}.*?html\[data-theme=\"dark\"\] \{(.*?)\}",
        SHEET,
        re.DOTALL,
    ).groups()
    found = dict(re.findall(r"--mb-([\w-]+): (#\w{6})", light))
    return found | dict(re.findall(r"--mb-([\w-]+): (#\w{6})", dark)) if theme == "dark" else found


def luminance(color: str) -> float:
    """Relative luminance of "#rrggbb" (WCAG 2.2)."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2), between 1 and 21."""
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_diagrams_alone_have_the_palette_of_the_pages():
    for place, theme in enumerate(THEMES):
        page = palette(theme)
        drawn = {name: colours[place] for name, colours in PALETTE.items()}
        assert drawn == {name: page[name] for name in drawn}


def test_contrast_is_the_published_measure():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(
        4.54, abs=0.005
    )  # the lightest grey that WCAG allows for letters on white


def test_pages_and_plots_have_one_palette():
    page = palette("light")
    assert {name: page[name] for name in COLORS if name in page} == {
        name: COLORS[name] for name in (*CONCEPTS, "wrong")
    }
    assert (COLORS["right"], COLORS["wrong"], COLORS["control"]) == (
        page["ink"],
        page["wrong"],
        page["edge"],
    )
    assert [*SERIES] == [page[name] for name in ("series-1", "series-2", "series-3", "ink")]


@pytest.mark.parametrize("theme", THEMES)
def test_moving_figures_have_the_palette_of_the_page(theme):
    """Elsewhere than in the book a figure falls back on colours of its own; they are the same."""
    light, dark = re.findall(r"\.mb-figure \{\n(.*?)\n\}", FIGURES, re.DOTALL)[:2]
    fallback = re.findall(r"var\(--mb-([\w-]+), (#\w{6})\)", light if theme == "light" else dark)
    assert len(fallback) >= 10
    assert fallback == [(name, palette(theme)[name]) for name, _ in fallback]


def lab(color: str) -> list[float]:
    """A colour in CIELAB (D65), where distance is about what the eye sees."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    )
    x, y, z = (
        value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
        for value in (
            (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
            0.2126 * red + 0.7152 * green + 0.0722 * blue,
            (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
        )
    )
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


@pytest.mark.parametrize("theme", THEMES)
def test_no_two_meanings_look_alike(theme):
    """Concepts, verdicts, controls and series: CIELAB distances of 25 and more."""
    color = palette(theme)
    told_apart = [*CONCEPTS, "wrong", "edge", "series-1", "series-2", "series-3", "ink"]
    distances = {
        f"{one}, {other}": math.dist(lab(color[one]), lab(color[other]))
        for one, other in combinations(told_apart, 2)
    }
    assert {pair: round(far) for pair, far in distances.items() if far < 25} == {}


# What may have the colour of a concept: a rule whose selector, or whose variable, names it.
MEANS = {
    "head": r"head|look|ask|attention|rollout|cover-figure|arcs?\b|--bar",
    "mask": r"mask|guess|predict|training_replay \.(?:text b|bar)|callout|\bmark\b|summary|cover-chapters",
    "segment": r"segment|cross",
    "position": r"position",
}


@pytest.mark.parametrize(
    "sheet",
    [
        *sorted(STATIC.glob("*.css")),
        *(ROOT / "book" / "_static" / f"{name}.css" for name in ("minibert", "api", "print")),
    ],
    ids=lambda path: path.name,
)
def test_a_concept_lends_its_colour_to_nothing_else(sheet):
    """Purple is attention, amber is a guess, vermilion a segment, green a position."""
    css = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    borrowed = [
        f"{rule.strip()}: {declaration.strip()}"
        for rule, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css)
        for declaration in body.split(";")
        for name in re.findall(
            r"var\(--(?:mb-)?(head|mask|segment|position)(?:-\w+)?[,)]", declaration
        )
        if not re.search(MEANS[name], rule + declaration.partition(":")[0])
    ]
    assert borrowed == []


def test_series_have_a_palette_of_their_own():
    use_style()
    assert [*matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]] == [*SERIES]


def test_there_is_one_heat_scale():
    """Tables of chapters, tables of moving figures and maps of plots shade numbers in the same two tones."""
    plus, minus = re.search(r"--plus: (#\w{6}); --minus: (#\w{6});", FIGURES).groups()
    for scale, tones in ((SEQUENTIAL, [plus]), (DIVERGING, [plus, minus])):
        shades = [lab(matplotlib.colors.to_hex(scale(i))) for i in range(256)]
        for tone in tones:
            assert min(math.dist(lab(tone), shade) for shade in shades) < 2
    table = heat_table([[1.0, -1.0]]).data
    tones = re.findall(r"rgba\((\d+), (\d+), (\d+)", table)
    assert ["#" + "".join(f"{int(part):02x}" for part in tone) for tone in tones] == [plus, minus]


@pytest.mark.parametrize("theme", THEMES)
def test_letters_stand_out(theme):
    color = palette(theme)
    grounds = {
        "paper": [
            "ink",
            "soft",
            "link",
            "link-hover",
            "token",
            "segment",
            "position",
            "head",
            "mask-ink",
            "wrong",
            "series-1",
            "series-2",
            "series-3",
        ],
        "panel": ["ink", "soft", "link", "link-hover", "token"],
        "token-wash": ["ink", "link", "soft"],
        "mask-wash": ["ink", "soft", "link", "mask-ink"],
        "head-wash": ["ink", "link"],
        "good-wash": ["ink", "link"],
        "bad-wash": ["ink", "link"],
    }
    grounds["panel"] += [name for name in color if name.startswith("code-")]
    weak = [
        f"{name} on {ground}: {contrast(color[name], color[ground]):.2f}"
        for ground, names in grounds.items()
        for name in names
        if contrast(color[name], color[ground]) < 4.5
    ]
    # white or black letters on a filled shape, and the borders of controls
    weak += [
        f"paper on {name}: {contrast(color['paper'], color[name]):.2f}"
        for name in ("token", "segment", "position", "head", "link")
        if contrast(color["paper"], color[name]) < 4.5
    ]
    weak += [
        f"edge on {ground}"
        for ground in ("paper", "panel")
        if contrast(color["edge"], color[ground]) < 3
    ]
    assert weak == []


def test_no_figure_has_a_colour_of_its_own():
    literal = {
        path.name: re.findall(
            r"#(?:[\da-fA-F]{6}|[\da-fA-F]{3})\b|\brgba?\(|\bhsla?\(",
            path.read_text(encoding="utf-8"),
        )
        for path in STATIC.iterdir()
        if path.suffix in (".js", ".css") and path.name != "common.css"
    }
    assert literal and {name: found for name, found in literal.items() if found} == {}


def test_every_chapter_on_the_cover_has_its_sign():
    signs = re.findall(
        r'<symbol id="([\w-]+)"', (ROOT / "book" / "cover.html").read_text(encoding="utf-8")
    )
    used = re.findall(
        r'<use href="#([\w-]+)">', (ROOT / "book" / "intro.md").read_text(encoding="utf-8")
    )
    assert signs == used and len(signs) == len(set(signs))


@pytest.fixture(scope="module")
def paper(needs_chromium):
    """A tab that shows pages as a printer would get them."""
    with browser() as started:
        tab = started.new_page(viewport=A4)
        tab.emulate_media(media="print")
        yield tab


STICKS_OUT = """() => {
    const out = [];
    for (const element of document.querySelectorAll(".bd-main *")) {
        const box = element.getBoundingClientRect(), hidden = box.width < 2 || box.height < 2 || element.closest("mjx-assistive-mml");   // what only a screen reader sees
        if (!hidden && (box.left < -1 || box.right > document.documentElement.clientWidth + 1)) out.push(`${element.tagName}: ${element.textContent.trim().slice(0, 60)}`);
    }
    return out.slice(0, 5);
}"""
CUT = """() => [...document.querySelectorAll(".bd-main *")].filter((element) => {
    const style = getComputedStyle(element);
    return /auto|scroll|hidden|clip/.test(style.overflowX) && element.clientWidth > 2 && element.scrollWidth > element.clientWidth + 1;
}).slice(0, 5).map((element) => `${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 60)}`)"""


@pytest.mark.parametrize("name", contents())
def test_a_page_prints_whole(site, paper, name):
    paper.goto((site / f"{name}.html").as_uri())
    if paper.locator("div.math").count():
        wait_for_formulas(paper)
    for furniture in (
        ".bd-sidebar-primary",
        ".bd-sidebar-secondary",
        ".bd-header-article",
        ".prev-next-area",
        "#jb-print-docs-body",
    ):
        for part in paper.locator(furniture).all():
            expect(part).not_to_be_visible()
    expect(paper.locator(".bd-article h1")).to_be_visible()
    assert paper.evaluate(STICKS_OUT) == []
    assert paper.evaluate(CUT) == [], "what scrolls on a screen is lost on paper"
    for answer in paper.locator(
        ".generated-exercise.solution pre, .generated-quiz details p"
    ).all()[:8]:
        expect(answer).to_be_visible()
