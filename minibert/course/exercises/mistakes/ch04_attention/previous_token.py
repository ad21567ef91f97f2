"""Wrong answers to `previous_token` that its check recognises, each with the feedback for it."""

import math

import torch

from minibert.course.exercises.mistakes import named


def turned(name, query, key=0.0, length=20.0):
    """Returns an answer that turns query and key by so many steps, both of this length."""

    def answer(step):
        maps = torch.zeros(2, 4, 2)
        for each, turn in zip(maps, (query, key)):
            cos, sin = math.cos(turn * step), math.sin(turn * step)
            each[2:] = length * torch.tensor([[cos, -sin], [sin, cos]])
        return tuple(maps)

    return named(name, answer)


def nothing(step):
    return torch.zeros(4, 2), torch.zeros(4, 2)


KNOWN = PREVIOUS_MISTAKES = (
    (
        turned("next_token", 1),
        "Your tokens attend to the next token: the turn goes the wrong way round.",
    ),
    (
        turned("itself", 0),
        "Your tokens attend to themselves: query and key point the same way, and one of them has to be turned by a step.",
    ),
    (
        turned("two_back", -1, 1),
        "Your tokens attend to the token two before them: you turn the query back and the key forward, and one turn is enough.",
    ),
    (
        turned("too_short", -1, length=1.0),
        "The order is right, but the scores are too close together: the hands have length 1, and cos(step) is not far below 1. "
        "Multiply each of your two maps by a number such as 20.",
    ),
    (
        nothing,
        "All your scores are equal, so every token gets the same weight.",
    ),
)
