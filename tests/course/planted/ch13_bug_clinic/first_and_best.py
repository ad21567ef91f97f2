"""Answers to `first_and_best` on which its check is tried."""

import math

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch13_bug_clinic.first_and_best import first_and_best
from planted import Answers, named


def losses_from_logits(vocab_size, asked=0.15):
    """Another right answer: each number by an experiment with one word."""
    even, sure = (
        torch.zeros(vocab_size, dtype=torch.float64),
        F.one_hot(torch.tensor(0), vocab_size).double(),
    )
    word = torch.tensor(0)
    nothing, twice = F.cross_entropy(even, word).item(), F.cross_entropy(sure, word).item()
    return {
        "healthy": (nothing, 0.0),
        "zeroed": (nothing, nothing - asked * nothing),
        "softmax twice": (nothing, twice),
        "divided by all": (nothing * asked, 0.0),
    }


def losses_in_lists(vocab_size, asked=0.15):
    """Another right answer: lists, and the logarithm taken apart."""
    start = -math.log(1 / vocab_size)
    return {
        "divided by all": [start * asked, 0],
        "softmax twice": [start, math.log(math.e + vocab_size - 1) - 1],
        "zeroed": [start, start * (1 - asked)],
        "healthy": [start, 0],
    }


def _losses(**changes):
    """A planted wrong answer: some of the pairs are others. Each change is a function of ln V, the share and V."""

    def wrong(vocab_size, asked=0.15):
        made = {
            name: change(math.log(vocab_size), asked, vocab_size)
            for name, change in changes.items()
        }
        return first_and_best(vocab_size, asked) | {
            name.replace("_", " "): value for name, value in made.items()
        }

    return wrong


def _best(V):
    return math.log(1 + (V - 1) / math.e)


def losses_in_bits(vocab_size, asked=0.15):
    return {
        name: (first / math.log(2), best / math.log(2))
        for name, (first, best) in first_and_best(vocab_size, asked).items()
    }


LOSSES = {
    named(
        "zeroed_from_its_best", _losses(zeroed=lambda n, a, V: ((1 - a) * n, (1 - a) * n))
    ): r"Your zeroed loss begins at",
    named(
        "zeroed_to_the_asked", _losses(zeroed=lambda n, a, V: (n, a * n))
    ): r"the share that is asked",
    named(
        "zeroed_to_nothing", _losses(zeroed=lambda n, a, V: (n, 0.0))
    ): r"Your zeroed loss can fall to 0\.",
    named("zeroed_for_ever", _losses(zeroed=lambda n, a, V: (n, n))): r"Your zeroed loss stays at",
    named(
        "twice_from_its_best", _losses(softmax_twice=lambda n, a, V: (_best(V), _best(V)))
    ): r"Your first loss with two softmaxes",
    named(
        "twice_the_price", _losses(softmax_twice=lambda n, a, V: (2 * n, _best(V)))
    ): r"Two softmaxes do not cost twice",
    named(
        "twice_to_nothing", _losses(softmax_twice=lambda n, a, V: (n, 0.0))
    ): r"a lead of 1, not of infinity",
    named("twice_minus_one", _losses(softmax_twice=lambda n, a, V: (n, n - 1))): r"minus 1: nearly",
    named(
        "twice_one_too_many", _losses(softmax_twice=lambda n, a, V: (n, math.log(1 + V / math.e)))
    ): r"You count [\d,]+ wrong words",
    named(
        "twice_sign", _losses(softmax_twice=lambda n, a, V: (n, -_best(V)))
    ): r"logarithm of the probability",
    named(
        "twice_without_the_score", _losses(softmax_twice=lambda n, a, V: (n, _best(V) + 1))
    ): r"has to be taken off",
    named(
        "all_from_the_whole", _losses(divided_by_all=lambda n, a, V: (n, 0.0))
    ): r"Divided by all places, the first loss is not",
    named(
        "all_by_the_others", _losses(divided_by_all=lambda n, a, V: ((1 - a) * n, 0.0))
    ): r"and not the others",
    named(
        "all_at_a_price", _losses(divided_by_all=lambda n, a, V: (a * n, a * n))
    ): r"A perfect model pays nothing",
    named(
        "all_of_fifteen", _losses(divided_by_all=lambda n, a, V: (0.15 * n, 0.0))
    ): r"which is 15% of",
    losses_in_bits: r"You count in bits",
    named(
        "losses_as_numbers",
        lambda vocab_size, asked=0.15: {
            name: best for name, (_, best) in first_and_best(vocab_size, asked).items()
        },
    ): r"two numbers are wanted",
    named(
        "losses_as_list",
        lambda vocab_size, asked=0.15: [math.log(vocab_size), (1 - asked) * math.log(vocab_size)],
    ): r"Wanted is a dict",
}


ANSWERS = Answers(right=(losses_from_logits, losses_in_lists), wrong=LOSSES)
