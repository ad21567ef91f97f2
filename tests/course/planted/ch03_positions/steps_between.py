"""Answers to `steps_between` on which its check is tried."""

import torch

from minibert.course.exercises.ch03_positions.steps_between import steps_between
from minibert.course.exercises.mistakes.ch03_positions.steps_between import (
    divided,
    fastest_hand,
    in_full_turns,
    least_agreement,
    other_way,
    plain_difference,
    remainder,
    sine_of_difference,
    slowest_hand,
    squared_difference,
    without_sign,
)
from planted import Answers


def by_rotation(first, second, frequency, reach=500):
    """Another right answer: rotate the first vector by every k and take the nearest result."""
    hands = [vector.double().unflatten(0, (-1, 2)) for vector in (first, second)]  # each [H/2, 2]
    steps = range(-reach, reach + 1)
    far = []
    for k in steps:
        cos, sin = torch.cos(k * frequency), torch.sin(k * frequency)
        sines, cosines = hands[0].T
        turned = torch.stack((cos * sines + sin * cosines, cos * cosines - sin * sines), dim=1)
        far.append((turned - hands[1]).norm())
    return steps[int(torch.stack(far).argmin())]


def by_complex_numbers(first, second, frequency, reach=500):
    """Another right answer: a hand is a complex number, and a turn is a quotient."""
    a, b = (torch.complex(v[1::2].double(), v[0::2].double()) for v in (first, second))
    turn = b * a.conj() / (b * a).abs()
    steps = torch.arange(-reach, reach + 1)
    expected = torch.exp(1j * steps[:, None] * frequency)
    return int(steps[(turn * expected.conj()).real.sum(dim=1).argmax()])


def one_more(first, second, frequency, reach=500):
    return steps_between(first, second, frequency, reach) + 1


def reach_ignored(first, second, frequency, reach=500):
    return steps_between(first, second, frequency, 500)


def half_a_step(first, second, frequency, reach=500):
    return steps_between(first, second, frequency, reach) + 0.5


ANSWERS = Answers(
    right=(by_rotation, by_complex_numbers),
    wrong={
        slowest_hand: r"slowest hand only",
        fastest_hand: r"fastest hand only",
        other_way: r"sign is wrong",
        divided: r"divide k by the frequency",
        least_agreement: r"agree least",
        sine_of_difference: r"sine of the difference",
        plain_difference: r"up to whole turns",
        squared_difference: r"you square",
        remainder: r"almost a full turn ahead",
        in_full_turns: r"multiply by 2π",
        without_sign: r"its sign is lost",
        one_more: r"you find 4 steps, not 3\. Compare",
        reach_ignored: r"800 steps apart",
        half_a_step: r"3\.5, not a whole number",
    },
)
