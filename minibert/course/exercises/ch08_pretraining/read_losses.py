"""Exercise `read_losses`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def read_losses(first, training, held_out, V, H, sigma, unigram, floor):
    """What three MLM losses say about a run: one of five words.

    first     of the fresh model; training and held_out: at the end, on the two kinds of text
    V, H, sigma as in equation 8.4; unigram and floor: the landmarks. Losses in nats.
    "first value"  the fresh model is off: a wrong divisor if it is too low, mostly too large weights if too high
    "impossible"   the evaluation must be wrong, because no model can be that good
    "training"     only the training loss is too good: repeated text, answers visible or padding counted there
    "frequencies"  the loss is not clearly below that of the frequencies of the tokens
    "learning"     none of these: no fault found. Several may fit: return the one that comes first in this list.
    Two losses count as equal if they differ by at most a tenth of the landmark.
    """
    # blank from here: compare each loss with the landmark that judges it
    if abs(first / (math.log(V) + H * sigma**2 / 2) - 1) > 0.1:
        return "first value"
    if held_out < 0.9 * floor:
        return "impossible"
    if training < 0.9 * floor:
        return "training"
    if held_out >= 0.9 * unigram:
        return "frequencies"
    return "learning"


SMALL, WIDE, BASE = (131, 64, 0.1), (131, 256, 0.1), (30522, 768, 0.02)
ENGLISH = (6.95, 1.0)  # unigram loss, and a floor that is assumed
CASES = (  # the three losses, V, H and sigma, the landmarks, and the right answer
    ((5.04, 0.41, 0.40), SMALL, (3.85, 0.27), "learning"),
    ((6.10, 0.41, 0.40), WIDE, (3.85, 0.27), "learning"),
    ((10.50, 2.75, 2.68), BASE, ENGLISH, "learning"),
    ((0.65, 0.05, 0.05), SMALL, (3.85, 0.27), "first value"),
    ((41.60, 3.20, 3.20), SMALL, (3.85, 0.27), "first value"),
    ((5.04, 0.25, 0.12), SMALL, (3.85, 0.27), "impossible"),
    ((5.04, 0.02, 0.02), SMALL, (3.85, 0.27), "impossible"),
    ((5.04, 0.05, 1.49), SMALL, (3.85, 0.27), "training"),
    ((5.04, 0.00, 7.28), SMALL, (3.85, 0.27), "training"),
    ((5.04, 3.75, 3.80), SMALL, (3.85, 0.27), "frequencies"),
    ((5.04, 4.22, 4.25), SMALL, (3.85, 0.27), "frequencies"),
    ((10.50, 2.00, 7.10), BASE, ENGLISH, "frequencies"),
    ((10.50, 5.00, 5.10), BASE, ENGLISH, "learning"),
    ((10.50, 0.70, 0.60), BASE, ENGLISH, "impossible"),
    ((5.04, 3.30, 3.30), SMALL, (3.85, 0.27), "learning"),
)


def check_read_losses(answer):
    found = [answer(*losses, *shape, *landmarks) for losses, shape, landmarks, _ in CASES]
    for (losses, (V, H, sigma), (unigram, floor), right), said in zip(CASES, found):
        if said == right:
            continue
        numbers = "first {:.2f}, training {:.2f} and held out {:.2f}".format(*losses)
        says = (
            f"For {numbers} (V = {V:,}, H = {H}, sigma = {sigma}, unigram loss {unigram}, "
            f"floor {floor}) you say {said!r}; expected {right!r}."
        )
        for wrong, sentence in known(read_losses):
            if [wrong(*a, *b, *c) for a, b, c, _ in CASES] == found:
                raise Mistake(f"{says} {sentence}")
        raise Mistake(says)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Read the losses of a run",
    task="""
            You get three MLM losses of a run and nothing else: the loss of the fresh model, and at the end the losses on training text and on held-out text.
            Write the function that compares them with the landmarks and names the fault, or reports none. Decide which loss each landmark can judge.
        """,
    hints=(
        "There are four comparisons. Equation 8.4 concerns the fresh model only. The floor is used twice, because a loss below it has one meaning on training text and another on new text.",
        "What the model has learned shows on held-out text, so the unigram loss judges `held_out`; a run that ends above it has not even learned the frequencies. The first loss can be wrong in both directions.",
    ),
    paragraph="The first value",
    solution=read_losses,
    check=check_read_losses,
)
