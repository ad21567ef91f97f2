"""A checklist for a pretraining run that does not learn: seven questions, from data to losses."""

from itertools import pairwise

from minibert.course.diagrams.drawing import Diagram, Drawing

ROW, TOP, LEFT, RIGHT = 82, 38, 154, 176  # height of a row, where it begins, widths of the columns
# question (three lines), then what a "no" means (name of the fault, the measurement that tells it)
QUESTIONS = [
    (
        ("Look at one batch.", "Right positions scored,", "and answers hidden?"),
        (
            "labels of other rows",
            "answers visible",
            "padding in the loss",
            "repeated lines",
        ),
        "count scored tokens, and rows",
    ),
    (
        ("First loss near ln V", "for the words, near", "ln 2 for the pairs?"),
        ("initial weights too large", "a loss divided by too much", "losses swapped in the log"),
        "compare with chance",
    ),
    (
        ("Overfit one batch:", "does its loss", "approach 0?"),
        ("rate too low, or too high", "mask inverted, softmax twice", "zero_grad forgotten"),
        "falling, jumping, or at rest?",
    ),
    (
        ("Grow the run. Are the", "loss and the gradient", "norm finite?"),
        ("norm climbs: rate too high", "NaN at once: one batch, and", "something undefined"),
        "that batch, untrained weights",
    ),
    (
        ("Is the held-out", "MLM loss near the", "printed MLM loss?"),
        ("repeated lines", "answers seen, padding scored", "dropout left on"),
        "count rows; evaluate twice",
    ),
    (
        ("Exchange the context:", "does the MLM loss", "rise?"),
        (
            "falls smoothly: rate too low",
            "rises again: rate too high",
            "stops early: mask or labels",
        ),
        "size of update; shares of a batch",
    ),
    (
        ("Is the NSP accuracy", "above one half, and in", "each of both classes?"),
        (
            "prints 0: a class ignored",
            "prints ln 2: labels of pairs,",
            "or not learned yet",
        ),
        "decode some pairs",
    ),
]


def failing_run() -> Diagram:
    """The checklist of chapter 12: "yes" leads down, "no" to possible causes and how to tell."""
    d = Drawing(TOP + ROW * len(QUESTIONS) + 34, "Seven questions for a run that does not learn")
    d.text(4 + LEFT / 2, 17, "ask in this order", 11, "soft")
    d.text(360 - RIGHT / 2, 17, "possible cause, and how to tell", 11, "soft")
    for number, (question, causes, measurement) in enumerate(QUESTIONS):
        y = TOP + ROW * number
        d.box(4, y, LEFT, 58, "token-wash", "token", 1.4, 8)
        first = y + 33.5 - 7.5 * (len(question) - 1)
        for line, text in enumerate(question):
            d.text(4 + LEFT / 2, first + 15 * line, text, 12, weight=600 if line == 0 else 400)
        x = 360 - RIGHT
        d.arrow([(4 + LEFT, y + 29), (x - 1, y + 29)], "segment", 1.6)
        d.text((4 + LEFT + x) / 2 - 1, y + 23, "no", 10.5, "segment", weight=600)
        height = 20 + 14 * len(causes)
        top = y + 29 - height / 2
        d.box(x, top, RIGHT - 4, height, "segment-wash", "segment", 1.2, 4)
        for line, text in enumerate(causes):
            d.text(x + 7, top + 15 + 14 * line, text, 11, anchor="start")
        d.text(
            x + 7, top + 15 + 14 * len(causes) - 1, measurement, 10, "soft", "start", italic=True
        )
        low = y + ROW - 1
        d.arrow([(4 + LEFT / 2, y + 58), (4 + LEFT / 2, low)], "position", 1.6)
        d.text(4 + LEFT / 2 + 7, y + 73, "yes", 10.5, "position", "start", weight=600)
    y = TOP + ROW * len(QUESTIONS)
    d.box(4, y, LEFT, 26, "position-wash", "position", 1.4, 13)
    d.text(4 + LEFT / 2, y + 17.5, "compare healthy seeds", 12, weight=600)
    told = " ".join(
        f"{' '.join(question)} If not: {_in_words(causes)}."
        f" To tell them apart: {measurement.rstrip('?')}."
        for question, causes, measurement in QUESTIONS
    )
    end = "If all answers are yes, compare with healthy seeds, and try three times the rate."
    return d.finish(f"Seven questions, in this order. {told} {end}")


def _in_words(causes: tuple[str, ...]) -> str:
    """The causes as one list; a line that ends with a comma or "and" goes on in the next."""
    told = causes[0]
    for before, line in pairwise(causes):
        told += f" {line}" if before.endswith((",", " and")) else f"; {line}"
    return told.replace(": ", " suggests ")
