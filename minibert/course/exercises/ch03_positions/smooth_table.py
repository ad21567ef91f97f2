"""Exercise `smooth_table`: task, hints, solution and check."""

import math

import torch
import torch.nn.functional as F

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, expect_tensor
from minibert.positions import sinusoidal_table


def smooth_table(length, dim, seed):
    """A random table [length, dim] of rows of length 1: near rows are alike, and far ones are not."""
    # blank from here: draw random numbers with this seed, and make a smooth table of them
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(length + 200, dim, generator=generator, dtype=torch.float64)
    apart = torch.arange(length)[:, None] - torch.arange(-100, length + 100)  # [S, S + 200]
    weight = torch.exp(-((apart / 20.0) ** 2) / 2).double()  # near random rows count most
    return F.normalize(weight @ noise, dim=1)  # [S, H], every row has the length 1


NEAR, FAR, UNRELATED = 0.999, 150, 0.25  # cosine of neighbours; distance; largest cosine there
CASES = ((512, 384, 0), (400, 256, 3))  # length, dim, seed


def alike(table, k):
    """The mean cosine of the rows that are k apart."""
    return float(F.cosine_similarity(table[:-k], table[k:], dim=1).mean())


def check_smooth(answer):
    for length, dim, seed in CASES:
        what = f"The table of {length} rows"
        found = answer(length, dim, seed)
        expect_tensor(found, (length, dim), what)
        found = found.detach().double()
        if not found.isfinite().all():
            raise Mistake(f"{what} contains NaN or infinite numbers.")
        lengths = found.norm(dim=1)
        if lengths.min() < 0.99 or lengths.max() > 1.01:
            raise Mistake(
                f"Your rows are {lengths.min():.2f} to {lengths.max():.2f} long. Divide each row by its length: F.normalize with dim=1."
            )
        if not torch.allclose(found, answer(length, dim, seed).detach().double(), atol=1e-6):
            raise Mistake(
                f"Two calls with the seed {seed} return different tables. Give torch.randn a generator with this seed."
            )
        other = answer(length, dim, seed + 1).detach().double()
        same = float(F.cosine_similarity(found, other, dim=1).mean())
        sines = F.normalize(sinusoidal_table(length, dim).double(), dim=1)  # [S, H]
        if torch.allclose(found, sines, atol=1e-4):
            raise Mistake(
                "This is the sinusoidal table. It is smooth, but one matrix moves all its rows, so it cannot be the control."
            )
        if same > UNRELATED:
            raise Mistake(
                f"The tables of the seeds {seed} and {seed + 1} are the same or nearly so: their rows have the mean cosine {same:.2f}. A control for chance has to be random."
            )
        near = alike(found, 1)
        if near < NEAR:
            raise Mistake(f"Your neighbouring rows have the mean cosine {near:.4f}. {_why(found)}")
        for k in (FAR, 250, length - 10):
            far = alike(found, k)
            if abs(far) > UNRELATED:
                raise Mistake(
                    f"Your rows {k} apart have the mean cosine {far:.2f}. "
                    + (
                        "The table closes to a ring: its last rows are made of the same random rows as its first ones."
                        if k == length - 10
                        else f"They share too much: at {FAR} or more apart, it should be at most {UNRELATED}."
                    )
                )


def _why(table) -> str:
    """The likely reason why neighbouring rows are not alike enough."""
    near = alike(table, 1)
    if alike(table.T, 1) > 0.9:
        return "Your neighbouring columns are alike, so you average along the wrong axis. Average over positions."
    if abs(near) < 0.1:
        return "So they are independent. Make each row of many random rows, most of which its neighbour uses, too."
    first, last = alike(table[:20], 1), alike(table[-20:], 1)
    if last - first > 0.05:
        return f"In the first 20 rows it is {first:.2f}, and in the last 20 {last:.2f}: the rows become more alike along the table, as in a running sum."
    angle = math.degrees(math.acos(near))
    return f"A step turns a row by about {angle:.0f} degrees. Wider averages make it smaller, and so do weights that fade out instead of ending abruptly; {NEAR} is asked for."


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Design the control",
    task="""
            Make a random table in which near rows are alike, and nothing else is built in. It should meet four conditions:

            - Every row has the length 1.
            - Neighbouring rows have a mean cosine of at least $0.999$.
            - Rows 150 or more apart are unrelated: their mean cosine is between −0.25 and 0.25.
            - The same `seed` gives the same table again, and another seed gives an unrelated one.

            Independent random rows, each scaled to the length 1, meet all but the second condition. How can neighbours become alike without making all rows alike?
            """,
    hints=(
        "A row can be an average of many random rows. Neighbours then share most of them, and distant rows share none. In a plain mean of w rows, a step exchanges one row in w, so w would have to be about 1,000, and then rows 150 apart share too much. Let the weights fade out instead.",
        "Draw `length + 200` random rows, so that the first and the last positions have neighbours on both sides, too. `apart = torch.arange(length)[:, None] - torch.arange(-100, length + 100)` says how far each random row is from each position, and `torch.exp(-((apart / 20) ** 2) / 2)` are weights that fade out. Finally give every row the length 1.",
    ),
    paragraph="What MiniLM learned instead",
    solution=smooth_table,
    check=check_smooth,
)
