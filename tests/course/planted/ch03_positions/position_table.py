"""Answers to `position_table` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch03_positions.position_table import position_table
from minibert.course.exercises.mistakes.ch03_positions.position_table import (
    angles_only,
    as_in_the_program,
    base_1000,
    by_the_length,
    cosine_first,
    cosines_forgotten,
    cosines_negative,
    cosines_only,
    ever_faster_table,
    from_one,
    in_halves,
    number_of_the_column,
    of_degrees,
    one_pair_late_table,
    over_the_length,
    own_exponent_per_column,
    power_of_the_quotient,
    powers_of_e,
    product_for_power,
    scaled_up,
    sines_only,
    slow_too_soon,
    times_the_power,
    turns_backwards,
    twice_the_two,
    whole_quotients,
    with_full_turns,
    without_exp,
)
from planted import Answers


def table_by_loops(length, dim):
    """Another right answer: the formula, number by number."""
    rows = []
    for i in range(length):
        row = []
        for j in range(dim // 2):
            angle = i / 10000 ** (2 * j / dim)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)


def table_by_columns(length, dim):
    """Another right answer: every column with the exponent of its hand, the cosine as a sine that is a quarter turn ahead."""
    column = torch.arange(dim, dtype=torch.float64)
    angle = torch.outer(
        torch.arange(length, dtype=torch.float64),
        torch.exp(-(column // 2) * 2 / dim * math.log(10000)),
    )
    return torch.sin(angle + column % 2 * math.pi / 2)


def rows_are_dimensions(length, dim):
    return position_table(length, dim).T


ANSWERS = Answers(
    right=(table_by_loops, table_by_columns),
    wrong={
        own_exponent_per_column: r"exponent of its own.*32 of your 64",
        number_of_the_column: r"sines are right.*\(2r \+ 1\)/dim",
        without_exp: r"exponents themselves.*-0\.29",
        in_halves: r"all 32 sines first",
        cosine_first: r"begins with 1, 0",
        sines_only: r"same sines",
        from_one: r"begins with 0\.84",
        of_degrees: r"0\.017 in its first column",
        slow_too_soon: r"544 positions instead of 47,117",
        as_in_the_program: r"divides by 31",
        ever_faster_table: r"get faster",
        by_the_length: r"by the length, 120",
        twice_the_two: r"turns 0\.56 .* 0\.75 .*already the 2r",
        whole_quotients: r"equally fast",
        over_the_length: r"by the length, 120; divide it by dim, 64",
        product_for_power: r"312\.5 radians",
        times_the_power: r"Divide by it",
        power_of_the_quotient: r"Only 10000 has the exponent",
        powers_of_e: r"powers of e and end at 0\.38",
        with_full_turns: r"2π too many",
        base_1000: r"base is 1000",
        turns_backwards: r"begins with -0\.84",
        angles_only: r"angles themselves, up to 119",
        cosines_only: r"all ones",
        cosines_forgotten: r"all zeros: the cosines",
        scaled_up: r"√64 = 8",
        cosines_negative: r"begins with 0, -1",
        one_pair_late_table: r"0\.75 radians .* begins at 0",
        rows_are_dimensions: r"\[64, 120\]: a row for each column",
    },
)
