"""A decision tree for a pretraining run that does not learn: six questions, from data to losses."""

from minibert.course.diagrams.drawing import Diagram, Drawing

ROW, TOP, LEFT, RIGHT = 82, 30, 154, 176  # height of a row, where it begins, widths of the columns
# question (three lines), then what a "no" means (name of the fault, the measurement that tells it)
QUESTIONS = [
    (
        ("Look at one batch.", "Right positions scored,", "and answers hidden?"),
        ("labels of other rows", "answers visible", "padding in the loss"),
        "count labels and inputs",
    ),
    (
        ("First loss near ln V", "for the words, near", "ln 2 for the pairs?"),
        ("initial weights too large", "wrong divisor", "softmax taken twice"),
        "compare with chance",
    ),
    (
        ("Overfit one batch:", "does its loss", "approach 0?"),
        ("rate too low, or too high", "attention mask inverted", "part of the model cut off"),
        "step size; effect of context",
    ),
    (
        ("Grow the run. Does", "held-out loss stay near", "the training loss?"),
        ("repeated lines", "held-out data differ"),
        "count different lines",
    ),
    (
        ("Does the MLM loss", "fall clearly below the", "unigram loss?"),
        ("smooth: rate too low", "jumps: rate too high", "flat: context not used"),
        "step size; effect of context",
    ),
    (
        ("For the pairs, do", "the loss and the", "accuracy agree?"),
        ("a class left out of the loss", "a class with another meaning"),
        "accuracy of each class",
    ),
]


def failing_run() -> Diagram:
    """The tree of chapter 12: a "yes" leads down, a "no" to what may be wrong and how to tell."""
    d = Drawing(TOP + ROW * len(QUESTIONS) + 34, "A decision tree for a run that does not learn")
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
        end = y + ROW - 1
        d.arrow([(4 + LEFT / 2, y + 58), (4 + LEFT / 2, end)], "position", 1.6)
        d.text(4 + LEFT / 2 + 7, y + 73, "yes", 10.5, "position", "start", weight=600)
    y = TOP + ROW * len(QUESTIONS)
    d.box(4, y, LEFT, 26, "position-wash", "position", 1.4, 13)
    d.text(4 + LEFT / 2, y + 17.5, "healthy: train longer", 12, weight=600)
    told = " ".join(
        f"{' '.join(question)} If not: {', '.join(causes)}; to tell them apart: {measurement}."
        for question, causes, measurement in QUESTIONS
    )
    return d.finish(f"Six questions, in this order. {told} If all answers are yes, train longer.")
