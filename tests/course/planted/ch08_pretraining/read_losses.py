"""Answers to `read_losses` on which its check is tried."""

import math

from minibert.course.exercises.mistakes.ch08_pretraining.read_losses import (
    read_any_gap,
    read_chance,
    read_floor,
    read_frequencies_first,
    read_gap_first,
    read_near_only,
    read_no_first,
    read_one_side,
    read_strictly,
    read_training_loss,
    read_without_variance,
)
from planted import Answers


def losses_in_one_expression(first, training, held_out, V, H, sigma, unigram, floor=None):
    expected = math.log(V) + 0.5 * H * sigma * sigma
    return (
        "first value"
        if not 0.9 * expected <= first <= 1.1 * expected
        else "impossible"
        if floor is not None and held_out - floor < -0.1 * floor
        else "gap"
        if training - held_out < -0.1 * held_out
        else "frequencies"
        if held_out - unigram >= -0.1 * unigram
        else "learning"
    )


def losses_by_a_list(first, training, held_out, V, H, sigma, unigram, floor=None):
    start = math.log(V * math.exp(H * sigma**2 / 2))
    found = [
        (abs(first - start) > 0.1 * start, "first value"),
        (held_out < (floor or 0.0) * 0.9, "impossible"),
        (held_out * 0.9 > training, "gap"),
        (held_out > unigram * 0.9, "frequencies"),
        (True, "learning"),
    ]
    return next(word for fits, word in found if fits)


def losses_always_learning(first, training, held_out, V, H, sigma, unigram, floor=None):
    return "learning"


ANSWERS = Answers(
    right=(losses_in_one_expression, losses_by_a_list),
    wrong={
        read_without_variance: r"adds half the variance",
        read_one_side: r"initial weights are",
        read_no_first: r"do not look at the first loss",
        read_gap_first: r"evaluation is wrong, too",
        read_frequencies_first: r'and "gap" comes before "frequencies"',
        read_chance: r"compare with chance",
        read_near_only: r"far above the unigram loss",
        read_training_loss: r"only held-out text shows it",
        read_strictly: r"equal within a tenth",
        read_floor: r"suspicious on any text",
        read_any_gap: r"slightly below the held-out loss is common",
        losses_always_learning: r"first 0\.65, .* you say 'learning'; expected 'first value'\. Reread",
    },
)
