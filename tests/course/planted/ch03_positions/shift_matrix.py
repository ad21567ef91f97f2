"""Answers to `shift_matrix` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.mistakes.ch03_positions.shift_matrix import (
    both_signs,
    doubled_exponent,
    for_position_ten,
    half_the_exponent,
    in_degrees_turn,
    multiplied,
    no_turn,
    one_frequency,
    one_step,
    one_too_far,
    shift_variant,
    swapped_functions,
    swapped_on_the_diagonal,
    turns_back,
    turns_in_halves,
    without_mixing,
)
from planted import Answers


def shift_by_blocks(offset, dim):
    """Another right answer: a 2 × 2 turn for each hand, along the diagonal."""
    angles = [offset / 10000 ** (2 * j / dim) for j in range(dim // 2)]
    return torch.block_diag(
        *(torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angles)
    )


def shift_by_complex_numbers(offset, dim):
    """Another right answer: cosine + i sine is multiplied by e^(i angle)."""
    angle = offset * 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    basis = torch.eye(dim, dtype=torch.float64).unflatten(
        1, (-1, 2)
    )  # [H, H/2, 2], sine and cosine of H test vectors
    turned = torch.complex(basis[..., 1], basis[..., 0]) * torch.polar(
        torch.ones_like(angle), angle
    )
    return torch.stack((turned.imag, turned.real), dim=-1).flatten(1).T


def shift_by_repeating(offset, dim):
    """Another right answer: one step, taken `offset` times (or back)."""
    return torch.linalg.matrix_power(shift_by_blocks(1, dim).double(), offset)


def shift_by_exponential(offset, dim):
    """Another right answer: the exponential of a speed, in float32."""
    speeds = [10000 ** (-2 * j / dim) for j in range(dim // 2)]
    return torch.matrix_exp(
        offset
        * torch.block_diag(*(torch.tensor([[0.0, speed], [-speed, 0.0]]) for speed in speeds))
    )


another_base = shift_variant("another_base", angle=lambda k, j, dim: k * 1000.0 ** (-2 * j / dim))


sine_of_wrong_sign = shift_variant(
    "sine_of_wrong_sign", turn=lambda a: ((a.cos(), -a.sin()), (-a.sin(), a.cos()))
)


second_cosine_negative = shift_variant(
    "second_cosine_negative", turn=lambda a: ((a.cos(), a.sin()), (-a.sin(), -a.cos()))
)


sine_everywhere = shift_variant(
    "sine_everywhere", turn=lambda a: ((a.sin(), a.sin()), (-a.sin(), a.sin()))
)


def ignores_the_sign(offset, dim):
    return shift_matrix(abs(offset), dim)


def mixes_pairs(offset, dim):
    return shift_matrix(offset, dim).roll(1, dims=0).roll(3, dims=1)


ANSWERS = Answers(
    right=(shift_by_blocks, shift_by_complex_numbers, shift_by_repeating, shift_by_exponential),
    wrong={
        turns_back: r"hits p\(7\): it turns the other way",
        one_step: r"hits p\(11\)",
        one_frequency: r"all 4 hands turn by 3 radians",
        both_signs: r"mirrors",
        half_the_exponent: r"turns by 0\.95, where 0\.30",
        without_mixing: r"never mix",
        swapped_functions: r"changed places",
        swapped_on_the_diagonal: r"sines are on the diagonal",
        turns_in_halves: r"all sines first",
        no_turn: r"changes nothing",
        doubled_exponent: r"turns by 0\.03, where 0\.30 .* already 2r",
        multiplied: r"get faster",
        in_degrees_turn: r"from degrees",
        sine_of_wrong_sign: r"weight of the old cosine in the new sine: -0\.30 where 0\.30 is right, for hand 1\.",
        second_cosine_negative: r"weight of the old cosine in the new cosine: -1",
        sine_everywhere: r"new sine: 0\.14 where -0\.99 .*; and of the old cosine in the new cosine",
        ignores_the_sign: r"R\(-2\).*hits p\(12\): a negative k",
        one_too_far: r"hits p\(14\): one position too far",
        for_position_ten: r"contains the position 10",
        another_base: r"your hand 1 turns by 0\.53 radians .* 0\.30",
        mixes_pairs: r"1\.00 in column 2, which belongs to another hand",
    },
)
