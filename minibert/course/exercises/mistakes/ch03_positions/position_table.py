"""Wrong answers to `position_table` that its check recognises, each with the feedback for it."""

import math

import torch

from minibert.course.exercises.ch03_positions.position_table import (
    DIM,
    LENGTH,
    position_table,
)
from minibert.course.exercises.mistakes import named


def table_variant(
    name,
    frequency=lambda j, dim: 10000.0 ** (-2 * j / dim),
    position=lambda length: torch.arange(length).double(),
    arrange=lambda angle: torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1),
):
    """Returns `position_table` with one of its steps replaced."""

    def answer(length, dim):
        return arrange(
            position(length)[:, None] * frequency(torch.arange(dim // 2).double(), dim)
        ).float()

    return named(name, answer)


def own_exponent_per_column(length, dim):
    column = torch.arange(dim)
    angle = torch.arange(length)[:, None] / 10000.0 ** (2 * column / dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def number_of_the_column(length, dim):
    column = torch.arange(dim)
    angle = torch.arange(length)[:, None] / 10000.0 ** (column / dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


without_exp = table_variant(
    "without_exp", frequency=lambda j, dim: -2 * j * math.log(10000.0) / dim
)


in_halves = table_variant(
    "in_halves", arrange=lambda angle: torch.cat((angle.sin(), angle.cos()), dim=-1)
)


cosine_first = table_variant(
    "cosine_first", arrange=lambda angle: torch.stack((angle.cos(), angle.sin()), dim=-1).flatten(1)
)


sines_only = table_variant(
    "sines_only", arrange=lambda angle: angle.sin().repeat_interleave(2, dim=1)
)


from_one = table_variant("from_one", position=lambda length: torch.arange(1, length + 1).double())


of_degrees = table_variant(
    "of_degrees",
    arrange=lambda angle: torch.stack(
        (angle.deg2rad().sin(), angle.deg2rad().cos()), dim=-1
    ).flatten(1),
)


slow_too_soon = table_variant("slow_too_soon", frequency=lambda j, dim: 10000.0 ** (-j / dim))


as_in_the_program = table_variant(
    "as_in_the_program", frequency=lambda j, dim: 10000.0 ** (-j / (dim // 2 - 1))
)


ever_faster_table = table_variant(
    "ever_faster_table", frequency=lambda j, dim: 10000.0 ** (2 * j / dim)
)


by_the_length = table_variant(
    "by_the_length", position=lambda length: torch.arange(length).double() / length
)


twice_the_two = table_variant("twice_the_two", frequency=lambda j, dim: 10000.0 ** (-4 * j / dim))


whole_quotients = table_variant(
    "whole_quotients", frequency=lambda j, dim: 10000.0 ** -(2 * j // dim)
)


product_for_power = table_variant(
    "product_for_power", frequency=lambda j, dim: 10000.0 * 2 * j / dim
)


powers_of_e = table_variant("powers_of_e", frequency=lambda j, dim: torch.exp(-2 * j / dim))


with_full_turns = table_variant(
    "with_full_turns", frequency=lambda j, dim: 2 * math.pi * 10000.0 ** (-2 * j / dim)
)


base_1000 = table_variant("base_1000", frequency=lambda j, dim: 1000.0 ** (-2 * j / dim))


turns_backwards = table_variant(
    "turns_backwards", frequency=lambda j, dim: -(10000.0 ** (-2 * j / dim))
)


cosines_negative = table_variant(
    "cosines_negative",
    arrange=lambda angle: torch.stack((angle.sin(), -angle.cos()), dim=-1).flatten(1),
)


one_pair_late_table = table_variant(
    "one_pair_late_table", frequency=lambda j, dim: 10000.0 ** (-2 * (j + 1) / dim)
)


angles_only = table_variant("angles_only", arrange=lambda angle: angle.repeat_interleave(2, dim=1))


cosines_only = table_variant(
    "cosines_only", arrange=lambda angle: angle.cos().repeat_interleave(2, dim=1)
)


cosines_forgotten = table_variant(
    "cosines_forgotten",
    arrange=lambda angle: torch.stack((angle.sin(), 0 * angle), dim=-1).flatten(1),
)


def over_the_length(length, dim):
    angle = torch.arange(length)[:, None] / 10000.0 ** (torch.arange(0, dim, 2) / length)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)


def scaled_up(length, dim):
    return position_table(length, dim) * math.sqrt(dim)


def of_angles(angle):
    """A table [S, H] of the sines and cosines of the angles [S, H/2]."""
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)


def times_the_power(length, dim):
    return of_angles(torch.arange(length)[:, None] * 10000.0 ** (torch.arange(0, dim, 2) / dim))


def power_of_the_quotient(length, dim):
    return of_angles((torch.arange(length)[:, None] / 10000.0) ** (torch.arange(0, dim, 2) / dim))


TABLE_MISTAKES = (
    (
        times_the_power,
        "You multiply the position by the power of 10000, so your hands get faster. Divide by it.",
    ),
    (
        power_of_the_quotient,
        "You divide the position by 10000 first and then take the power. Only 10000 has the exponent: divide the position by the finished power.",
    ),
    (
        own_exponent_per_column,
        "Each of your columns has an exponent of its own, so no sine has its cosine and the frequencies run on to 1/100,000,000: "
        f"{{still}} of your 64 columns hardly move over {LENGTH} positions. The two columns of a hand share the exponent 2r/dim, with r = 0 … 31.",
    ),
    (
        number_of_the_column,
        "Your sines are right, but column 2r + 1 has the exponent (2r + 1)/dim. The cosine of a hand has the exponent of its sine, 2r/dim; "
        "otherwise the two columns belong to two hands.",
    ),
    (
        without_exp,
        f"Your frequencies are the exponents themselves: hand 1 turns {float(-2 * math.log(10000) / DIM):.2f} radians for each position, "
        f"where exp of that, {math.exp(-2 * math.log(10000) / DIM):.2f}, is right.",
    ),
    (
        in_halves,
        "You put all 32 sines first and the cosines after them, as the original program does; in the paper's formula, and here, they take turns: columns 0, 2, 4 … and 1, 3, 5 ….",
    ),
    (
        cosine_first,
        "Your cosines stand in the even columns: row 0 begins with {found[0][0]:.0f}, {found[0][1]:.0f} and must begin with 0, 1.",
    ),
    (
        sines_only,
        "Your odd columns hold the same sines as your even ones: row 0 is all zeros. A sine alone cannot be turned into the next one; its cosine is missing.",
    ),
    (
        from_one,
        "Your first row is that of position 1 (it begins with {found[0][0]:.2f}): positions count from 0, so row 0 is 0, 1, 0, 1, ….",
    ),
    (
        of_degrees,
        f"Your angles are taken for degrees: position 1 has {{found[1][0]:.3f}} in its first column, where sin(1) = {math.sin(1):.3f} is right.",
    ),
    (
        slow_too_soon,
        "Your exponent is r/dim for hand r, so the slowest hand has a wavelength of "
        f"{2 * math.pi * 10000 ** (31 / 64):,.0f} positions instead of {2 * math.pi * 10000 ** (62 / 64):,.0f}: the 2 of 2r/dim is missing.",
    ),
    (
        as_in_the_program,
        "Your last hand is 10000 times as slow as the first, as in the original program, which divides by 31; "
        f"by the paper's formula it is {10000 ** (62 / 64):,.0f} times as slow: the exponent is 2r/64.",
    ),
    (
        ever_faster_table,
        "Your hands get faster: the last one turns "
        f"{10000 ** (62 / 64):,.0f} radians from one position to the next. Divide by the power, do not multiply.",
    ),
    (
        by_the_length,
        f"You divide the positions by the length, {LENGTH}, so the same place gets another vector in a longer text. Use the position as it is.",
    ),
    (
        twice_the_two,
        f"Your hand 1 turns {10000 ** (-4 / DIM):.2f} radians for each position, where {10000 ** (-2 / DIM):.2f} is right: "
        "the numbers 0, 2, 4, … are already the 2r of the formula and must not be doubled.",
    ),
    (
        whole_quotients,
        "All your hands turn equally fast: `//` cuts every exponent 2r/64 off to 0; `/` keeps it.",
    ),
    (
        over_the_length,
        f"You divide the exponent by the length, {LENGTH}; divide it by dim, {DIM}. The frequencies belong to the columns, however long the text is.",
    ),
    (
        product_for_power,
        f"You multiply 10000 by the exponent: your hand 1 turns {10000 * 2 / DIM:.1f} radians for each position. The exponent is a power, `**`.",
    ),
    (
        powers_of_e,
        f"Your frequencies are powers of e and end at {math.exp(-62 / DIM):.2f}; the factor ln(10000) = {math.log(10000):.2f} is missing in the exponent.",
    ),
    (
        with_full_turns,
        f"Your angles have a factor 2π too many: position 1 of hand 0 is at {2 * math.pi:.2f} radians, where 1 is right. The formula has no 2π.",
    ),
    (
        base_1000,
        f"Your base is 1000: the last hand is {1000 ** (62 / 64):,.0f} times as slow as the first, where {10000 ** (62 / 64):,.0f} is right.",
    ),
    (
        turns_backwards,
        f"Your angles are negative: position 1 begins with {{found[1][0]:.2f}}, where sin(1) = {math.sin(1):.2f} is right.",
    ),
    (
        angles_only,
        "Your table holds the angles themselves, up to {largest:.0f}. Take their sine and cosine.",
    ),
    (
        cosines_only,
        "Your even columns hold the same cosines as your odd ones: row 0 is all ones. The sines are missing.",
    ),
    (cosines_forgotten, "Your odd columns are all zeros: the cosines are missing."),
    (
        cosines_negative,
        "Your cosines have a minus: row 0 begins with 0, {found[0][1]:.0f} and must begin with 0, 1.",
    ),
    (
        one_pair_late_table,
        f"Your first hand turns {10000 ** (-2 / DIM):.2f} radians for each position, where 1 is right: 2r begins at 0, not at 2.",
    ),
    (
        scaled_up,
        f"Your table is the right one times √{DIM} = {math.sqrt(DIM):.0f}. The scale of the Transformer belongs to the words; no number of the table is above 1.",
    ),
)


KNOWN = TABLE_MISTAKES
