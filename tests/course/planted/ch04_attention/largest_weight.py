"""Answers to `largest_weight` on which its check is tried."""

import torch

from minibert.course.exercises.mistakes.ch04_attention.largest_weight import KNOWN
from planted import Answers, patterns


def by_sums(d, divisor):
    """Another right answer: products and sums, and no matrix product."""
    query, key = torch.randn(1000, 1, d), torch.randn(1000, 8, d)
    return ((query * key).sum(dim=-1) / divisor).softmax(dim=-1).max(dim=-1).values.mean()


def one_by_one(d, divisor):
    """Another right answer: a loop over the queries."""
    largest = [
        torch.softmax(torch.randn(8, d) @ torch.randn(d) / divisor, dim=0).max().item()
        for _ in range(1000)
    ]
    return sum(largest) / 1000


def all_of_them(d, divisor):
    return torch.randn(1000, 8).softmax(dim=-1).amax(dim=-1)


def not_finite(d, divisor):
    return float("nan")


def eighty_keys(d, divisor):
    query, key = torch.randn(1000, 1, d), torch.randn(1000, 80, d)
    return ((query * key).sum(dim=-1) / divisor).softmax(dim=-1).amax(dim=-1).mean()


ANSWERS = Answers(
    right=(by_sums, one_by_one),
    wrong=patterns(KNOWN)
    | {
        all_of_them: r"Return one number",
        not_finite: r"Return a finite number",
        eighty_keys: r"For d = 16 and a divisor of 1\.0 you find",
    },
)
