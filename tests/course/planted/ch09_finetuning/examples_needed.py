"""Answers to `examples_needed` on which its check is tried."""

import math

import torch

from planted import Answers, named


def needed_by_standard_error(one, other, z=2.0):
    n = 1
    while abs(one - other) < z * math.sqrt((one * (1 - one) + other * (1 - other)) / n):
        n += 1
    return n


def needed_by_bernoulli(one, other, z=2.0):
    both = torch.tensor([one, other], dtype=torch.float64)
    return int(
        torch.ceil(torch.distributions.Bernoulli(both).variance.sum() * (z / both.diff()) ** 2)
    )


def _needed(formula):
    return lambda one, other, z=2.0: math.ceil(
        formula(one * (1 - one), other * (1 - other), abs(one - other), z)
    )


needed_z = named("needed_z", _needed(lambda p, q, gap, z: z * (p + q) / gap**2))


needed_gap = named("needed_gap", _needed(lambda p, q, gap, z: z**2 * (p + q) / gap))


needed_first_only = named("needed_first_only", _needed(lambda p, q, gap, z: z**2 * p / gap**2))


needed_second_only = named("needed_second_only", _needed(lambda p, q, gap, z: z**2 * q / gap**2))


needed_deviations = named(
    "needed_deviations",
    _needed(lambda p, q, gap, z: z**2 * (math.sqrt(p) + math.sqrt(q)) ** 2 / gap**2),
)


needed_mean = named("needed_mean", _needed(lambda p, q, gap, z: z**2 * (p + q) / 2 / gap**2))


needed_without_z = named("needed_without_z", _needed(lambda p, q, gap, z: (p + q) / gap**2))


needed_cancelled = named(
    "needed_cancelled", _needed(lambda p, q, gap, z: z**2 * abs(p - q) / gap**2)
)


needed_root = named("needed_root", _needed(lambda p, q, gap, z: z * math.sqrt(p + q) / gap))


needed_down = named(
    "needed_down",
    lambda one, other, z=2.0: int(
        z**2 * (one * (1 - one) + other * (1 - other)) / (one - other) ** 2
    ),
)


needed_fraction = named(
    "needed_fraction",
    lambda one, other, z=2.0: z**2 * (one * (1 - one) + other * (1 - other)) / (one - other) ** 2,
)


needed_pooled = named(
    "needed_pooled",
    lambda one, other, z=2.0: math.ceil(
        z**2 * (one + other) * (1 - (one + other) / 2) / (one - other) ** 2
    ),
)


needed_two = named("needed_two", _needed(lambda p, q, gap, z: 4 * (p + q) / gap**2))


needed_p = named(
    "needed_p", lambda one, other, z=2.0: math.ceil(z**2 * (one + other) / (one - other) ** 2)
)


needed_one_more = named("needed_one_more", lambda one, other, z=2.0: needed_down(one, other, z) + 1)


ANSWERS = Answers(
    right=(needed_by_standard_error, needed_by_bernoulli),
    wrong={
        needed_z: "z squared",
        needed_gap: "\\*four\\* times",
        needed_first_only: "first accuracy only",
        needed_second_only: "second accuracy only",
        needed_deviations: "adds up standard deviations",
        needed_mean: "mean of the two variances",
        needed_without_z: "one standard error",
        needed_cancelled: "does not cancel",
        needed_root: "the root of what is wanted",
        needed_down: "rounded down",
        needed_fraction: "there are none: round up",
        needed_p: "p where the variance",
        needed_pooled: "takes both accuracies for one",
        needed_two: "has 2 for z",
        needed_one_more: "Your 5 is one too many",
    },
)
