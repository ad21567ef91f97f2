"""Pictures of moving figures for print, e-books and pages without scripts: the first state of each, drawn in Chromium.

    python tools/stills.py "minibert.course.figures.flipbook({'a': 'A', 'b': 'B'}, 'letters')" letters.png --theme dark --width 390

draws any figure, without building the book. tools/execute.py stores a picture beside each figure of a notebook.
"""

import argparse
import base64
import hashlib
import importlib
import io
import json
import os
import shutil
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from nbformat import NotebookNode
from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # run as a script, from anywhere
LOADER = (
    ROOT / "book" / "_static" / "figures.js"
)  # the page's own, so that a picture shows what the page shows
STATE, VIEW = (
    "application/vnd.jupyter.widget-state+json",
    "application/vnd.jupyter.widget-view+json",
)
# Without these the browser itself looks for its maker's hosts at every start.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
FONTS = {
    "sans-serif": "bricolage-grotesque",
    "monospace": "jetbrains-mono",
}  # the two of the book that figures use
PAPER = {"light": "#ffffff", "dark": "#10161c"}
WIDTH, SCALE = 700, 1.5
COLOURS = 128  # enough for flat colours and their edges, at a third of the size


def chromium() -> str | None:
    """Where this machine has Chromium or Chrome; None where it has none."""
    return os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


@cache
def letters() -> str:
    """Rules that give a page the book's own letters, whatever this machine has."""
    rules = []
    for kind, family in FONTS.items():
        font = base64.b64encode(
            (
                ROOT
                / "book"
                / "_static"
                / "vendor"
                / "fonts"
                / family
                / f"{family}-latin-wght-normal.woff2"
            ).read_bytes()
        ).decode()
        rules.append(
            f'@font-face {{ font-family: "{family}"; font-weight: 100 900; src: url("data:font/woff2;base64,{font}"); }} html {{ --mb-{kind[:4]}: "{family}", {kind}; }}'
        )
    return "".join(rules)


def page_of(state: dict, theme: str = "light") -> str:
    """A page that holds nothing but the figure with this widget state."""

    def script(kind: str, content: dict) -> str:
        text = json.dumps(content).replace("</", r"<\/")
        return f'<script type="{kind}">{text}</script>'

    return (
        f'<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{state.get('label', '')}</title><style>{letters()}body {{ margin: 12px; background: {PAPER[theme]}; }}</style><body><main>"
        f"{script(STATE, {'state': {'figure': {'state': state}}})}{script(VIEW, {'model_id': 'figure'})}"
        f"<script>{LOADER.read_text(encoding='utf-8')}</script></main></body></html>"
    )


@contextmanager
def browser():
    """Chromium without a window; a ValueError where there is none."""
    if not (path := chromium()):
        raise ValueError(
            "pictures of the moving figures need Chromium or Chrome: install it, or name it in the environment variable CHROMIUM"
        )
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield started
        started.close()


def draw(tab: Page, state: dict, theme: str = "light") -> None:
    """Load a page with the figure into a tab and wait until it stands there."""
    tab.set_content(page_of(state, theme))
    tab.wait_for_function(
        "!['', 'begun', undefined].includes(document.querySelector('.moving-figure')?.dataset.drawn)"
    )
    tab.evaluate("document.fonts.ready.then(() => true)")
    if tab.locator(".moving-figure").get_attribute("data-drawn") != "yes":
        raise ValueError(
            f"the figure {state.get('name')!r} was not drawn: {tab.locator('.moving-figure').inner_text()}"
        )


def picture(tab: Page, state: dict) -> bytes:
    """The first state of a figure as a PNG, without the line that says what to try: paper cannot be tried."""
    draw(tab, state)
    tab.add_style_tag(content=".mb-figure .mb-try { display: none; }")
    few_colours, small = (
        Image.open(io.BytesIO(tab.locator(".mb-figure").screenshot()))
        .convert("RGB")
        .quantize(COLOURS, Image.Quantize.MAXCOVERAGE),
        io.BytesIO(),
    )
    few_colours.save(small, "png", optimize=True)
    return small.getvalue()


def digest(state: dict) -> str:
    """What a picture depends on: the figure's script, look and data."""
    return hashlib.sha256(
        json.dumps(
            [state[key] for key in ("_esm", "_css", "data", "label")], sort_keys=True
        ).encode()
    ).hexdigest()[:16]


def figures_of(notebook: NotebookNode):
    """The outputs of a notebook that are moving figures, each with its widget's state."""
    widgets = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(VIEW)
            state = widgets.get(view["model_id"], {}).get("state", {}) if view else {}
            if "_esm" in state:
                yield output, state


def store_pictures(notebook: NotebookNode, before: NotebookNode) -> None:
    """Put a picture beside each moving figure, in place; one that `before` has already, of the same state, is taken from there."""
    known = {
        output.metadata["still"]: output.data["image/png"]
        for output, _ in figures_of(before)
        if "still" in output.metadata
    }
    missing = []
    for output, state in figures_of(notebook):
        output.metadata["still"] = key = digest(state)
        if key in known:
            output.data["image/png"] = known[key]
        else:
            missing.append((output, state))
    if not missing:
        return
    with browser() as started:
        tab = started.new_page(viewport={"width": WIDTH, "height": 900}, device_scale_factor=SCALE)
        for output, state in missing:
            output.data["image/png"] = base64.b64encode(picture(tab, state)).decode() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "figure",
        help="a Python expression; names of minibert and minibert.course.figures may be used as they are",
    )
    parser.add_argument("picture", type=Path, help="the PNG file to write")
    parser.add_argument("--theme", choices=PAPER, default="light")
    parser.add_argument("--width", type=int, default=WIDTH)
    arguments = parser.parse_args()
    names = (
        {"minibert": importlib.import_module("minibert")}
        | vars(importlib.import_module("minibert"))
        | vars(importlib.import_module("minibert.course.figures"))
    )
    state = eval(arguments.figure, names).get_state()
    with browser() as started:
        tab = started.new_page(
            viewport={"width": arguments.width, "height": 900}, device_scale_factor=SCALE
        )
        draw(tab, state, arguments.theme)
        tab.screenshot(path=arguments.picture, full_page=True)


if __name__ == "__main__":
    main()
