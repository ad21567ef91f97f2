"""Three runs whose faults were drawn at random, and the one measurement that tells each fault."""

from minibert.course.figures import benchmark_log

CURVES = (
    "step",
    "printed_word_loss",
    "mlm_loss",
    "printed_pair_loss",
    "nsp_loss",
    "nsp_accuracy",
)
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
    """The curves of run "A", "B" or "C"."""
    curves = _row(f"unseen {name}")["curves"]
    return {key: curves[key] for key in CURVES}


def evidence(name: str, what: str) -> float:
    """One measurement of run "A", "B" or "C". Raises ValueError if there is no measurement `what`."""
    known = measurements(_row(f"unseen {name}"))
    if what not in known:
        raise ValueError(f"no measurement is called {what!r}; there are {', '.join(known)}")
    return known[what]


def measurements(row: dict) -> dict[str, float]:
    """The measurements of a row of the log."""
    return {
        "largest update": max(row["curves"]["update"]),
        "effect of context": row["context"],
        "share of [MASK]": row["masked"],
        "share of visible answers": row["visible"],
        "share of padding": row["padding"],
        "lower class accuracy": min(row["follows_accuracy"], row["random_accuracy"]),
        "number of different rows": row["rows"],
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
            "number of different rows",
        ),
    )
)
RIGHT = {"A": "padding in the loss", "B": "healthy", "C": "too fast"}


def _row(variant: str) -> dict:
    return next(row for row in benchmark_log("failures")["rows"] if row["variant"] == variant)


def of_fault(fault: str) -> dict[str, float]:
    """The measurements of the run of the chapter with this fault."""
    return measurements(_row(fault))
