"""A moving figure on a page that is no notebook: the directive `moving-figure` names one of minibert.course.figures.

The page gets what MyST-NB gives a notebook's page: the state of the widget, its place, and the loader (book/_static/figures.js). Before it
stands its picture (tools/page_stills.py), as in the chapters: until the script has run, without scripts, on paper and in e-books.
"""

import json
from pathlib import Path

from docutils import nodes
from minibert_stills import SCALE
from sphinx.util.docutils import SphinxDirective

STATE, VIEW = (
    "application/vnd.jupyter.widget-state+json",
    "application/vnd.jupyter.widget-view+json",
)
SCRIPTS, OF_PAGE = ("figures.js", "share.js"), "moving-figure-of-page"
PICTURES = "book/stills"


class MovingFigure(SphinxDirective):
    """`{moving-figure} calculator`: the figure that minibert.course.figures.calculator() makes."""

    required_arguments = 1

    def run(self):
        import minibert.course.figures  # torch and the widgets: for the pages that have a figure

        name = self.arguments[0]
        make = getattr(minibert.course.figures, name, None)
        if not callable(make):
            raise self.error(f"minibert.course.figures has no figure called {name!r}")
        picture = Path(self.env.srcdir) / PICTURES / f"{name}.png"
        if not picture.is_file():
            raise self.error(
                f"there is no picture of the figure {name!r}: run `python tools/page_stills.py`"
            )
        self.env.note_dependency(str(picture))
        state = {
            key: value
            for key, value in make().get_state().items()
            if key.startswith("_anywidget") or not key.startswith("_") or key in ("_esm", "_css")
        }
        text = script(STATE, {"state": {name: {"state": state}}}) + script(VIEW, {"model_id": name})
        width = f"{int.from_bytes(picture.read_bytes()[16:20]) / SCALE:.0f}px"
        still = nodes.image(
            uri=f"/{PICTURES}/{name}.png",
            alt=state["alt"],
            classes=["figure-still", f"figure-{name}", "no-scaled-link"],
            width=width,
        )
        return [nodes.container("", still, nodes.raw("", text, format="html"), classes=[OF_PAGE])]


def script(kind, content):
    """A script element that holds data; `</` cannot end it early."""
    text = json.dumps(content, ensure_ascii=False).replace("</", r"<\/")
    return f'<script type="{kind}">{text}</script>\n'


def add_loader(app, pagename, templatename, context, doctree):
    """The loader and what shares a figure, for the pages that have one."""
    if doctree is not None and any(
        OF_PAGE in place["classes"] for place in doctree.findall(nodes.container)
    ):
        for file in SCRIPTS:
            app.add_js_file(file, defer="defer")


def setup(app):
    """Sphinx calls this."""
    app.add_directive("moving-figure", MovingFigure)
    app.connect("html-page-context", add_loader)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
