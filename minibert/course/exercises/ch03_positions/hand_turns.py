"""Exercise `hand_turns`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw, recognise


def hand_turns(rows, wave, others):
    """Turns in others, in degrees, of a hand found in rows: [N - 1]."""
    i = torch.arange(len(rows), dtype=rows.dtype)  # [S]
    angle = 2 * math.pi * i / wave  # [S]
    hand = torch.stack((angle.sin(), angle.cos()), dim=1)  # [S, 2]
    plane = (rows - rows.mean(dim=0)).T @ hand  # blank: [H, 2], sums over the rows
    points = (others - others.mean(dim=0)) @ plane  # blank: [N, 2], a sine and a cosine each
    shown = torch.atan2(points[:, 0], points[:, 1]).rad2deg()  # [N]
    step = shown.diff()  # [N - 1], sometimes off by a full turn
    return (step + 180) % 360 - 180  # blank: [N - 1], from -180 up to 180


def table(length, wave, seed):
    """A table [length, 12] with a constant row, a hand of this wavelength in an oblique plane, a slow drift and noise."""
    angle = 2 * math.pi * torch.arange(length, dtype=torch.float64)[:, None] / wave
    plane = draw(2, 12, seed=seed)  # [2, H]
    drift = torch.linspace(-1, 1, length, dtype=torch.float64)[:, None] * draw(12, seed=seed + 1)
    noise = 0.1 * draw(length, 12, seed=seed + 2)
    return 2 * draw(12, seed=seed + 3) + torch.cat((angle.sin(), angle.cos()), 1) @ plane + drift + noise  # fmt: skip


def case(length, split, wave, seed):
    rows = table(length, wave, seed)
    return rows[:split], wave, rows[split:]


CASES = (case(70, 40, 6.0, 1), case(60, 30, 9.5, 11), case(64, 32, 4.3, 21))
CASES += ((draw(30, 12, seed=31), 5.0, draw(25, 12, seed=32)),)  # no hand: points go to and fro


def check_turns(answer):
    for rows, wave, others in CASES:
        right = hand_turns(rows, wave, others)
        found = answer(rows.clone(), wave, others.clone())
        if isinstance(found, torch.Tensor) and len(found) == len(rows) - 1 != len(right):
            raise Mistake("You return a turn for each step of `rows`. Only the plane comes from `rows`; read the hand in `others`.")  # fmt: skip
        suspects = [(wrong(rows, wave, others), why) for wrong, why in known(hand_turns)]
        recognise(found, right, suspects, "Your list of turns", tolerance=1e-6)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="Find a hand, and watch it turn in other rows",
    task="""
            Find the plane in which the hand of a given wavelength turns, using `rows` only, and read the hand in `others`, rows that were not used to find the plane. Subtract the mean of each set of rows first.
            The plane is a matrix [H, 2]: multiply every row by the sine of the hand and add up, then do the same with the cosine. At the end, bring every turn into the range from -180 to 180 degrees.
            """,
    hints=(
        "A sum over the rows of (row times sine) is a matrix product: [H, S] @ [S, 2]. Then every one of `others` times the plane, [N, H] @ [H, 2], gives its two coordinates.",
        "Turns are known up to 360 degrees. The remainder `x % 360` lies between 0 and 360: add 180 before you take it, and subtract 180 afterwards.",
    ),
    paragraph="What MiniLM's table contains",
    solution=hand_turns,
    check=check_turns,
)
