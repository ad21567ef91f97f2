"""Wrong answers to `wavelength` that its check recognises, each with the feedback for it."""

import math

import torch


def without_turn(pair, dim):
    return 10000.0 ** (2 * pair / dim)


def half_exponent(pair, dim):
    return 2 * math.pi * 10000.0 ** (pair / dim)


def the_frequency(pair, dim):
    return 10000.0 ** (-2 * pair / dim)


def ever_faster(pair, dim):
    return 2 * math.pi * 10000.0 ** (-2 * pair / dim)


def in_degrees(pair, dim):
    return 360 * 10000.0 ** (2 * pair / dim)


def column_for_pair(pair, dim):
    return 2 * math.pi * 10000.0 ** (4 * pair / dim)


def last_pair_at_the_limit(pair, dim):
    return 2 * math.pi * 10000.0 ** (pair / (dim // 2 - 1))


def half_a_turn(pair, dim):
    return math.pi * 10000.0 ** (2 * pair / dim)


def a_quarter(pair, dim):
    return math.pi / 2 * 10000.0 ** (2 * pair / dim)


def upside_down(pair, dim):
    return 10000.0 ** (-2 * pair / dim) / (2 * math.pi)


def divided_by_the_turn(pair, dim):
    return 10000.0 ** (2 * pair / dim) / (2 * math.pi)


def whole_division(pair, dim):
    return 2 * math.pi / 10000.0 ** (-2 * pair // dim)


def without_dim(pair, dim):
    return 2 * math.pi * torch.tensor(10000.0, dtype=torch.float64).pow(2 * pair).item()


def base_e(pair, dim):
    return 2 * math.pi * math.exp(2 * pair / dim)


def one_pair_late(pair, dim):
    return 2 * math.pi * 10000.0 ** (2 * (pair + 1) / dim)


WAVELENGTH_MISTAKES = (
    (without_turn, "it is the number of positions for one radian; a full turn has 2π of them"),
    (half_a_turn, "it is half a turn, where the sine has the opposite sign; a full turn is 2π"),
    (
        half_exponent,
        "its exponent is {pair}/{dim}; the exponent of pair {pair} is 2 · {pair}/{dim}",
    ),
    (
        the_frequency,
        "it is the frequency, in radians for each position; the wavelength is 2π divided by it",
    ),
    (
        ever_faster,
        "your waves get shorter from pair to pair; divide by the frequency instead of multiplying by it",
    ),
    (
        in_degrees,
        "it is counted in degrees; sine and cosine take radians, so a full turn is 2π = 6.28 and not 360",
    ),
    (
        column_for_pair,
        "you double twice: pair {pair} begins in column 2 · {pair}, and that 2 is already the one in the exponent",
    ),
    (
        last_pair_at_the_limit,
        "you divide by the number of pairs less one, as the original program does; the paper's formula divides by dim, here {dim}",
    ),
    (a_quarter, "it is a quarter of a turn; a full turn is 2π"),
    (upside_down, "it is the share of a turn in one step; the wavelength is one divided by that"),
    (
        divided_by_the_turn,
        "you divide by 2π where you should multiply: one radian takes 1/frequency positions, and a full turn has 2π radians",
    ),
    (whole_division, "`//` cuts the exponent off to a whole number; `/` keeps 2 · {pair}/{dim}"),
    (
        without_dim,
        "your exponent is 2 · {pair}; it is 2 · {pair}/{dim}, divided by the number of columns",
    ),
    (base_e, "your powers are powers of e = 2.718; the formula has powers of 10000"),
    (
        one_pair_late,
        "it is the wavelength of pair {pair} + 1; pairs count from 0, so the first one has the exponent 0",
    ),
)


KNOWN = WAVELENGTH_MISTAKES
