"""The first screen of a chapter: its sign, its question, its minutes, and the diagram with the chapter's part lit.

A notebook has them one below the other, so that GitHub and Colab show them too: title, question, time and introduction in
the first cell, then the set-up cell, then a cell whose output is the diagram (tools/stamp.py). The page puts words and
diagram beside each other, and what code remains into one row under them.

Of the whole model the first screen shows the lit part and what is next to it, as large as the column; the whole is folded below. A
chapter that lights most of the model has the whole at once.

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
BOX = re.compile(
    r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]*stroke-width="([\d.]+)"'
)
LIT, FRAME = 2.2, 100  # how thick the edge of a lit box is; a box as high as this holds others
BESIDE, ABOVE = 20, 42  # what is as near as this to a lit box is its neighbour
MOST = 0.6  # a close-up of more than this share of the model would be no close-up, and cut through its neighbours
SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"')
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
    section.insert(1, nodes.container("", words, with_close_up(diagram), rest, classes=["opener"]))


def with_close_up(diagram):
    """The diagram as the first screen shows it: close up, then the whole, folded; or the whole alone."""
    whole = diagram.astext()
    window = lit_part(whole)
    if window is None:
        return diagram
    x, y, width, height = window
    near = SIZE.sub(
        f'viewBox="{x:g} {y:g} {width:g} {height:g}" width="{width:g}" height="{height:g}"',
        whole,
        count=1,
    )
    kind = "opener-close" if y else "opener-close at-top"
    folded = f'<details class="opener-whole"><summary>The whole model</summary>{whole}</details>'
    html = f'<div class="{kind}">{near}</div>{folded}'
    return nodes.container("", nodes.raw("", html, format="html"), classes=["diagram"])


def lit_part(svg):
    """Where the lit boxes of a diagram and their neighbours are: x, y, width, height. None where that is most of it."""
    wide, high = map(float, SIZE.search(svg).groups())
    boxes = [[float(value) for value in found] for found in BOX.findall(svg)]
    lit = around([box for box in boxes if box[4] == LIT])
    near = [
        box
        for box in boxes
        if box[3] < FRAME
        and lit[0] - BESIDE < box[0] + box[2]
        and box[0] < lit[2] + BESIDE
        and lit[1] - ABOVE < box[1] + box[3]
        and box[1] < lit[3] + ABOVE
    ]
    left, top, right, bottom = around([box for box in boxes if box[4] == LIT] + near)
    left, top = max(0, left - 12), max(0, top - 14)
    width, height = min(wide, right + 12) - left, min(high, bottom + 14) - top
    return None if width * height > MOST * wide * high else (left, top, width, height)


def around(boxes):
    """Left, top, right and bottom of what holds all of these boxes."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[0] + box[2] for box in boxes),
        max(box[1] + box[3] for box in boxes),
    )


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
