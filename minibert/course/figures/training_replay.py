"""An interactive figure that plays a training run: a loss, the probability of the word that fits a
gap, and the guesses at two gaps (chapters 8 and 12).
"""

import torch

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed, unpacked

USUAL, LONGER, PERFECT = "healthy", "live", "perfect reader"  # rows of the log
TASKS = {"words": "MLM", "pairs": "NSP"}
GAPS = 2  # the first of the log
WORDS = 5  # of each gap, those that get most at any time


def training_replay(log: dict, unigram: float, failed: str | None = None) -> Moving:
    """Returns a figure that plays the films in `benchmark_log("failures")`: the live run alone, or
    a failed run beside its healthy one.

    log      rows with a variant and, for one seed of each, a film; one row is the Bayes-optimal
             predictor with the gaps
    unigram  the MLM loss, in nats, of a model that predicts by word frequency alone
    failed   the failed run that is shown at first; without it, the live run
    Raises ValueError if the log has no films, or lacks one of the expected runs.
    """
    films = {row["variant"]: row["film"] for row in log["rows"] if "film" in row}
    perfect = next((row for row in log["rows"] if row["variant"] == PERFECT), None)
    if missing := [name for name in (LONGER, USUAL) if name not in films]:
        raise ValueError(
            "log must contain films, as benchmarks/failures.py writes them; it has none of"
            f" {', '.join(missing)}"
        )
    if perfect is None:
        raise ValueError(f"log must contain the row {PERFECT!r}, which says what fits the gaps")
    names = [name for name in films if name not in (LONGER, USUAL)]
    if failed is not None and failed not in names:
        raise ValueError(f"failed is {failed!r}; expected one of {', '.join(names)}")
    gaps = []
    for number, gap in enumerate(perfect["gaps"][:GAPS]):
        best = _best(films[LONGER]["guesses"], number, gap["chances"])
        gaps.append(gap | {name: [gap[name][i] for i in best] for name in ("words", "chances")})
        gaps[-1]["best"] = best
    runs = {
        name: {
            "step": film["step"],
            "losses": {"words": film["mlm_loss"], "pairs": film["nsp_loss"]},
            "guesses": packed(
                torch.tensor(
                    [
                        [[frame[i] for i in gap["best"]] for frame, gap in zip(guesses, gaps)]
                        for guesses in film["guesses"]
                    ]
                )
            ),
        }
        for name, film in films.items()
    }
    word, right = _winner(gaps[0])
    chances = {  # of this word, in every frame
        name: unpacked(run["guesses"])[:, 0, right].tolist() for name, run in runs.items()
    }
    pairs = [[name, USUAL, _lost(films[name], films[USUAL])] for name in names]
    steps, turn = runs[LONGER]["step"], _learned(chances[LONGER])
    if failed:
        kind = next(kind for name, _, kind in pairs if name == failed)
        loss = runs[failed]["losses"][kind][-1]
        usual = runs[USUAL]["losses"][kind][-1]
        stuck = kind == "words" and abs(loss - unigram) < 0.05
        label = (
            f"At the end the healthy run gives “{word}” {chances[USUAL][-1]:.2f}, and the run"
            f" “{failed}” gives it {chances[failed][-1]:.2f}:"
            + (
                " it has learned only word frequencies"
                if stuck
                else f" its {TASKS[kind]} loss is {loss:.2f}, not {usual:.2f}"
            )
        )
        alt = (
            f"A failed run, {failed}, beside the healthy one: two curves of a loss, two curves of"
            f" the probability of “{word}” at a gap, and bars for the guesses of both at two gaps"
            " at the end of training."
        )
        try_this = "Play it, then choose another failed run."
    else:
        label = (
            f"From step {steps[turn]} of {steps[-1]} on, the model gives “{word}”, the word that"
            " fits, more than half of the probability"
        )
        alt = (
            "The loss of masked words falls towards its floor. Below it the probability of"
            f" “{word}” at a gap rises, and a line at step {steps[turn]} marks where it passes one"
            " half. Bars show the guesses at two gaps at the end of training."
        )
        try_this = "Play the run, then choose a failed one."
    return moving(
        "training_replay",
        {
            "runs": runs,
            "live": LONGER,
            "turn": turn,
            "pairs": pairs,
            **({"failed": failed} if failed else {}),
            "gaps": [
                {name: gap[name] for name in ("first", "second", "words", "chances")}
                for gap in gaps
            ],
            "lines": {
                "words": [["word frequencies", unigram], ["floor", perfect["mlm_loss"]]],
                "pairs": [["a coin", 0.693], ["floor", perfect["nsp_loss"]]],
            },
        },
        needs=["packed.js", "stage.js"],
        label=label,
        alt=alt,
        try_this=try_this,
    )


def _best(guesses: list, gap: int, chances: list[float]) -> list[int]:
    """The words of a gap that get most, from a perfect reader or from the model in any frame, in
    the log's order.
    """
    peaks = torch.tensor([frame[gap] for frame in guesses]).amax(dim=0)  # [words]
    return sorted(peaks.maximum(torch.tensor(chances)).topk(WORDS).indices.tolist())


def _lost(film: dict, usual: dict) -> str:
    """The loss that is drawn for a failed run: that of the pairs where the words are learned."""
    return "words" if abs(film["mlm_loss"][-1] - usual["mlm_loss"][-1]) > 0.1 else "pairs"


def _winner(gap: dict) -> tuple[str, int]:
    best = max(range(len(gap["chances"])), key=lambda i: gap["chances"][i])
    return gap["words"][best], best


def _learned(chances: list[float]) -> int:
    """The first frame from which on all chances are above one half; the last frame if none is."""
    below = [i for i, chance in enumerate(chances) if chance <= 0.5]
    return min(below[-1] + 1 if below else 0, len(chances) - 1)
