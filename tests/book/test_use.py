"""What the theme and the book's own scripts do on a page: switch, search, copy, fold; the same from a file, and all of it without scripts."""

import re

import pytest
from book_browser import (
    PAPER,
    PHONE,
    WIDE,
    answers_a_key,
    drawn_figures,
    opened,
    overflow,
    until,
    wait_for_formulas,
)
from built_pages import contents, page


@pytest.mark.parametrize("name", ["book/intro", "notebooks/01_tokens", "notebooks/05_encoder"])
def test_page_from_a_file(browser, site, name):
    tab, wrong = opened(browser, (site / f"{name}.html").as_uri())
    wait_for_formulas(tab)
    figures = drawn_figures(tab)
    assert len(figures) == page(site, name).source.count(
        'type="application/vnd.jupyter.widget-view+json"'
    )
    assert all(answers_a_key(tab, figure) for figure in figures)
    assert tab.evaluate("document.fonts.check('16px \"Source Serif 4\"')")
    assert wrong == []
    tab.context.close()


def test_an_option_of_a_quiz_opens_to_its_explanation_by_keyboard(browser, address):
    tab, wrong = opened(browser, f"{address}notebooks/05_encoder.html")
    options = tab.locator(".generated-quiz details")
    assert options.count() >= 15
    options.nth(0).locator("summary").focus()
    seen = set()
    for option in options.all():
        assert not option.locator("p").first.is_visible()
        tab.keyboard.press("Enter")
        explanation = option.locator("p").first.inner_text()
        seen.add(
            (
                explanation.split(".")[0],
                option.evaluate("option => getComputedStyle(option).borderColor"),
            )
        )
        assert option.locator("p").first.is_visible() and len(explanation) > 20
        tab.keyboard.press("Tab")  # on to the next option
    assert len(seen) == 2 and {verdict for verdict, _ in seen} == {"Right", "No"}, (
        "a right answer looks like every right one, and like no wrong one"
    )
    assert wrong == []
    tab.context.close()


# ---------------------------------------------------------------- what the theme brings


@pytest.fixture(scope="module")
def glossary(browser, address):
    tab, wrong = opened(browser, f"{address}book/glossary.html")
    yield tab
    assert wrong == []
    tab.context.close()


def test_every_icon_is_drawn(browser, site, address):
    names = {f"{name}.html" for name in contents()} | {"search.html", "genindex.html"}
    wanted = {
        icon
        for name in names
        for icon in re.findall(
            r'class="[^"]*\bfa[bs]?[- ][^"]*?\b(fa-(?!solid|brands|lg)[a-z-]+)',
            (site / name).read_text(encoding="utf-8"),
        )
    }
    style = (site / "_static" / "icons.css").read_text(encoding="utf-8")
    assert wanted and [icon for icon in wanted if f".{icon} {{" not in style] == []


def test_the_theme_is_switched_and_kept(glossary):
    shown = "() => [document.documentElement.dataset.mode, document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor, [...document.querySelectorAll('.bd-header-article .theme-switch')].filter(icon => icon.offsetWidth > 10).map(icon => icon.dataset.mode).join()]"
    seen = []
    for _ in range(3):
        glossary.locator(".bd-header-article .theme-switch-button").click()
        seen.append(tuple(glossary.evaluate(shown)))
    assert {mode for mode, *_ in seen} == {"light", "dark", "auto"}
    for mode, theme, paper, icon in seen:
        assert (
            icon == mode
            and paper == PAPER[theme]
            and theme == (mode if mode != "auto" else "light")
        )
    glossary.reload()
    assert tuple(glossary.evaluate(shown)) == seen[-1]
    glossary.locator(".bd-header-article .theme-switch-button").focus()
    glossary.keyboard.press("Enter")
    assert glossary.evaluate("document.activeElement.className").count("theme-switch-button"), (
        "the focus is lost"
    )


def test_code_is_copied_by_its_button(browser, address):
    tab, wrong = opened(browser, f"{address}notebooks/05_encoder.html")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cell = tab.locator(".cell_input .highlight:visible").first
    cell.hover()
    cell.locator("button.copybtn").click()
    assert (
        tab.evaluate("navigator.clipboard.readText()").strip()
        == cell.locator("pre").text_content().strip()
    )
    assert wrong == []
    tab.context.close()


