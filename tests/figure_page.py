"""Moving figures alone in Chromium, without the book: for the tests of what they compute and how they react.

To look at one: `python tools/stills.py EXPRESSION FILE.png [--theme dark] [--width 390]`.
"""

import pytest
from playwright.sync_api import Page

from minibert.figures.moving import Moving, read
from tools.stills import browser, draw


@pytest.fixture(scope="module")
def tab(needs_chromium):
    """An empty page; what goes wrong on it fails the test that made it go wrong."""
    with browser() as started:
        page = started.new_page(viewport={"width": 700, "height": 900})
        wrong = []
        page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
        page.on("console", lambda message: wrong.append(f"console: {message.text}") if message.type == "error" else None)
        page.on("request", lambda request: None if request.url.startswith(("about:", "blob:", "data:")) else wrong.append(f"asks for {request.url}"))
        yield page
        assert wrong == [], wrong


def show(tab: Page, figure: Moving, theme: str = "light") -> Page:
    """Draw a figure in the tab, as the book's page would; then `tab.get_by_label(…)` finds its controls."""
    draw(tab, figure.get_state(), theme)
    return tab


def load(tab: Page, *files: str, needs: tuple[str, ...] = ("common.js",)) -> None:
    """Load files of minibert/figures/static as a plain script: their functions can then be called by `tab.evaluate`.

    A figure's own file is loaded without its last part, `export default …`.
    """
    tab.goto("about:blank")         # a new document: names of the last one would still be taken
    tab.set_content("<!doctype html><title>functions</title>")
    tab.add_script_tag(content="\n".join(read(file).partition("export default")[0] for file in (*needs, *files)))


def status(tab: Page) -> str:
    """What the figure says of itself, once it has come to rest."""
    tab.wait_for_timeout(300)
    return tab.locator(".mb-status").inner_text()
