"""Answers to `smooth_table` on which its check is tried."""

import math

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch03_positions.smooth_table import smooth_table
from minibert.positions import sinusoidal_table
from planted import Answers


def drawn(rows, dim, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, dim, generator=generator)


def mean_of_means(length, dim, seed):
    """Another right answer: the plain mean of 40 rows, taken four times."""
    rows = drawn(length + 4 * 39, dim, seed)
    for _ in range(4):
        rows = rows.unfold(0, 40, 1).mean(dim=-1)
    return F.normalize(rows, dim=1)


def random_hands(length, dim, seed):
    """Another right answer: many slow waves of random wavelengths and directions."""
    generator = torch.Generator().manual_seed(seed)
    turn = torch.randn(2000, generator=generator) / 25
    start = torch.rand(2000, generator=generator) * 2 * math.pi
    waves = torch.cos(torch.arange(length)[:, None] * turn + start)  # [S, 2000]
    return F.normalize(waves @ torch.randn(2000, dim, generator=generator), dim=1)


def on_lines(length, dim, seed):
    """Another right answer: straight lines between random points that are 60 positions apart."""
    points = F.normalize(drawn(length // 60 + 2, dim, seed), dim=1)
    i = torch.arange(length)
    share = (i % 60 / 60)[:, None]
    return F.normalize(points[i // 60] * (1 - share) + points[i // 60 + 1] * share, dim=1)


def independent(length, dim, seed):
    return F.normalize(drawn(length, dim, seed), dim=1)


def running_sum(length, dim, seed):
    return F.normalize(drawn(length, dim, seed).cumsum(dim=0), dim=1)


def plain_mean(length, dim, seed):
    return F.normalize(drawn(length + 39, dim, seed).unfold(0, 40, 1).mean(dim=-1), dim=1)


def very_long_mean(length, dim, seed):
    return F.normalize(drawn(length + 1999, dim, seed).unfold(0, 2000, 1).mean(dim=-1), dim=1)


def one_row_in_all(length, dim, seed):
    return F.normalize(drawn(1, dim, seed) + 0.01 * drawn(length, dim, seed + 7), dim=1)


def steps(length, dim, seed):
    return independent(length // 40 + 1, dim, seed).repeat_interleave(40, dim=0)[:length]


def along_the_columns(length, dim, seed):
    return F.normalize(smooth_table(dim, length, seed).T, dim=1)


def not_normalised(length, dim, seed):
    return smooth_table(length, dim, seed) * 3


def sines(length, dim, seed):
    return sinusoidal_table(length, dim) / math.sqrt(dim / 2)


def without_the_seed(length, dim, seed):
    return smooth_table(length, dim, int(torch.randint(1000, (1,))))


def always_seed_zero(length, dim, seed):
    return smooth_table(length, dim, 0)


def ring(length, dim, seed):
    apart = (torch.arange(length)[:, None] - torch.arange(length)).abs()
    apart = torch.minimum(apart, length - apart)
    return F.normalize(torch.exp(-((apart / 20) ** 2) / 2) @ drawn(length, dim, seed), dim=1)


def too_few_rows(length, dim, seed):
    return smooth_table(length, dim, seed)[:-1]


def divided_by_zero(length, dim, seed):
    return smooth_table(length, dim, seed) / 0


ANSWERS = Answers(
    right=(mean_of_means, random_hands, on_lines),
    wrong={
        independent: r"independent",
        running_sum: r"running sum",
        plain_mean: r"mean cosine 0\.97\d\d\. A step turns a row by about 13 degrees",
        very_long_mean: r"cosine 0\.92\. They share too much",
        one_row_in_all: r"cosine 1\.00\. They share too much",
        steps: r"A step turns",
        along_the_columns: r"wrong axis",
        not_normalised: r"3\.00 to 3\.00 long",
        sines: r"is the sinusoidal table",
        without_the_seed: r"Two calls with the seed 0",
        always_seed_zero: r"seeds 0 and 1 are the same",
        ring: r"closes to a ring",
        too_few_rows: r"shape \[512, 384\]",
        divided_by_zero: r"NaN or infinite",
    },
)
