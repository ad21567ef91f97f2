"""Wrong answers to `hand_turns` that its check recognises, each with the feedback for it."""

import math

import torch

from minibert.course.exercises.mistakes import named


def centred(rows):
    return rows - rows.mean(dim=0)


def around_zero(step):
    return (step + 180) % 360 - 180


def variant(name, rows_in=centred, others_in=centred, order=(0, 1), wrapped=around_zero):
    """Returns `hand_turns` with one of its parts replaced."""

    def answer(rows, wave, others):
        angle = 2 * math.pi * torch.arange(len(rows), dtype=rows.dtype) / wave
        hand = torch.stack((angle.sin(), angle.cos()), dim=1)
        points = others_in(others) @ (rows_in(rows).T @ hand)[:, list(order)]
        return wrapped(torch.atan2(points[:, 0], points[:, 1]).rad2deg().diff())

    return named(name, answer)


whole_turns_left = variant("whole_turns_left", wrapped=lambda step: step)
always_forward = variant("always_forward", wrapped=lambda step: step % 360)
half_turns = variant("half_turns", wrapped=lambda step: (step + 90) % 180 - 90)
without_sign = variant("without_sign", wrapped=lambda step: around_zero(step).abs())
others_with_mean = variant("others_with_mean", others_in=lambda others: others)
rows_with_mean = variant("rows_with_mean", rows_in=lambda rows: rows)
swapped = variant("swapped", order=(1, 0))
around_zero_in_radians = variant(
    "around_zero_in_radians", wrapped=lambda step: (step + math.pi) % (2 * math.pi) - math.pi
)
both_with_mean = variant(
    "both_with_mean", rows_in=lambda rows: rows, others_in=lambda others: others
)
across = variant("across", *2 * (lambda rows: rows - rows.mean(dim=1, keepdim=True),))
in_radians = variant("in_radians", wrapped=lambda step: around_zero(step).deg2rad())


def mean_of_rows(rows, wave, others):
    shifted = others - rows.mean(dim=0)
    return variant("shifted", others_in=lambda others: shifted)(rows, wave, others)


KNOWN = (
    (
        whole_turns_left,
        "a step from 170 to -170 degrees counts as -340 with you. It is a turn by +20: remove the full turn.",
    ),
    (
        always_forward,
        "you put every turn between 0 and 360, so a small step back looks like almost a full turn forward. Add 180 before the remainder and subtract it afterwards.",
    ),
    (half_turns, "you remove half turns. A hand points the same way again after 360 degrees, not after 180."),
    (without_sign, "you drop the sign, so a hand that goes back and forth would look like one that turns."),
    (
        others_with_mean,
        "you do not subtract the mean of `others`. What all rows have in common shifts the circle away from its centre.",
    ),
    (
        rows_with_mean,
        "you do not subtract the mean of `rows`, and over part of a turn the sine does not cancel it.",
    ),
    (
        mean_of_rows,
        "you subtract the mean of `rows` from `others`. Each set has a mean of its own, so subtract that of `others`.",
    ),
    (
        both_with_mean,
        "you subtract no mean. What all rows have in common shifts the circle away from its centre.",
    ),
    (
        across,
        "you take the mean of each row over its columns. The mean that all rows share is a vector [H]: mean(dim=0).",
    ),
    (
        around_zero_in_radians,
        "your turns are in degrees, but you remove full turns of 2π. A full turn has 360 degrees.",
    ),
    (in_radians, "your turns are in radians, and degrees are asked for."),
    (swapped, "you exchange sine and cosine, so the hand turns backward. The first column of the plane belongs to the sine."),
)  # fmt: skip
