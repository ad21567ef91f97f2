"""Exercise `steps_between`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw
from minibert.positions import sinusoidal_table


def steps_between(first, second, reach=500, base=10000.0):
    """The whole number k, at most `reach`, from two noisy position vectors p(i) and p(i + k)."""
    hands = torch.stack((first, second)).double().unflatten(1, (-1, 2))  # [2, H/2, 2]
    angle = torch.atan2(hands[..., 0], hands[..., 1])  # [2, H/2], up to whole turns
    turn = angle[1] - angle[0]  # [H/2], how far each hand has turned
    frequency = base ** (-torch.arange(0, len(first), 2).double() / len(first))  # [H/2]
    steps = torch.arange(-reach, reach + 1)  # [K], every k that is possible
    expected = steps[:, None] * frequency  # blank: [K, H/2], how far each hand turns in k steps
    agreement = torch.cos(turn - expected).sum(dim=1)  # blank: [K], large where all hands agree
    return int(steps[agreement.argmax()])


DIM, NOISE = 64, 0.1
CASES = ((10, 3), (400, -7), (20, 250), (100, 45), (470, -450), (60, 0))  # i and k


def vectors(case):
    """The two noisy vectors [H] of a case; the noise depends on the case only."""
    start, k = case
    table = sinusoidal_table(512, DIM).double()  # [S, H]
    noise = NOISE * draw(2, DIM, seed=start)  # [2, H]
    return table[start] + noise[0], table[start + k] + noise[1]


def check_steps(answer):
    found = []
    for case in CASES:
        k = answer(*vectors(case))
        if isinstance(k, torch.Tensor):
            k = k.item() if k.numel() == 1 else k
        if not isinstance(k, (int, float)) or k != int(k):
            raise Mistake(f"From p({case[0]}) to p({sum(case)}) you return {k!r}, not a whole number.")  # fmt: skip
        found.append(int(k))
    right = [k for _, k in CASES]
    if found != right:
        wrong = next(n for n, k in enumerate(right) if found[n] != k)
        start, k = CASES[wrong]
        given = f"From p({start}) to p({start + k}) you find {found[wrong]} steps, not {k}"
        for mistake, sentence in known(steps_between):
            if [int(mistake(*vectors(case))) for case in CASES] == found:
                raise Mistake(f"{given}: {sentence}")
        raise Mistake(f"{given}. Compare the turn of every hand with k times its frequency.")
    table = sinusoidal_table(900, 16)  # [S, H]
    for k in (40, 800):
        reach = k + 50
        if (far := int(answer(table[50], table[50 + k], reach=reach))) != k:
            raise Mistake(
                f"With reach={reach}, p(50) and p({50 + k}) are {k} steps apart; you find {far}."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="How far apart are two vectors?",
    task="""
            You are given two rows of a sinusoidal table, $p_i$ and $p_{i+k}$, with a little noise on both, and you do not know $i$. Find $k$, which may be negative.
            The first lines do the reading: `unflatten` splits each vector into its hands, `atan2` gives the angle of a hand from its sine and cosine, and `turn` is how far each hand has turned from the first vector to the second, up to whole turns. Write the two lines that give every candidate $k$ a score, which is largest for the $k$ on which all hands agree. An example, with k from -18 to 18: a fast hand of wavelength 6 has turned by half a turn,
            so k is 3, 9, 15 or -3, -9, -15; a slow hand of wavelength 36 has turned by about a quarter, so k is near 9. Both agree on 9.
            """,
    hints=(
        "In k steps, hand j turns by k times its frequency. `steps[:, None]` is a column [K, 1] and `frequency` a row [H/2], so their product holds every k with every hand.",
        "A turn is known only up to whole turns: a difference of 0 and one of 2π both mean that a hand agrees. So apply to `turn - expected` a function that has the period 2π and is largest at 0, and sum over the hands (dim=1).",
    ),
    paragraph="Why a sine and a cosine for each frequency?",
    solution=steps_between,
    check=check_steps,
)
