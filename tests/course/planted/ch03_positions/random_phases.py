"""Answers to `random_phases` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch03_positions.random_phases import random_phases
from planted import Answers


def drawn(shape, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(shape, generator=generator, dtype=torch.float64)


def turned(table, turns):
    """The table with its waves turned by these shares of a whole turn."""
    waves = torch.fft.rfft(table, dim=0)
    turn = (2 * math.pi * turns).broadcast_to(waves.shape)
    return torch.fft.irfft(waves * torch.polar(torch.ones_like(turn), turn), n=len(table), dim=0)


def shape_of(table):
    return (len(table) // 2 + 1, table.size(1))


def added_to_the_old(table, seed):
    """Another right answer: each old phase plus a random angle."""
    return turned(table, drawn(shape_of(table), seed))


def phases_of_noise(table, seed):
    """Another right answer: the phases of independent random numbers."""
    generator = torch.Generator().manual_seed(seed)
    noise = torch.fft.rfft(torch.randn(table.shape, generator=generator), dim=0)
    strength = torch.fft.rfft(table, dim=0).abs()
    return torch.fft.irfft(strength * noise / noise.abs(), n=len(table), dim=0)


def wave_by_wave(table, seed):
    """Another right answer: cosines of the right strength, added up one by one."""
    waves, turn = torch.fft.rfft(table, dim=0), 2 * math.pi * drawn(shape_of(table), seed)
    i, total = torch.arange(len(table), dtype=torch.float64)[:, None], torch.zeros_like(table)
    for k in range(len(waves)):
        twice = 1 if k == 0 or 2 * k == len(table) else 2
        wave = torch.cos(2 * math.pi * k * i / len(table) + turn[k])  # [S, H]
        total += twice * waves[k].abs() * wave / len(table)
    return total


def the_same_table(table, seed):
    return table.clone()


def shuffled_rows(table, seed):
    return table[torch.randperm(len(table), generator=torch.Generator().manual_seed(seed))]


def new_strengths(table, seed):
    return torch.fft.irfft(
        torch.fft.rfft(random_phases(table, seed).roll(1, dims=1), dim=0), n=len(table), dim=0
    )


def one_draw_for_all_columns(table, seed):
    return turned(table, drawn((shape_of(table)[0], 1), seed))


def moved_along(table, seed):
    by = (drawn((table.size(1),), seed) * len(table)).long().tolist()
    return torch.stack([table[:, h].roll(by[h]) for h in range(table.size(1))], dim=1)


def one_draw_for_all_waves(table, seed):
    return turned(table, drawn((1, table.size(1)), seed))


def half_a_turn(table, seed):
    return turned(table, drawn(shape_of(table), seed) / 2)


def two_pi_forgotten(table, seed):
    return turned(table, drawn(shape_of(table), seed) / (2 * math.pi))


def signs_only(table, seed):
    return turned(table, drawn(shape_of(table), seed).round() / 2)


def odd_length_forgotten(table, seed):
    waves = torch.fft.rfft(random_phases(table, seed), dim=0)
    return torch.fft.irfft(waves, dim=0)


def waves_not_added_up(table, seed):
    return torch.fft.rfft(random_phases(table, seed), dim=0)


def complex_table(table, seed):
    return torch.fft.ifft(torch.fft.fft(random_phases(table, seed), dim=0), dim=0)


def without_the_seed(table, seed):
    return random_phases(table, int(torch.randint(1000, (1,))))


def always_seed_zero(table, seed):
    return random_phases(table, 0)


def in_place(table, seed):
    return table.copy_(random_phases(table, seed))


def divided_by_zero(table, seed):
    return random_phases(table, seed) / 0


ANSWERS = Answers(
    right=(added_to_the_old, phases_of_noise, wave_by_wave),
    wrong={
        the_same_table: r"Every phase is what it was",
        shuffled_rows: r"0\.02 to 28\.\d+ times as strong as before",
        new_strengths: r"0\.03 to 42\.\d+ times as strong",
        one_draw_for_all_columns: r"the movement survives",
        moved_along: r"phases of neighbouring waves",
        one_draw_for_all_waves: r"All waves of a column",
        half_a_turn: r"length 0\.[67]\d, .*between 0 and 2π",
        two_pi_forgotten: r"length 0\.9\d, .*between 0 and 2π",
        signs_only: r"by half a turn",
        odd_length_forgotten: r"n=len\(table\)",
        waves_not_added_up: r"shape \[511, 10\]",
        complex_table: r"is complex",
        without_the_seed: r"Two calls with the seed 0",
        always_seed_zero: r"seeds 0 and 1 give the same",
        in_place: r"which it was given, in place",
        divided_by_zero: r"NaN or infinite",
    },
)
