"""Exercise `gelu`: task, hints, solution and check."""

import math

import torch
import torch.nn.functional as F

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    expect_tensor,
    recognise,
)


def gelu(x):
    """x times the probability that a standard normal number is below x, in its exact form: [...] -> [...]."""
    probability = 0.5 * (1 + torch.erf(x / math.sqrt(2)))  # blank: Φ(x), by the error function torch.erf  # fmt: skip
    return x * probability  # blank: let x through in that proportion


def check_gelu(answer):
    x = torch.tensor([-3.0, -1.0, -0.3, 0.0, 0.7, 1.0, 2.5], dtype=torch.float64)
    right = F.gelu(x)
    try:
        found = answer(x)
    except (TypeError, ValueError) as error:
        if "only one element tensors" not in str(error):
            raise
        raise Mistake(
            f"Your GELU stops at a vector of {len(x)} numbers: the functions of `math` take one number, those of `torch` take tensors."
        ) from None
    expect_tensor(found, x.shape, "your GELU of a vector")
    if found.dtype != x.dtype:
        raise Mistake(
            f"your GELU turns {x.dtype} into {found.dtype}: compute with torch functions, in the precision that came in."
        )
    one = f"At x = -1 you have {found[1]:.4f}"
    recognise(
        found,
        right,
        [
            (
                x * 0.5 * torch.erf(x / math.sqrt(2)),
                f"Your function is even, g(-1) = g(1) = {found[5]:.4f}: the 1 is multiplied with the error function, not added to it.",
            ),
            (
                F.gelu(x, approximate="tanh"),
                f"{one}, the tanh approximation; the exact form with erf gives {right[1]:.4f}.",
            ),
            (
                x * torch.sigmoid(1.702 * x),
                f"{one}, the sigmoid approximation x·σ(1.702x); the exact form gives {right[1]:.4f}.",
            ),
            (
                F.silu(x),
                f"{one}: that is SiLU, x·σ(x); GELU weighs x with the normal distribution and gives {right[1]:.4f}.",
            ),
            (
                F.relu(x),
                f"{one}: that is ReLU, which cuts hard at zero; GELU lets {right[1]:.4f} through.",
            ),
            (
                0.5 * x * (1 + torch.erf(x)),
                f"{one} instead of {right[1]:.4f}: erf wants x / √2, yours gets x.",
            ),
            (
                0.5 * (1 + torch.erf(x / math.sqrt(2))),
                f"{one}, the probability Φ(x) alone; it still has to be multiplied by x.",
            ),
            (
                0.5 * x * (1 - torch.erf(x / math.sqrt(2))),
                f"At x = 1 you have {found[5]:.4f} instead of {right[5]:.4f}: with a minus you take the probability of being *above* x.",
            ),
            (
                x * torch.erf(x / math.sqrt(2)),
                f"{one} instead of {right[1]:.4f}: erf itself runs from -1 to 1; half of 1 + erf runs from 0 to 1, as a probability does.",
            ),
            (
                x * (0.5 + torch.erf(x / math.sqrt(2))),
                f"At x = 1 you have {found[5]:.4f} instead of {right[5]:.4f}: the factor 0.5 takes 1 only; brackets round 1 + erf are missing.",
            ),
            (
                0.5 * x * (1 + torch.erf(x * math.sqrt(2))),
                f"{one} instead of {right[1]:.4f}: erf gets x · √2; divide by the root.",
            ),
            (
                0.5 * x * (1 + torch.erf(x / 2)),
                f"{one} instead of {right[1]:.4f}: erf gets x / 2; divide by the *root* of 2.",
            ),
            (
                x * torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
                f"{one}: that weighs x with the *density* of the normal distribution; Φ is the probability below x, and gives {right[1]:.4f}.",
            ),
            (
                x * (1 + torch.erf(x / math.sqrt(2))),
                f"At x = 1 you have {found[5]:.4f}, twice the right value: erf runs from -1 to 1, a probability from 0 to 1.",
            ),
        ],
        "your GELU",
        tolerance=1e-6,
    )
    also(answer, gelu, (draw(2, 3).float(),), (draw(4, seed=1),), gradient=True)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="GELU, exactly",
    solution=gelu,
    check=check_gelu,
    task="Write GELU in its exact form: $\\text{gelu}(x) = x\\,\\Phi(x)$, where $\\Phi(x)$ is the probability that a "
    "standard normal number is below $x$. PyTorch has the error function, `torch.erf`, and "
    "$\\Phi(x) = \\tfrac12\\,(1 + \\text{erf}(x / \\sqrt 2))$.",
    hints=(
        "At $x = 0$ the probability is one half, far to the right it is 1, far to the left 0. Check your Φ there first.",
        "`probability = 0.5 * (1 + torch.erf(x / math.sqrt(2)))`. Mind the plus.",
    ),
    paragraph="An activation with a soft knee",
)
