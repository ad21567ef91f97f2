"""Answers to `hand_turns` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch03_positions.hand_turns import hand_turns
from minibert.course.exercises.mistakes.ch03_positions.hand_turns import (
    across,
    always_forward,
    around_zero_in_radians,
    both_with_mean,
    half_turns,
    in_radians,
    mean_of_rows,
    others_with_mean,
    rows_with_mean,
    swapped,
    whole_turns_left,
    without_sign,
)
from planted import Answers


def by_complex_numbers(rows, wave, others):
    """Another right answer: a hand is a complex number, and a turn is a quotient."""
    rows, others = rows - rows.mean(dim=0), others - others.mean(dim=0)
    angle = 2 * math.pi * torch.arange(len(rows), dtype=rows.dtype) / wave
    points = torch.complex(others @ (angle.cos() @ rows), others @ (angle.sin() @ rows))
    return (points[1:] * points[:-1].conj()).angle().rad2deg()


def by_looping(rows, wave, others):
    """Another right answer: sums row by row, and full turns taken away one at a time."""
    mean, sine, cosine = rows.mean(dim=0), 0, 0
    for i, row in enumerate(rows):
        sine = sine + math.sin(2 * math.pi * i / wave) * (row - mean)
        cosine = cosine + math.cos(2 * math.pi * i / wave) * (row - mean)
    others, turns = others - others.mean(dim=0), []
    shown = [math.degrees(math.atan2(row @ sine, row @ cosine)) for row in others]
    for before, after in zip(shown, shown[1:]):
        turn = after - before
        turns.append(turn - 360 if turn >= 180 else turn + 360 if turn < -180 else turn)
    return torch.tensor(turns, dtype=rows.dtype)


def of_the_rows(rows, wave, others):
    return hand_turns(rows, wave, rows)


ANSWERS = Answers(
    right=(by_complex_numbers, by_looping),
    wrong={
        whole_turns_left: r"counts as -340",
        always_forward: r"between 0 and 360",
        half_turns: r"half turns",
        without_sign: r"drop the sign",
        others_with_mean: r"mean of `others`",
        rows_with_mean: r"mean of `rows`",
        mean_of_rows: r"Each set has a mean of its own",
        both_with_mean: r"subtract no mean",
        across: r"mean\(dim=0\)",
        around_zero_in_radians: r"full turns of 2π",
        swapped: r"turns backward",
        in_radians: r"in radians",
        of_the_rows: r"Only the plane comes from `rows`",
    },
)
