"""A checklist for a run that does not learn: four checks, the last one in four questions."""

from itertools import pairwise

from minibert.course.diagrams.drawing import Diagram, Drawing

ROW, TOP, LEFT, RIGHT = 86, 38, 154, 176  # height of a row, where it begins, widths of the columns
# question (three lines), then what a "no" means (name of the fault, the measurement that tells it)
QUESTIONS = [
    (
        ("1. Look at the data:", "right words chosen,", "most of them hidden?"),
        ("labels of other rows", "answers visible", "padding in the loss", "a word never chosen"),
        "shares of a batch; of each word",
    ),
    (
        ("2. First loss: about", "ln V for the words,", "ln 2 for the pairs?"),
        ("initial weights too large,", "a sum instead of a mean"),
        "size of the initial weights",
    ),
    (
        ("3. One batch: does", "your own step bring", "the loss to about 0?"),
        (
            "rate too low, or too high",
            "gradients not cleared",
            "mask inverted; no positions",
            "softmax taken twice",
        ),
        "swap in correct parts",
    ),
    (
        ("4a. Grow the run:", "loss and norm of the", "gradient finite?"),
        (
            "norm climbs: rate too high,",
            "or gradients not cleared",
            "NaN at once: one batch, and",
            "something undefined",
        ),
        "fresh norm; untrained weights",
    ),
    (
        ("4b. Losses: held out", "as in training, and", "not too low in both?"),
        ("answers visible", "a class ignored", "repeated lines", "too low in both: the masking"),
        "each class; rows; other masks",
    ),
    (
        ("4c. Other context:", "loss up by 2 nats,", "like healthy runs?"),
        (
            "too early in the run",
            "rate too low, or too high",
            "mask inverted",
            "labels of other rows",
        ),
        "size of update; batch shares",
    ),
    (
        ("4d. NSP accuracy", "above one half in", "each class, held out?"),
        ("a class ignored", "repeated lines", "NSP not learned yet"),
        "each class; training loss",
    ),
]


def failing_run() -> Diagram:
    """The checklist of chapter 12: "yes" leads down, "no" to possible causes and how to tell."""
    d = Drawing(TOP + ROW * len(QUESTIONS) + 44, "Four checks for a run that does not learn")
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
    d.box(4, y, LEFT, 40, "position-wash", "position", 1.4, 13)
    d.text(4 + LEFT / 2, y + 17, "then compare with", 12, weight=600)
    d.text(4 + LEFT / 2, y + 32, "healthy seeds", 12, weight=600)
    told = " ".join(
        f"{' '.join(question)} If not: {_in_words(causes)}."
        f" To tell them apart: {measurement.rstrip('?')}."
        for question, causes, measurement in QUESTIONS
    )
    end = "If all answers are yes, compare with healthy seeds."
    return d.finish(f"Four checks, in this order. {told} {end}")


def _in_words(causes: tuple[str, ...]) -> str:
    """The causes as one list; a line that ends with a comma or "and" goes on in the next."""
    told = causes[0]
    for before, line in pairwise(causes):
        told += f" {line}" if before.endswith((",", " and")) else f"; {line}"
    return told.replace(": ", " suggests ")
