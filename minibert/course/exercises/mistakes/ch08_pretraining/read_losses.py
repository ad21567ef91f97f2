"""Wrong answers to `read_losses` that its check recognises, each with the feedback for it."""

import math

from minibert.course.exercises.mistakes import named


def _fresh(first, V, H, sigma):
    return abs(first / (math.log(V) + H * sigma**2 / 2) - 1) > 0.1


def _reads(name, fresh=_fresh, order="IGF", **tests):
    """A wrong answer with another test for one of the words, or another order of them.

    The tests get (training, held_out, V, unigram, floor); I, G, F stand for the three words.
    """
    tests = {
        "I": lambda t, h, V, u, f: f is not None and h < 0.9 * f,
        "G": lambda t, h, V, u, f: t < 0.9 * h,
        "F": lambda t, h, V, u, f: h >= 0.9 * u,
    } | tests
    words = {"I": "impossible", "G": "gap", "F": "frequencies"}

    def read_wrongly(first, training, held_out, V, H, sigma, unigram, floor=None):
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
read_gap_first = _reads("read_gap_first", order="GIF")
read_frequencies_first = _reads("read_frequencies_first", order="IFG")
read_chance = _reads("read_chance", F=lambda t, h, V, u, f: h >= 0.9 * math.log(V))
read_near_only = _reads("read_near_only", F=lambda t, h, V, u, f: abs(h - u) <= 0.1 * u - 1e-9)
read_training_loss = _reads("read_training_loss", F=lambda t, h, V, u, f: t >= 0.9 * u)
read_strictly = _reads("read_strictly", F=lambda t, h, V, u, f: h > u)
read_floor = _reads("read_floor", G=lambda t, h, V, u, f: f is not None and t < 0.9 * f)
read_any_gap = _reads("read_any_gap", G=lambda t, h, V, u, f: t < h)


KNOWN = (
    (
        read_without_variance,
        "You compare the first loss with ln V alone; equation 8.2 adds half the variance of the scores.",
    ),
    (
        read_one_side,
        "The first loss can also be too large, for example if the initial weights are.",
    ),
    (read_no_first, "You do not look at the first loss."),
    (
        read_gap_first,
        'Here the held-out loss lies below the floor, so the evaluation is wrong, too: "impossible" comes before "gap".',
    ),
    (
        read_frequencies_first,
        'The training loss is far below the held-out loss, and "gap" comes before "frequencies".',
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
        read_floor,
        "You compare the training loss with the floor. A training loss far below the held-out loss is suspicious on any text, also where no floor is known.",
    ),
    (
        read_any_gap,
        "A training loss that is slightly below the held-out loss is common; the two count as equal within a tenth.",
    ),
)