def test_the_contents_fold_away_and_open_on_a_phone(glossary):
    book = glossary.locator("#pst-primary-sidebar nav.bd-links")
    for is_there in ("hidden", "visible"):
        glossary.locator(".primary-toggle:visible").click()
        book.wait_for(state=is_there)
    glossary.set_viewport_size(PHONE)
    book.wait_for(state="hidden")
    glossary.locator(".primary-toggle:visible").click()
    glossary.locator("dialog[open] nav.bd-links").get_by_text("Attention").first.wait_for()
    glossary.keyboard.press("Escape")
    book.wait_for(state="hidden")
    glossary.set_viewport_size(WIDE)


def test_the_contents_of_a_page_mark_where_one_is_and_go_away_once_used(browser, address):
    tab, wrong = opened(browser, f"{address}book/more_than_one_machine.html")
    marked = "() => [...document.querySelectorAll('#pst-page-toc-nav [aria-current]')].map(link => link.hash).join()"
    first, second, third = (
        link.get_attribute("href")
        for link in tab.locator("#pst-page-toc-nav > ul > li > a").all()[:3]
    )
    for section, height, here in (
        (third, 200, third),
        (second, 200, second),
        (second, 400, first),
    ):  # a jump, a jump back, a little up
        tab.evaluate(
            f"scrollBy(0, document.querySelector('{section} h2').getBoundingClientRect().top - {height})"
        )
        until(tab, f"({marked})() === '{here}'")
    tab.set_viewport_size(PHONE)
    button, contents_of_page = (
        tab.locator(".secondary-toggle:visible"),
        tab.locator("dialog#pst-secondary-sidebar-modal[open]"),
    )
    button.focus()
    tab.keyboard.press("Enter")
    contents_of_page.wait_for()
    tab.keyboard.press("Escape")
    contents_of_page.wait_for(state="detached")
    assert button.evaluate("button => button === document.activeElement"), "the focus is lost"
    button.click()
    contents_of_page.locator(f"a[href='{third}']").click()
    contents_of_page.wait_for(state="detached")
    until(
        tab,
        f"(top => top > 0 && top < 300)(document.querySelector('{third} h2').getBoundingClientRect().top)",
    )
    assert tab.url.endswith(third) and wrong == []
    tab.context.close()


# ---------------------------------------------------------------- without scripts


@pytest.fixture(scope="module")
def plain(browser):
    """A tab that runs no scripts, and what goes wrong on it."""
    tab, wrong = opened(browser, "about:blank", scripts=False)
    yield tab
    assert [line for line in wrong if not line.startswith("asks for")] == []
    tab.context.close()


@pytest.mark.parametrize("name", contents())
def test_page_without_scripts(plain, site, address, name):
    plain.set_viewport_size(WIDE)
    plain.goto(f"{address}{name}.html")
    assert plain.locator(".bd-article h1").first.is_visible()
    assert plain.locator(".bd-sidebar-primary a", has_text="Attention").first.is_visible(), (
        "the contents of the book"
    )
    formulas = plain.locator(".bd-article .math:visible").all_inner_texts()
    assert all(
        text.strip().startswith(("\\(", "\\[", "\\begin")) or "\\[" in text for text in formulas
    ), "formulas are readable as TeX"
    stills = plain.locator("img.figure-still")
    assert stills.count() == page(site, name).source.count("widget-view+json"), (
        "a picture stands for each figure"
    )
    assert all(
        still.is_visible() and still.get_attribute("alt") and still.get_attribute("height")
        for still in stills.all()
    )
    for viewport in (WIDE, PHONE):
        plain.set_viewport_size(viewport)
        assert overflow(plain) == "", f"at {viewport['width']} px"
        dead = plain.locator("button:visible:not([type=submit])").all()
        assert [
            button.evaluate("button => button.outerHTML.slice(0, 120)")
            for button in dead
            if "dropdown-toggle" not in button.get_attribute("class")
        ] == [], "buttons that do nothing"


def test_one_gets_around_without_scripts(plain, address):
    for viewport in (WIDE, PHONE):
        plain.set_viewport_size(viewport)
        plain.goto(f"{address}notebooks/04_attention.html")
        plain.locator(".right-next").click()
        assert plain.url.endswith("05_encoder.html")
        plain.locator(".bd-sidebar-primary a", has_text="Embeddings").first.click()
        assert plain.url.endswith("02_embeddings.html")


def test_a_quiz_is_used_without_scripts(plain, address):
    plain.goto(f"{address}notebooks/05_encoder.html")
    option = plain.locator(".generated-quiz details").first
    assert not option.locator("p").first.is_visible()
    option.locator("summary").click()
    assert option.locator("p").first.is_visible()


def test_a_menu_opens_without_scripts(plain, address):
    plain.goto(f"{address}notebooks/05_encoder.html")
    plain.locator("button.dropdown-toggle").first.hover()
    assert plain.locator(".dropdown-menu a").first.is_visible()
