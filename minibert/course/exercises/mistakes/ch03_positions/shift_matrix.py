"""Wrong answers to `shift_matrix` that its check recognises, each with the feedback for it."""

import math

import torch

from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.mistakes import named
from minibert.positions import sinusoidal_table


def shift_variant(
    name,
    angle=lambda k, j, dim: k * 10000.0 ** (-2 * j / dim),
    turn=lambda a: ((a.cos(), a.sin()), (-a.sin(), a.cos())),
):
    """Returns `shift_matrix` with one of its steps replaced."""

    def answer(offset, dim):
        angles = angle(offset, torch.arange(dim // 2).double(), dim)
        matrix = torch.zeros(dim // 2, 2, dim // 2, 2, dtype=torch.float64)
        hand = torch.arange(dim // 2)
        for row, entries in enumerate(turn(angles)):
            for column, entry in enumerate(entries):
                matrix[hand, row, hand, column] = entry
        return matrix.reshape(dim, dim)

    return named(name, answer)


turns_back = shift_variant("turns_back", turn=lambda a: ((a.cos(), -a.sin()), (a.sin(), a.cos())))


one_step = shift_variant("one_step", angle=lambda k, j, dim: 10000.0 ** (-2 * j / dim))


one_frequency = shift_variant("one_frequency", angle=lambda k, j, dim: k + 0 * j)


both_signs = shift_variant("both_signs", turn=lambda a: ((a.cos(), a.sin()), (a.sin(), a.cos())))


half_the_exponent = shift_variant(
    "half_the_exponent", angle=lambda k, j, dim: k * 10000.0 ** (-j / dim)
)


without_mixing = shift_variant(
    "without_mixing", turn=lambda a: ((a.cos(), 0 * a), (0 * a, a.cos()))
)


swapped_functions = shift_variant(
    "swapped_functions", turn=lambda a: ((a.sin(), a.cos()), (-a.cos(), a.sin()))
)


swapped_on_the_diagonal = shift_variant(
    "swapped_on_the_diagonal", turn=lambda a: ((a.sin(), a.cos()), (a.cos(), -a.sin()))
)


doubled_exponent = shift_variant(
    "doubled_exponent", angle=lambda k, j, dim: k * 10000.0 ** (-4 * j / dim)
)


multiplied = shift_variant("multiplied", angle=lambda k, j, dim: k * 10000.0 ** (2 * j / dim))


in_degrees_turn = shift_variant(
    "in_degrees_turn", angle=lambda k, j, dim: math.radians(k) * 10000.0 ** (-2 * j / dim)
)


def one_too_far(offset, dim):
    return shift_matrix(offset + 1, dim)


def for_position_ten(offset, dim):
    table = sinusoidal_table(60, dim).double()
    return torch.outer(table[10 + offset], table[10]) / (dim / 2)


def no_turn(offset, dim):
    return torch.eye(dim, dtype=torch.float64)


def turns_in_halves(offset, dim):
    order = torch.cat((torch.arange(0, dim, 2), torch.arange(1, dim, 2)))
    return shift_matrix(offset, dim)[order][:, order]


SHIFT_MISTAKES = (
    (
        turns_back,
        "{given} and hits p({back}): it turns the other way. The new sine is sin a cos θ + cos a sin θ, so its sine has a plus.",
    ),
    (
        one_step,
        "{given} and hits p(11): it moves by one position whatever k is. The angle of each hand is k times its frequency.",
    ),
    (
        one_frequency,
        "{given}: all {hands} hands turn by {k} radians, but hand r turns by {k}/10000^(2r/{dim}).",
    ),
    (
        both_signs,
        "{given}: both of your sines have a plus, which mirrors and does not turn. In cos(a + θ) = cos a cos θ - sin a sin θ one is negative.",
    ),
    (
        half_the_exponent,
        "{given}: your hand 1 turns by {slow:.2f}, where {turn:.2f} is right; the exponent is 2r/{dim}.",
    ),
    (
        without_mixing,
        "{given}: you shrink sine and cosine by cos θ, but never mix them. Each new number needs both old ones.",
    ),
    (
        swapped_functions,
        "{given}: cosine and sine have changed places. For k = 0 nothing may move: cos 0 = 1 belongs on the diagonal.",
    ),
    (
        swapped_on_the_diagonal,
        "{given}: your sines are on the diagonal. The old sine enters the new sine with cos θ, so the cosines belong there.",
    ),
    (
        turns_in_halves,
        "{given}: your matrix is made for a table with all sines first. Here sine and cosine of a hand stand side by side.",
    ),
    (no_turn, "{given}: your matrix changes nothing (1 on the diagonal, 0 elsewhere)."),
    (
        doubled_exponent,
        "{given}: your hand 1 turns by {fast:.2f}, where {turn:.2f} is right; "
        "`even` is already 2r and must not be doubled.",
    ),
    (multiplied, "{given}: your hands get faster. Divide k by the power of 10000."),
    (
        in_degrees_turn,
        "{given}: your angles are turned from degrees to radians, but the formula gives radians already.",
    ),
    (one_too_far, "{given} and hits p({further}): one position too far."),
    (
        for_position_ten,
        "{given}, but your matrix contains the position 10, and for p(11) it is wrong. One matrix serves every position.",
    ),
)


KNOWN = SHIFT_MISTAKES
