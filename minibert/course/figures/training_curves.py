"""An interactive figure that compares failed training runs with healthy ones (chapter 12)."""

import math

from minibert.course.figures.moving import Moving, moving

QUANTITIES = (
    "mlm_loss",
    "nsp_loss",
    "mlm_accuracy",
    "nsp_accuracy",
    "printed_word_loss",
    "printed_pair_loss",
)
USUAL, LONGER, PERFECT = "healthy", "live", "perfect reader"


def training_curves(log: dict, unigram: float) -> Moving:
    """Returns a figure of the runs in `benchmark_log("failures")`: one curve per seed, and lines
    for the Bayes-optimal loss and the unigram loss.

    log      rows with a variant, a seed and curves; one row is the Bayes-optimal predictor
    unigram  the MLM loss, in nats, of a model that predicts by word frequency alone

    The curves connect logged points with straight lines, and the cursor shows the last logged
    point. Raises ValueError if the log lacks one of the expected runs.
    """
    entries: dict[str, list[dict]] = {}
    for row in log["rows"]:
        if not row["variant"].startswith("unseen"):  # an exercise of the chapter
            entries.setdefault(row["variant"], []).append(row)
    healthy = {USUAL, LONGER}
    if missing := sorted({PERFECT, *healthy} - set(entries)):
        raise ValueError(
            "log must contain the runs of benchmarks/failures.py; it has none called"
            f" {', '.join(missing)}"
        )
    (perfect,) = entries.pop(PERFECT)
    runs = {
        name: {
            "steps": rows[0]["curves"]["step"],
            "neighbour": None if name in healthy else USUAL,
            "curves": {
                quantity: [row["curves"][quantity] for row in rows] for quantity in QUANTITIES
            },
        }
        for name, rows in entries.items()
    }
    lines = {
        "mlm_loss": [["frequencies alone", unigram], ["floor", perfect["mlm_loss"]]],
        "nsp_loss": [["a coin", math.log(2)], ["floor", perfect["nsp_loss"]]],
        "mlm_accuracy": [["perfect reader", perfect["mlm_accuracy"]]],
        "nsp_accuracy": [["perfect reader", perfect["nsp_accuracy"]], ["a coin", 0.5]],
    }
    return moving(
        "training_curves",
        {
            "names": list(runs),
            "runs": runs,
            "healthy": {"usual": USUAL, "longer": LONGER},
            "lines": lines,
        },
        label="Broken runs over healthy ones: each fault leaves its own mark",
        alt=(
            "Curves of the masked-word loss over the steps, three seeds each. The healthy runs fall"
            " far below the line of a reader who knows the frequencies alone; too slow a learning"
            " rate does not reach that line, too fast a one comes to rest on it, repeated lines end"
            " between."
        ),
        try_this=(
            "Show the loss of the pairs, switch on what the program prints, and choose 'a class"
            " ignored' and 'repeated lines'. Touch the plot to move the cursor."
        ),
    )
