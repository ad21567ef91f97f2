"""Three runs whose curves look alike, and the one measurement that tells each fault."""

from minibert.course.figures import benchmark_log

FAULTS = (
    "healthy",
    "too slow",
    "too fast",
    "mask inverted",
    "labels of other rows",
    "answers visible",
    "padding in the loss",
    "a class ignored",
    "repeated lines",
)


def unseen_run(name: str) -> dict[str, list]:
    """What run "A", "B" or "C" printed: the steps, and the sum of the MLM and the NSP loss at each."""
    curves = _row(f"unseen {name}")["curves"]
    both = zip(curves["printed_word_loss"], curves["printed_pair_loss"], strict=True)
    return {"step": curves["step"], "printed_loss": [words + pairs for words, pairs in both]}


def evidence(name: str, what: str) -> float:
    """One measurement of run "A", "B" or "C". Raises ValueError if there is no measurement `what`."""
    known = measurements(_row(f"unseen {name}"))
    if what not in known:
        raise ValueError(f"no measurement is called {what!r}; there are {', '.join(known)}")
    return known[what]


def measurements(row: dict) -> dict[str, float]:
    """The measurements of a row of the log."""
    return {
        "held-out MLM loss": row["mlm_loss"],
        "held-out NSP loss": row["nsp_loss"],
        "largest update": max(row["curves"]["update"]),
        "effect of context": row["context"],
        "share of [MASK]": row["masked"],
        "share of visible answers": row["visible"],
        "share of padding": row["padding"],
        "lower class accuracy": min(row["follows_accuracy"], row["random_accuracy"]),
        "rows in the corpus": row["rows"],
    }


TELLS = dict(
    zip(
        FAULTS[1:],
        (
            "largest update",
            "largest update",
            "effect of context",
            "share of [MASK]",
            "share of visible answers",
            "share of padding",
            "lower class accuracy",
            "rows in the corpus",
        ),
    )
)
RIGHT = {"A": "padding in the loss", "B": "healthy", "C": "repeated lines"}


def _row(variant: str) -> dict:
    return next(row for row in benchmark_log("failures")["rows"] if row["variant"] == variant)


def of_fault(fault: str) -> dict[str, float]:
    """The measurements of the run of the chapter with this fault."""
    return measurements(_row(fault))
