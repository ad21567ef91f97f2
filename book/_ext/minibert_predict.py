"""Predictions that a reader can make, and what there is to do in each chapter.

In a chapter a prediction is ordinary Markdown, which reads as well on GitHub and Colab:

    > **Predict** · Are the two rows the same?
    >
    > - yes, to the last digit
    > - nearly
    > - no
    >
    > <!-- answer: 1; printed: the same 384 numbers: True -->

`answer` is the number of the right choice. Without choices it is a number and the ends of a slider: `0.64 from -1 to 1`.
`printed` is text of the next cell, code or output, that shows the answer; a test looks for it (tests/support/notebook_rules.py).
book/_static/predict.js makes buttons or a slider of it and covers the output of the cell under it until the reader has guessed.

course.js lists the exercises, questions, predictions and sections of every chapter; book/_static/whereabouts.js shows how much of
them is done.
"""

import hashlib
import json
import re
from pathlib import Path

from docutils import nodes
from minibert_card import anchor, generated

ANSWER = re.compile(r"<!--\s*answer:\s*(?P<right>-?[\d.]+)(?: from (?P<low>-?[\d.]+) to (?P<high>-?[\d.]+))?; printed: (?P<printed>[^\n]+?)\s*-->")  # fmt: skip
QUOTE = re.compile(r"^> \*\*Predict\*\*(?:.*\n?(?:>.*\n?)*)", re.MULTILINE)
CHOICE = re.compile(r"^> [-*] (.+(?:\n>   .+)*)", re.MULTILINE)


def predictions(source):
    """The predictions of a Markdown cell that have an answer: the whole quotation, its choices, the match of ANSWER."""
    for quote in QUOTE.findall(source):
        if found := ANSWER.search(quote):
            yield quote, CHOICE.findall(quote), found


def name_of(quote):
    """An id that stays as long as the question stays."""
    question = CHOICE.sub("", ANSWER.sub("", quote))
    return "predict-" + hashlib.md5(" ".join(re.findall(r"\w+", question)).encode()).hexdigest()[:10]  # fmt: skip


def data_of(choices, found):
    """What the script has to know."""
    if choices:
        return {"options": len(choices), "right": int(found["right"]) - 1}
    digits = len(found["right"].partition(".")[2])
    low, high = float(found["low"]), float(found["high"])
    return {"right": float(found["right"]), "from": low, "to": high, "step": 10**-digits}


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def mark_predictions(app, doctree):
    """Give each prediction its id and its answer."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    sources = ["".join(cell["source"]) for cell in cells_of(path) if cell["cell_type"] == "markdown"]  # fmt: skip
    known = [each for source in sources for each in predictions(source)]
    quotes = [quote for quote in doctree.findall(nodes.block_quote) if "predict" in quote["classes"] and any(quote.findall(is_answer))]  # fmt: skip
    for quote, (source, choices, found) in zip(quotes, known, strict=True):
        for comment in list(quote.findall(is_answer)):
            comment.parent.remove(comment)
        quote["ids"].append(name_of(source))
        data = json.dumps(data_of(choices, found))
        quote += nodes.raw("", f'<script type="application/json" class="predict-answer">{data}</script>', format="html")  # fmt: skip


def is_answer(node):
    return isinstance(node, (nodes.comment, nodes.raw)) and "answer:" in node.astext()


def course(root):
    """What there is to do in every chapter."""
    everything = {}
    for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        texts = ["".join(cell["source"]) for cell in cells_of(path) if cell["cell_type"] == "markdown"]  # fmt: skip
        quizzes = "".join(cell["source"] for cell in generated(path, "quiz"))
        minutes = re.search(r"reading (\d+) min · exercises (\d+)", texts[0])
        everything[path.stem] = {
            "exercises": [anchor("exercise", cell["name"]) for cell in generated(path, "exercise", "task")],
            "questions": len(re.findall(r"^\*\*Question \d+\.\*\*", quizzes, re.MULTILINE)),
            "predictions": [name_of(quote) for text in texts for quote, _, _ in predictions(text)],
            "sections": sum(len(re.findall(r"^## ", text, re.MULTILINE)) for text in texts),
            "minutes": int(minutes[1]) if minutes else 0,
        }  # fmt: skip
    return everything


def write_course(app):
    """Put course.js where Sphinx finds static files."""
    if app.builder.format != "html":
        return
    folder = Path(app.doctreedir).parent / "course"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(course(Path(app.srcdir)), separators=(",", ":"))
    (folder / "course.js").write_text(f"window.minibertCourse = {text};\n", encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def setup(app):
    """Sphinx calls this."""
    app.connect("builder-inited", write_course)
    app.connect(
        "doctree-read", mark_predictions, priority=610
    )  # after minibert_book has marked the quotations
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
