"""Moving figures alone in Chromium, without the book: for the tests of what they compute and how they react.

To look at one: `python tools/stills.py EXPRESSION FILE.png [--theme dark] [--width 390]`.
"""

from playwright.sync_api import Page

from minibert.course.figures.moving import Moving, read
from tools.stills import draw


def show(tab: Page, figure: Moving, theme: str = "light") -> Page:
    """Draw a figure in the tab, as the book's page would; then `tab.get_by_label(…)` finds its controls."""
    draw(tab, figure.get_state(), theme)
    return tab


def load(tab: Page, *files: str, needs: tuple[str, ...] = ("common.js",)) -> None:
    """Load files of minibert/course/figures/static as a plain script: their functions can then be called by `tab.evaluate`.

    A figure's own file is loaded without its last part, `export default …`.
    """
    tab.goto("about:blank")  # a new document: names of the last one would still be taken
    tab.set_content("<!doctype html><title>functions</title>")
    tab.add_script_tag(
        content="\n".join(read(file).partition("export default")[0] for file in (*needs, *files))
    )


def status(tab: Page) -> str:
    """What the figure says of itself, once it has come to rest."""
    tab.wait_for_timeout(300)
    return tab.locator(".mb-status").inner_text()


def menu(tab, label):
    return tab.locator("label", has=tab.get_by_text(label, exact=True)).locator("select")


def chosen(tab, label) -> str:
    return menu(tab, label).locator("option:checked").inner_text()
