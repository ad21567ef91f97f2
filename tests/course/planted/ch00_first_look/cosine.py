"""Answers to `cosine` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch00_first_look.common import cosine
from minibert.course.exercises.mistakes.ch00_first_look.cosine import (
    angle,
    brackets_missing,
    centred,
    distance,
    divided_by_squares,
    divided_by_sum,
    divided_by_taxicab,
    divided_once,
    dot_only,
    first_squared,
    halved,
    largest_length,
    length_of_everything,
    mean_product,
    multiplied,
    never_below_zero,
    second_length_only,
    second_squared,
    squared,
    squares_without_brackets,
    unsigned,
)
from planted import Answers


def cosine_of_units(one, other):
    """Another right answer: both made as long as 1 first."""
    return (F.normalize(one, dim=-1) * F.normalize(other, dim=-1)).sum(-1)


def cosine_by_einsum(one, other):
    """Another right answer: sums of squares, and one root."""
    squares = one.square().sum(-1) * other.square().sum(-1)
    return torch.einsum("...h,...h->...", one, other) / squares.sqrt()


def along_dim_1(one, other):
    return (one * other).sum(dim=1) / (one.norm(dim=1) * other.norm(dim=1))


def sum_of_everything(one, other):
    return (one * other).sum() / (one.norm() * other.norm())


def every_pair(one, other):
    return one @ other.T / (one.norm(dim=-1)[:, None] * other.norm(dim=-1))


def ready_made(one, other):
    return F.cosine_similarity(one, other, dim=-1)


def by_matrix_product(one, other):
    return one @ other / (one.norm(dim=-1) * other.norm(dim=-1))


def in_single_precision_too(one, other):
    return cosine(one.float(), other.float()).to(one.dtype)


ANSWERS = Answers(
    right=(cosine_of_units, cosine_by_einsum),
    wrong={
        dot_only: r"dot product alone, -?\d",
        divided_once: r"first vector only",
        divided_by_squares: r"squared lengths",
        divided_by_sum: r"sum of the two lengths",
        divided_by_taxicab: r"sums of absolute values",
        mean_product: r"mean of the products",
        unsigned: r"sign is lost",
        distance: r"1 minus the cosine",
        centred: r"mean away first",
        length_of_everything: r"whole batch",
        second_length_only: r"second vector only",
        brackets_missing: r"in brackets",
        squares_without_brackets: r"multiply by the second: .*take the root of each",
        first_squared: r"first length is a sum of squares",
        second_squared: r"second length is a sum of squares",
        multiplied: r"multiply by both lengths",
        sum_of_everything: r"one number for the whole batch",
        angle: r"in radians",
        along_dim_1: r"not for two single vectors",
        every_pair: r"every vector with every other",
        halved: r"moved and halved",
        squared: r"square the cosine",
        never_below_zero: r"cut off what is below 0",
        largest_length: r"largest lengths",
        in_single_precision_too: r"digits only",
        ready_made: r"torch's own cosine",
        by_matrix_product: r"is a matrix product",
    },
)
