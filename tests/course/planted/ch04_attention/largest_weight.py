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


def some_keys(count, d, divisor):
    query, key = torch.randn(1000, 1, d), torch.randn(1000, count, d)
    return ((query * key).sum(dim=-1) / divisor).softmax(dim=-1).amax(dim=-1)


def seven_keys(d, divisor):
    return some_keys(7, d, divisor).mean()


def nine_keys(d, divisor):
    return some_keys(9, d, divisor).mean()


def the_median(d, divisor):
    return some_keys(8, d, divisor).median()


def shared_keys(d, divisor):
    """The same eight keys for all queries."""
    scores = torch.randn(1000, d) @ torch.randn(8, d).T / divisor
    return scores.softmax(dim=-1).amax(dim=-1).mean()


ANSWERS = Answers(
    right=(by_sums, one_by_one),
    wrong=patterns(KNOWN)
    | {
        all_of_them: r"Return one number",
        not_finite: r"Return a finite number",
        seven_keys: r"you find 0\.38\d on average.*are there eight keys",
        nine_keys: r"you find 0\.33\d on average.*are there eight keys",
        the_median: r"you find 0\.3[23]\d on average.*not the median",
        shared_keys: r"eight keys of its own",
        eighty_keys: r"For D = 16 and a divisor of 1\.0 you find",
    },
)
