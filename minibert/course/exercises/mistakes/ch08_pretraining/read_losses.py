"""Wrong answers to `read_losses` that its check recognises, each with the feedback for it."""

import math

from minibert.course.exercises.mistakes import named


def _fresh(first, V, H, sigma):
    return abs(first / (math.log(V) + H * sigma**2 / 2) - 1) > 0.1


def _reads(name, fresh=_fresh, order="ITF", **tests):
    """A wrong answer with another test for one of the words, or another order of them.

    The tests get (training, held_out, V, unigram, floor); I, T, F stand for the three words.
    """
    tests = {
        "I": lambda t, h, V, u, f: h < 0.9 * f,
        "T": lambda t, h, V, u, f: t < 0.9 * f,
        "F": lambda t, h, V, u, f: h >= 0.9 * u,
    } | tests
    words = {"I": "impossible", "T": "training", "F": "frequencies"}

    def read_wrongly(first, training, held_out, V, H, sigma, unigram, floor):
        if fresh(first, V, H, sigma):
            return "first value"
        for key in order:
            if tests[key](training, held_out, V, unigram, floor):
                return words[key]
        return "learning"

    return named(name, read_wrongly)


read_without_variance = _reads(
    "read_without_variance", lambda first, V, H, sigma: abs(first / math.log(V) - 1) > 0.1
)
read_one_side = _reads(
    "read_one_side",
    lambda first, V, H, sigma: first < 0.9 * (math.log(V) + H * sigma**2 / 2),
)
read_no_first = _reads("read_no_first", lambda first, V, H, sigma: False)
read_training_first = _reads("read_training_first", order="TIF")
read_frequencies_first = _reads("read_frequencies_first", order="IFT")
read_chance = _reads("read_chance", F=lambda t, h, V, u, f: h >= 0.9 * math.log(V))
read_near_only = _reads("read_near_only", F=lambda t, h, V, u, f: abs(h - u) <= 0.1 * u - 1e-9)
read_training_loss = _reads("read_training_loss", F=lambda t, h, V, u, f: t >= 0.9 * u)
read_strictly = _reads("read_strictly", F=lambda t, h, V, u, f: h > u)
read_gap = _reads("read_gap", T=lambda t, h, V, u, f: t < 0.9 * h)


KNOWN = (
    (
        read_without_variance,
        "You compare the first loss with ln V alone; equation 8.4 adds half the variance of the scores.",
    ),
    (
        read_one_side,
        "The first loss can also be too large, for example if the initial weights are.",
    ),
    (read_no_first, "You do not look at the first loss."),
    (
        read_training_first,
        'Here both losses lie below the floor, so the evaluation is wrong, too: "impossible" comes before "training".',
    ),
    (
        read_frequencies_first,
        'The training loss lies below the floor, so "training" comes before "frequencies".',
    ),
    (
        read_chance,
        "You compare with chance, ln V. A model that only knows frequencies is better than chance.",
    ),
    (
        read_near_only,
        "A held-out loss far above the unigram loss shows no more learning than one that is near it.",
    ),
    (
        read_training_loss,
        "You judge what was learned by the training loss; only held-out text shows it.",
    ),
    (
        read_strictly,
        "You ask for a loss above the unigram loss; the two count as equal within a tenth.",
    ),
    (
        read_gap,
        "A training loss below the held-out loss is common; it is suspicious where it lies below the floor.",
    ),
)
