"""Exercise `read_losses`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def read_losses(first, training, held_out, V, H, sigma, unigram, floor=None):
    """What three MLM losses say about a run: "first value", "impossible", "gap", "frequencies" or "learning".

    first     of the fresh model; training and held_out: at the end, on the two kinds of text
    V, H, sigma as in equation 8.2; unigram and floor: the landmarks (floor is None where it is unknown). Losses in nats.
    "first value"  the fresh model does not lose what equation 8.2 expects
    "impossible"   the evaluation must be wrong, because no model can be that good
    "gap"          much better on training than on held-out text: repeated text, answers visible, or another mean
    "frequencies"  the run is not clearly better than the frequencies of the tokens
    "learning"     none of these: no fault found. Several may fit: return the one that comes first in this list.
    A loss counts as equal to what it is compared with if it differs from that by at most a tenth of it.
    """
    # blank from here: compare each loss with what it should be near, above or below
    if abs(first / (math.log(V) + H * sigma**2 / 2) - 1) > 0.1:
        return "first value"
    if floor is not None and held_out < 0.9 * floor:
        return "impossible"
    if training < 0.9 * held_out:
        return "gap"
    if held_out >= 0.9 * unigram:
        return "frequencies"
    return "learning"


SMALL, WIDE, BASE = (131, 64, 0.1), (131, 256, 0.1), (30522, 768, 0.02)
WORLD, ENGLISH = (3.85, 0.27), (6.95, None)  # unigram loss and floor
CASES = (  # the three losses, V, H and sigma, the landmarks, and the right answer
    ((5.04, 0.41, 0.40), SMALL, WORLD, "learning"),
    ((6.10, 0.41, 0.40), WIDE, WORLD, "learning"),
    ((10.50, 2.75, 2.68), BASE, ENGLISH, "learning"),
    ((0.65, 0.05, 0.05), SMALL, WORLD, "first value"),
    ((41.60, 3.20, 3.20), SMALL, WORLD, "first value"),
    ((5.04, 0.25, 0.12), SMALL, WORLD, "impossible"),
    ((5.04, 0.02, 0.15), SMALL, WORLD, "impossible"),
    ((5.04, 0.05, 1.49), SMALL, WORLD, "gap"),
    ((5.04, 0.00, 7.28), SMALL, WORLD, "gap"),
    ((5.04, 0.25, 0.43), SMALL, WORLD, "gap"),
    ((10.50, 1.10, 4.90), BASE, ENGLISH, "gap"),
    ((5.04, 3.75, 3.80), SMALL, WORLD, "frequencies"),
    ((5.04, 4.22, 4.25), SMALL, WORLD, "frequencies"),
    ((10.50, 2.00, 7.10), BASE, ENGLISH, "gap"),
    ((10.50, 7.10, 7.20), BASE, ENGLISH, "frequencies"),
    ((10.50, 5.00, 5.10), BASE, ENGLISH, "learning"),
    ((5.04, 3.47, 3.40), SMALL, WORLD, "learning"),
    ((5.04, 0.80, 0.81), SMALL, (3.85, 1.0), "impossible"),
)


def check_read_losses(answer):
    found = [answer(*losses, *shape, *landmarks) for losses, shape, landmarks, _ in CASES]
    for (losses, (V, H, sigma), (unigram, floor), right), said in zip(CASES, found):
        if said == right:
            continue
        numbers = "first {:.2f}, training {:.2f} and held out {:.2f}".format(*losses)
        says = (
            f"For {numbers} (V = {V:,}, H = {H}, sigma = {sigma}, unigram loss {unigram}, "
            f"floor {floor or 'unknown'}) you say {said!r}; expected {right!r}."
        )
        for wrong, sentence in known(read_losses):
            if [wrong(*a, *b, *c) for a, b, c, _ in CASES] == found:
                raise Mistake(f"{says} {sentence}")
        raise Mistake(says)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Read the losses of a run",
    task="""
            You get three MLM losses of a run and nothing else: the loss of the fresh model, and at the end the losses on training text and on held-out text.
            Write a function that names the fault the three losses reveal, if there is one. For each answer decide which loss shows it, and what this loss must be compared with. It must also work on English, where the floor is unknown.
        """,
    hints=(
        "There are four comparisons, each of two numbers: one with a formula, one of two losses of the run, and two with landmarks.",
        "What the model has learned shows on held-out text, so the unigram loss and the floor judge `held_out`. The first loss can be wrong in both directions.",
    ),
    paragraph="The first value",
    solution=read_losses,
    check=check_read_losses,
)
