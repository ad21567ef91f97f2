"""Exercise `random_phases`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw, expect_tensor


def random_phases(table, seed):
    """The waves of every column, each with a random phase: [S, H]."""
    waves = torch.fft.rfft(table, dim=0)  # [S // 2 + 1, H], complex
    # blank from here: new phases, the old strengths, and their sum
    generator = torch.Generator().manual_seed(seed)
    phase = 2 * math.pi * torch.rand(waves.shape, generator=generator, dtype=table.dtype)
    drawn = torch.polar(waves.abs(), phase)  # the old sizes with new angles
    return torch.fft.irfft(drawn, n=len(table), dim=0)  # [S, H]


CASES = ((511, 10, 0), (400, 6, 3))  # length, dim, seed
CHANCE = 0.35  # above every mean direction of independent phases that these lengths give


def check_phases(answer):
    for length, dim, seed in CASES:
        what = f"The table of {length} rows"
        table = draw(length, dim, seed=7)  # [S, H]
        found = answer(table, seed)
        expect_real(found, length, dim, what)
        found = found.detach().double()
        if not torch.allclose(found, answer(table, seed).detach().double(), atol=1e-6):
            raise Mistake(
                f"Two calls with the seed {seed} return different tables. Give torch.rand a generator with this seed."
            )
        # Wave 0 is the mean of the column, and with an even length the last wave has no phase.
        old, new = (
            torch.fft.rfft(part, dim=0)[1 : (length + 1) // 2] for part in (table, found)
        )  # each [waves, H], complex
        change = new / old  # [waves, H]: its size should be 1, and its angle random
        kept_strength(change)
        check_directions(change / change.abs())
        other = torch.fft.rfft(answer(table, seed + 1).detach().double(), dim=0)[1 : len(new) + 1]
        if mean_direction(other / new) > CHANCE:
            raise Mistake(
                f"The seeds {seed} and {seed + 1} give the same phases, or nearly so. A control for chance has to be random."
            )


def expect_real(found, length, dim, what):
    """Raises Mistake unless `found` is a real table [S, H]."""
    if getattr(found, "shape", None) == (length - 1, dim):
        raise Mistake(
            f"{what} comes back with {length - 1}. irfft returns an even number of rows unless it is told: n=len(table)."
        )
    expect_tensor(found, (length, dim), what)
    if found.is_complex():
        raise Mistake(
            f"{what} is complex. Use torch.fft.irfft, which adds up the waves to real numbers."
        )
    if not found.isfinite().all():
        raise Mistake(f"{what} contains NaN or infinite numbers.")


def kept_strength(change):
    """Raises Mistake unless all waves are as strong as before. change [waves, H], complex."""
    size = change.abs()
    if (size - 1).abs().max() > 1e-3:
        raise Mistake(
            f"A wave of your table is {size.min():.2f} to {size.max():.2f} times as strong as before. Change the angles only: each size, waves.abs(), has to stay."
        )


def mean_direction(change) -> float:
    """The length of the mean of unit complex numbers over the waves, at most: 1 if all are the same."""
    return float((change / change.abs()).mean(dim=0).abs().max())


def check_directions(change):
    """Raises Mistake unless the changes of phase are independent. change [waves, H], of size 1."""
    if (change - 1).abs().max() < 1e-3:
        raise Mistake("Every phase is what it was, so this is the table that you were given.")
    if mean_direction(change[1:] * change[:-1].conj()) > CHANCE and mean_direction(change) > 0.99:
        raise Mistake(
            "All waves of a column get the same change of phase. Draw a phase for each wave of each column."
        )
    if mean_direction(change) > CHANCE:
        raise Mistake(
            f"Your changes of phase are not spread over the whole turn: drawn as arrows of length 1, they have a mean of length {mean_direction(change):.2f}, which should be near 0. Draw them uniformly between 0 and 2π radians."
        )
    if mean_direction(change[1:] * change[:-1].conj()) > CHANCE:
        raise Mistake(
            "In a column, the phases of neighbouring waves change together, as when the column is moved along. Draw a phase for each wave of each column."
        )
    if mean_direction(change * change.roll(1, dims=1).conj()) > CHANCE:
        raise Mistake(
            "Your columns share their changes of phase. A sine and a cosine that belong together then stay a quarter of a turn apart, and the movement survives. Draw a phase for each column."
        )
    if mean_direction(change**2) > CHANCE:
        raise Mistake(
            "Your waves keep their phase or change it by half a turn, so a sine and a cosine stay a quarter of a turn apart. Draw from the whole turn."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Is it only smoothness?",
    task="""
            Every column of numbers is a sum of waves. `waves = torch.fft.rfft(table, dim=0)` finds them: one complex number for each wave (row) of each column. Its size is the strength of the wave, and its angle, the *phase*, says where the wave starts. `torch.fft.irfft(waves, n=len(table), dim=0)` adds the waves up again.

            Make a random table for the control:

            - In every column, every wave is as strong as in `table`, so the column is as smooth. (Its mean may change.)
            - The columns have nothing to do with each other, nor have the waves of a column.
            - The same `seed` gives the same table again, and another seed gives another one.

            Which numbers do you draw, and how many?
            """,
    hints=(
        "Smoothness depends on the strengths of the waves only, so you can choose where each wave starts. Let it start at a random point of its turn, drawn anew for each wave of each column. If two columns share what is drawn, they still belong together.",
        "`waves.abs()` are the strengths. Draw as many angles as `waves` has numbers, uniformly between 0 and 2π, with a `torch.Generator` that has the seed. `torch.polar(size, angle)` makes complex numbers of both, which need the same dtype.",
    ),
    paragraph="What MiniLM learned instead",
    solution=random_phases,
    check=check_phases,
)
