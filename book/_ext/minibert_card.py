"""The progress card in the page: every exercise with a box to tick, every question of a quiz, one card for all chapters.

The card on book/progress.md is made while the book is built, from the cells that tools/stamp.py wrote into the chapters, so it
lists what the chapters have. It is a card to print as it stands; book/_static/progress.js fills it with what the reader has
ticked and answered, which book/_static/keep.js keeps in the reader's browser.
"""

import json
import re
from html import escape
from pathlib import Path

from docutils import nodes

CARD = "book/progress"
TASK = re.compile(r"### Exercise (?P<number>[\d.]+) · (?P<title>.+)\n\n\*(?P<about>.+)\*")


def generated(path: Path, kind: str, part: str | None = None) -> list[dict]:
    """The cells of a chapter that were generated as this kind: origin and source."""
    cells = [
        {**cell["metadata"].get("minibert", {}), "source": "".join(cell["source"])}
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]
    return [cell for cell in cells if cell.get("generated") == kind and cell.get("part") == part]


def card(root: Path) -> str:
    """The card as HTML; a `<fieldset>` for each chapter."""
    boxes = []
    for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        title = re.match(
            r"# (.+)", "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
        )[1]
        page = f"../notebooks/{path.stem}.html"
        items = []
        for cell in generated(path, "exercise", "task"):
            task, name = TASK.match(cell["source"]), anchor("exercise", cell["name"])
            items.append(
                f'<li><label><input type="checkbox" data-exercise="{name}"> {task["number"]} {escape(task["title"])}</label> '
                f'<a href="{page}#{name}" aria-label="{escape(task["about"])}, exercise {task["number"]}">{escape(task["about"])}</a></li>'
            )
        questions = sum(
            len(re.findall(r"^\*\*Question \d+\.\*\*", cell["source"], re.MULTILINE))
            for cell in generated(path, "quiz")
        )
        quiz = anchor("quiz", path.stem)
        ticks = "".join(
            f'<label><input type="checkbox" data-quiz="{quiz}" data-question="{i}"> {i}</label> '
            for i in range(1, questions + 1)
        )
        boxes.append(
            f'<fieldset><legend><a href="{page}">{int(path.stem[:2])} · {escape(title)}</a></legend>\n<ul>\n'
            + "\n".join(items)
            + f'\n</ul>\n<p class="progress-quiz" role="group" aria-label="Quiz of chapter {int(path.stem[:2])}"><a href="{page}#{quiz}">Quiz</a> {ticks}</p>\n</fieldset>'
        )
    return '<form class="progress-card" autocomplete="off">\n' + "\n".join(boxes) + "\n</form>"


def anchor(kind: str, name: str) -> str:
    return nodes.make_id(f"{kind}-{name}")


def fill_card(app, docname, source):
    if docname == CARD:
        source[0] += f"\n```{{raw}} html\n{card(Path(app.srcdir))}\n```\n"


def always_card(app, env, added, changed, removed):
    """The card depends on every chapter, so it is read anew in every build."""
    return [CARD] if CARD in env.found_docs else []


def name_boxes(app, doctree):
    """An anchor for the task of each exercise and for the quiz, by which card and script know them."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    for kind, names in (
        ("exercise", [cell["name"] for cell in generated(path, "exercise", "task")]),
        ("quiz", [path.stem] * len(generated(path, "quiz"))),
    ):
        boxes = [
            box
            for box in doctree.findall(nodes.container)
            if f"generated-{kind}" in box["classes"]
            and (kind == "quiz" or "task" in box["classes"])
        ]
        for box, name in zip(boxes, names, strict=True):
            box["ids"].append(anchor(kind, name))


def setup(app):
    """Sphinx calls this."""
    app.connect("source-read", fill_card)
    app.connect("env-get-outdated", always_card)
    app.connect("doctree-read", name_boxes, priority=600)  # after minibert_book has made the boxes
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
