"""Exercise `steps_between`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw
from minibert.positions import sinusoidal_table


def steps_between(first, second, frequency, reach=500):
    """The whole number k, from -reach to reach, from two noisy position vectors p(i) and p(i + k)."""
    hands = torch.stack((first, second)).double().unflatten(1, (-1, 2))  # [2, H/2, 2]
    angle = torch.atan2(hands[..., 0], hands[..., 1])  # [2, H/2], up to whole turns
    turn = angle[1] - angle[0]  # [H/2], how far each hand has turned
    steps = torch.arange(-reach, reach + 1)  # [K], every k that is possible
    # blank from here: score every candidate by how well the hands agree on it; return the best
    expected = steps[:, None] * frequency  # [K, H/2], how far each hand turns in k steps
    agreement = torch.cos(turn - expected).sum(dim=1)  # [K], large where all hands agree
    return int(steps[agreement.argmax()])


DIM, NOISE = 64, 0.1
CASES = ((10, 3), (400, -7), (20, 250), (100, 45), (470, -450), (60, 0))  # i and k


def frequencies(dim):
    """The frequencies of equation 3.1: [H/2]."""
    return 10000.0 ** (-torch.arange(0, dim, 2).double() / dim)


def given(case):
    """The arguments of a case: two noisy vectors [H] and the frequencies [H/2].

    The noise depends on the case only.
    """
    start, k = case
    table = sinusoidal_table(512, DIM).double()  # [S, H]
    noise = NOISE * draw(2, DIM, seed=start)  # [2, H]
    return table[start] + noise[0], table[start + k] + noise[1], frequencies(DIM)


def check_steps(answer):
    found = []
    for case in CASES:
        k = answer(*given(case))
        if isinstance(k, torch.Tensor):
            k = k.item() if k.numel() == 1 else k
        if not isinstance(k, (int, float)) or k != int(k):
            raise Mistake(f"From p({case[0]}) to p({sum(case)}) you return {k!r}, not a whole number.")  # fmt: skip
        found.append(int(k))
    right = [k for _, k in CASES]
    if found != right:
        wrong = next(n for n, k in enumerate(right) if found[n] != k)
        start, k = CASES[wrong]
        found_instead = f"From p({start}) to p({start + k}) you find {found[wrong]} steps, not {k}"
        for mistake, sentence in known(steps_between):
            if [int(mistake(*given(case))) for case in CASES] == found:
                raise Mistake(f"{found_instead}: {sentence}")
        raise Mistake(
            f"{found_instead}. Compare the turn of every hand with k times its frequency."
        )
    table = sinusoidal_table(900, 16)  # [S, H]
    for k in (40, 800):
        reach = k + 50
        if (far := int(answer(table[50], table[50 + k], frequencies(16), reach=reach))) != k:
            raise Mistake(
                f"With reach={reach}, p(50) and p({50 + k}) are {k} steps apart; you find {far}."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="How far apart are two vectors?",
    task="""
            You are given two rows of a sinusoidal table, $p_i$ and $p_{i+k}$, with noise on both, and the frequencies of the hands. You do not know $i$. Find $k$, which may be negative.
            The code you are given reads the hands: `unflatten` splits each vector into its hands, `atan2` gives the angle of a hand from its sine and cosine, and `turn` is how far each hand has turned from the first vector to the second, up to whole turns. Give every candidate $k$ a score that is largest for the $k$ on which all hands agree, and return that $k$.
            """,
    hints=(
        "Suppose that a hand of wavelength 6 has turned by half a turn: then k is 3, 9, 15, … or -3, -9, …. If a hand of wavelength 24 has turned by about 3/8, k is near 9. Both agree on 9. If the candidate k were right, how far would each hand have turned? Write down this expected turn for every candidate and every hand, [K, H/2], and compare it with `turn`.",
        "`steps[:, None] * frequency` is the expected turn. An angle is known only up to whole turns: a difference of 0 and one of 2π both mean that a hand agrees. So apply to `turn - expected` a function that has the period 2π and is largest at 0, and sum over the hands (dim=1).",
    ),
    paragraph="Why a sine and a cosine for each frequency?",
    solution=steps_between,
    check=check_steps,
)
