"""A picture stands in for each moving figure: until its script has run, without scripts, on paper and in e-books.

tools/execute.py has stored the picture beside the figure's output. It goes into the page before the figure, with the figure's
own text alternative; book/_static/figures.js hides it once the figure is drawn.
"""

import base64
import hashlib
import json
from pathlib import Path

from docutils import nodes

STATE, VIEW = (
    "application/vnd.jupyter.widget-state+json",
    "application/vnd.jupyter.widget-view+json",
)
SCALE = 1.5  # tools/stills.py draws so many pixels to one of the page


def add_pictures(app, doctree):
    """Put each picture before the place of its figure."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    pictures = read_pictures(path)
    for place in list(doctree.findall(nodes.raw)):
        if VIEW not in place.astext():
            continue
        model = json.loads(place.astext().partition(">")[2].rpartition("</script>")[0])["model_id"]
        if model in pictures:
            picture, alt, name = pictures[model]
            parent = place.parent
            width = f"{int.from_bytes(picture[16:20]) / SCALE:.0f}px"  # book/_ext/minibert_weight.py adds the shape
            parent.insert(
                parent.index(place),
                nodes.image(
                    uri=f"/{stored(app, picture)}",
                    alt=alt,
                    classes=["figure-still", f"figure-{name}", "no-scaled-link"],
                    width=width,
                ),
            )


def read_pictures(path):
    """The pictures of a notebook's moving figures: number of the widget -> PNG, text alternative and name of the figure."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    widgets = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    outputs = [
        output["data"]
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if VIEW in output.get("data", {})
    ]
    numbers = {data[VIEW]["model_id"]: data for data in outputs if "image/png" in data}
    return {
        number: (
            base64.b64decode("".join(data["image/png"])),
            widgets[number]["state"].get("alt", ""),
            widgets[number]["state"].get("name", ""),
        )
        for number, data in numbers.items()
    }


def stored(app, picture):
    """Where a picture lies as a file, beside those that MyST-NB takes out of notebooks; relative to the sources."""
    folder = Path(app.outdir).parent / "jupyter_execute"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"still-{hashlib.sha256(picture).hexdigest()[:24]}.png"
    file.write_bytes(picture)
    return file.resolve().relative_to(Path(app.srcdir).resolve()).as_posix()


def setup(app):
    """Sphinx calls this."""
    app.connect(
        "doctree-read", add_pictures, priority=400
    )  # before Sphinx itself collects the images of the page
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
