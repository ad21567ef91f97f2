"""A checklist for a run that does not learn: four checks, the last one in four questions."""

from minibert.course.diagrams.drawing import Diagram, Drawing

TOP, LEFT, RIGHT = 38, 126, 210  # where the first row begins, widths of the columns
LINE, GAP = 15, 16  # height of a line in a box, space between rows
# question (lines), then the causes of a "no", each with the measurement that tells it
QUESTIONS = [
    (
        ("1. The data: right", "positions chosen,", "most of them", "shown as [MASK]?"),
        (
            ("labels of other rows", "share of [MASK]"),
            ("answers visible", "share of answers"),
            ("padding in the loss", "share of padding"),
            ("a word never chosen", "count each word"),
        ),
    ),
    (
        ("2. First loss: near", "ln V for MLM,", "ln 2 for NSP?"),
        (
            ("weights too large", "standard deviation"),
            ("sum, not mean", "halve the batch"),
        ),
    ),
    (
        ("3. One batch: does", "your own step bring", "the loss to about 0?"),
        (
            ("rate too low or high", "size of the update"),
            ("gradients not cleared", "leftover .grad"),
            ("mask inverted", "exchange the words"),
            ("no positions", "reorder the words"),
            ("softmax taken twice", "loss stops near 3.9"),
        ),
    ),
    (
        ("4a. Grow the run:", "loss and norm of the", "gradient finite?"),
        (
            ("climb: rate too high", "lower rate helps"),
            ("climb: not cleared", "leftover .grad"),
            ("sudden: one batch", "untrained weights"),
        ),
    ),
    (
        ("4b. Losses: same", "on held-out text,", "and not too low?"),
        (
            ("answers visible", "share of answers"),
            ("padding in the loss", "share of padding"),
            ("a class ignored", "accuracy by class"),
            ("repeated lines", "number of sequences"),
            ("both low: the masking", "other program"),
        ),
    ),
    (
        ("4c. Other context:", "loss up by 2 nats,", "like healthy runs?"),
        (
            ("too early", "healthy run, same step"),
            ("rate too low or high", "size of the update"),
            ("mask inverted", "untrained: exactly 0"),
            ("labels of other rows", "share of [MASK]"),
        ),
    ),
    (
        ("4d. NSP accuracy", "above one half in", "each class?"),
        (
            ("a class ignored", "one class 0, NSP loss 0"),
            ("repeated lines", "both near ½, NSP loss 0"),
            ("NSP not learned yet", "NSP loss near 0.69"),
        ),
    ),
]


def failing_run() -> Diagram:
    """The checklist of chapter 12: "yes" leads down, "no" to possible causes and how to tell."""
    heights = [
        max(22 + LINE * (len(question) - 1), 10 + LINE * len(causes))
        for question, causes in QUESTIONS
    ]
    end = TOP + sum(heights) + GAP * len(QUESTIONS)
    d = Drawing(end + 44, "Four checks for a run that does not learn")
    x = 360 - RIGHT
    d.text(4 + LEFT / 2, 17, "ask in this order", 11, "soft")
    d.text(x + 7, 17, "possible cause", 11, "soft", "start")
    d.text(360 - 11, 17, "what tells it", 11, "soft", "end", italic=True)
    middles = [TOP + sum(heights[:n]) + GAP * n + height / 2 for n, height in enumerate(heights)]
    boxes = [24 + LINE * (len(question) - 1) for question, _ in QUESTIONS]
    tops = [middle - box / 2 for middle, box in zip(middles, boxes)] + [end]
    for (question, causes), middle, box, below in zip(QUESTIONS, middles, boxes, tops[1:]):
        d.box(4, middle - box / 2, LEFT, box, "token-wash", "token", 1.4, 8)
        first = middle + 4 - LINE / 2 * (len(question) - 1)
        for line, text in enumerate(question):
            d.text(4 + LEFT / 2, first + LINE * line, text, 11, weight=400 if line else 600)
        d.arrow([(4 + LEFT, middle), (x - 1, middle)], "segment", 1.6)
        d.text((4 + LEFT + x) / 2 - 2, middle - 6, "no", 10.5, "segment", weight=600)
        tall = 10 + LINE * len(causes)
        d.box(x, middle - tall / 2, RIGHT - 4, tall, "segment-wash", "segment", 1.2, 4)
        first = middle + 4 - LINE / 2 * (len(causes) - 1)
        for line, (cause, measurement) in enumerate(causes):
            d.text(x + 6, first + LINE * line, cause, 10, anchor="start")
            d.text(360 - 10, first + LINE * line, measurement, 9.5, "soft", "end", italic=True)
        low = middle + box / 2
        d.arrow([(4 + LEFT / 2, low), (4 + LEFT / 2, below - 1)], "position", 1.6)
        d.text(
            4 + LEFT / 2 + 7, (low + below) / 2 + 3, "yes", 10.5, "position", "start", weight=600
        )
    d.box(4, end, LEFT, 40, "position-wash", "position", 1.4, 13)
    d.text(4 + LEFT / 2, end + 17, "then compare with", 11, weight=600)
    d.text(4 + LEFT / 2, end + 32, "healthy seeds", 11, weight=600)
    told = " ".join(
        f"{' '.join(question)} If not: "
        + "; ".join(f"{cause} ({measurement})" for cause, measurement in causes)
        + "."
        for question, causes in QUESTIONS
    )
    return d.finish(
        "Four checks, in this order; in brackets is the measurement that tells a cause."
        f" {told} If all answers are yes, compare with healthy seeds."
    )
