"""Answers to `wavelength` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch03_positions.wavelength import wavelength
from minibert.course.exercises.mistakes.ch03_positions.wavelength import (
    a_quarter,
    base_e,
    column_for_pair,
    divided_by_the_turn,
    ever_faster,
    half_a_turn,
    half_exponent,
    in_degrees,
    last_pair_at_the_limit,
    one_pair_late,
    the_frequency,
    upside_down,
    whole_division,
    without_dim,
    without_turn,
)
from planted import Answers


def wavelength_in_one_line(pair, dim):
    """Another right answer: without the detour."""
    return 2 * math.pi * 10000.0 ** (2 * pair / dim)


def wavelength_step_by_step(pair, dim):
    """Another right answer: each pair is slower than the one before by the same factor."""
    positions, factor = math.tau, 10000.0 ** (2 / dim)
    for _ in range(pair):
        positions *= factor
    return positions


def wavelength_by_exp(pair, dim):
    """Another right answer: the power as an exponential, in a tensor."""
    return math.tau * torch.exp(
        torch.tensor(2 * pair * math.log(10000.0) / dim, dtype=torch.float64)
    )


def to_whole_positions(pair, dim):
    return round(wavelength(pair, dim))


def returns_text(pair, dim):
    return f"{wavelength(pair, dim)} positions"


def returns_nothing(pair, dim):
    wavelength(pair, dim)


ANSWERS = Answers(
    right=(wavelength_in_one_line, wavelength_step_by_step, wavelength_by_exp),
    wrong={
        without_turn: r"you get 1 positions where 6\.283.*one radian",
        half_a_turn: r"half a turn",
        half_exponent: r"exponent is 1/8; .* 2 · 1/8",
        the_frequency: r"it is the frequency",
        ever_faster: r"shorter from pair to pair",
        in_degrees: r"360 positions.*in degrees",
        column_for_pair: r"double twice",
        last_pair_at_the_limit: r"pairs less one",
        a_quarter: r"1\.571 .* quarter of a turn",
        upside_down: r"share of a turn",
        divided_by_the_turn: r"divide by 2π where",
        whole_division: r"cuts the exponent off",
        without_dim: r"exponent is 2 · 1; it is 2 · 1/8",
        base_e: r"powers of e",
        one_pair_late: r"62\.83 .* pair 0 \+ 1",
        to_whole_positions: r"you get 6 .* you round",
        returns_text: r"'6\.28.* positions', a str",
        returns_nothing: r"None, a NoneType",
    },
)
