"""Wrong answers to `steps_between` that its check recognises, each with the feedback for it."""

import math

import torch

from minibert.course.exercises.ch03_positions.steps_between import steps_between
from minibert.course.exercises.mistakes import named


def variant(
    name,
    expected=lambda steps, frequency: steps[:, None] * frequency,
    agreement=lambda turn, expected: torch.cos(turn - expected).sum(dim=1),
):
    """Returns `steps_between` with one of its two lines replaced."""

    def answer(first, second, frequency, reach=500):
        hands = torch.stack((first, second)).double().unflatten(1, (-1, 2))
        angle = torch.atan2(hands[..., 0], hands[..., 1])
        steps = torch.arange(-reach, reach + 1)
        found = agreement(angle[1] - angle[0], expected(steps, frequency))
        return int(steps[found.argmax()])

    return named(name, answer)


slowest_hand = variant(
    "slowest_hand", agreement=lambda turn, expected: torch.cos(turn - expected)[:, -1]
)
fastest_hand = variant(
    "fastest_hand", agreement=lambda turn, expected: torch.cos(turn - expected)[:, 0]
)
other_way = variant("other_way", expected=lambda steps, frequency: -steps[:, None] * frequency)
divided = variant("divided", expected=lambda steps, frequency: steps[:, None] / frequency)
least_agreement = variant(
    "least_agreement", agreement=lambda turn, expected: -torch.cos(turn - expected).sum(dim=1)
)
sine_of_difference = variant(
    "sine_of_difference", agreement=lambda turn, expected: torch.sin(turn - expected).sum(dim=1)
)
plain_difference = variant(
    "plain_difference", agreement=lambda turn, expected: -(turn - expected).abs().sum(dim=1)
)
squared_difference = variant(
    "squared_difference", agreement=lambda turn, expected: -(turn - expected).square().sum(dim=1)
)
remainder = variant(
    "remainder", agreement=lambda turn, expected: -((turn - expected) % (2 * math.pi)).sum(dim=1)
)
in_full_turns = variant(
    "in_full_turns", expected=lambda steps, frequency: 2 * math.pi * steps[:, None] * frequency
)


def without_sign(first, second, frequency, reach=500):
    return abs(steps_between(first, second, frequency, reach))


KNOWN = (
    (
        slowest_hand,
        "you read the slowest hand only. It hardly moves in one step, so the noise alone shifts it by many. Let all hands vote.",
    ),
    (
        fastest_hand,
        "you read the fastest hand only. It is back where it was after 6.28 steps, so many k fit it. Let all hands vote.",
    ),
    (other_way, "your sign is wrong: for a positive k each hand turns forward by k times its frequency."),
    (divided, "you divide k by the frequency. In k steps a hand turns by k times its frequency."),
    (
        least_agreement,
        "you choose the k on which the hands agree least. cos(turn - expected) is 1 where a hand agrees, so make it large.",
    ),
    (
        sine_of_difference,
        "you take the sine of the difference, which is 0 where a hand agrees and 1 where it is a quarter turn off. The cosine is largest where they agree.",
    ),
    (
        plain_difference,
        "you subtract angles that are known only up to whole turns: a hand that is off by one full turn agrees. Compare them with a function that has the period 2π.",
    ),
    (
        squared_difference,
        "you square differences of angles that are known only up to whole turns: a hand that is off by one full turn agrees. Compare them with a function that has the period 2π.",
    ),
    (
        remainder,
        "your remainder lies between 0 and 2π, so a hand that is a little behind counts as almost a full turn ahead. Use a function that is symmetric about 0, such as the cosine.",
    ),
    (
        in_full_turns,
        "you multiply by 2π, but a frequency of this chapter is already in radians for each position.",
    ),
    (without_sign, "the number is right, but its sign is lost: k is negative where the second vector comes first."),
)  # fmt: skip
