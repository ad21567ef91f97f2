"""The first screen of a chapter: its sign, its question, its minutes, and the diagram with the chapter's part lit.

A notebook has them one below the other, so that GitHub and Colab show them too: title, question, time and introduction in
the first cell, then the set-up cell, then a cell whose output is the diagram (tools/stamp.py). The page puts words and
diagram beside each other, and what code remains into one row under them.

Every diagram of minibert.course.diagrams that a cell shows goes into the page itself instead of into a picture: so it takes
the colours and the letters of the page.
"""

import json
import re
from functools import cache
from pathlib import Path

from docutils import nodes

CHAPTER = re.compile(r"notebooks/(\d\d)_\w+")
DIAGRAM, SVG = 'class="mbd"', "image/svg+xml"
SIGNS = re.compile(r'<symbol id="sign-(\d+)".*?</symbol>')


@cache
def signs(root: Path) -> dict[int, str]:
    """The sign of each chapter, as the first page of the book has it: number -> what is inside its <svg>."""
    cover = (root / "book" / "cover.html").read_text(encoding="utf-8")
    return {
        int(found[1]): f'{found[0]}<use href="#sign-{found[1]}"></use>'
        for found in SIGNS.finditer(cover)
    }


def draw_diagrams(app, doctree):
    """Put the diagrams of a notebook's cells into the page."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for box in list(doctree.findall(is_cell)):
        outputs = cells[box["cell_index"]].get("outputs", [])
        drawn = ["".join(output.get("data", {}).get(SVG, "")) for output in outputs]
        for shown in box.findall(is_output):
            for place, svg in zip(list(shown.children), drawn, strict=False):
                if DIAGRAM in svg:
                    raw = nodes.raw("", svg, format="html")
                    place.replace_self(nodes.container("", raw, classes=["diagram"]))


def is_cell(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def is_output(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code_output"


def make_opener(app, doctree):
    """Gather a chapter's first screen."""
    chapter = CHAPTER.fullmatch(app.env.docname)
    section = next(doctree.findall(nodes.section), None)
    if not chapter or section is None:
        return
    before = section.children[1 : section.first_child_matching_class(nodes.section)]
    boxes = [node for node in before if is_cell(node)]
    picture = next((box for box in boxes if list(box.findall(is_diagram))), None)
    if picture is None:
        return
    head = before[: before.index(boxes[0])]
    time = next(i for i, node in enumerate(head) if node.astext().startswith("Time"))
    words, rest = (nodes.container(classes=[f"opener-{name}"]) for name in ("words", "rest"))
    sign = signs(Path(app.srcdir))[int(chapter[1])]
    words += nodes.raw(
        "",
        f'<svg class="sign" width="96" height="32" aria-hidden="true">{sign}</svg>',
        format="html",
    )
    for i, node in enumerate(head):
        section.remove(node)
        (words if i <= time else rest).append(asked(node))
    diagram = next(picture.findall(is_diagram))
    diagram.parent.remove(diagram)
    section.remove(picture)
    section.insert(1, nodes.container("", words, diagram, rest, classes=["opener"]))


def asked(node):
    """The quotation that holds the question as a line of its own, without the word; any other node as it is."""
    word = next(node.findall(nodes.strong), None) if isinstance(node, nodes.block_quote) else None
    if word is None or word.astext() != "Question":
        return node
    line = word.parent
    after = line.children[line.index(word) + 1]
    line.replace(after, nodes.Text(after.astext().lstrip(" ·")))
    line.remove(word)
    line["classes"].append("opener-question")
    return line


def is_diagram(node):
    return isinstance(node, nodes.container) and "diagram" in node["classes"]


def setup(app):
    """Sphinx calls this."""
    app.connect("doctree-read", draw_diagrams, priority=390)  # before Sphinx collects the pictures
    app.connect(
        "doctree-read", make_opener, priority=610
    )  # after minibert_book has marked the question
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
