"""Exercise `adamw_step`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw


def adamw_step(w, g, m, v, t, rate, weight_decay):
    """Equation 8.3 for one tensor; changes m, v and w in place.

    The step number t counts from 1. Use 0.9, 0.999 and 1e-6.
    """
    # blank from here: equation 8.3, in place
    m[...] = 0.9 * m + (1 - 0.9) * g
    v[...] = 0.999 * v + (1 - 0.999) * g**2
    move = m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-6)
    w[...] = w - rate * (move + weight_decay * w)


# Rate and weight decay of three runs of two steps.
SETTINGS = ((0.1, 0.0), (0.1, 0.5), (0.02, 0.1))


def _states(step) -> list[tuple[str, int, torch.Tensor]]:
    """What m, v and w are after each step of each run: (name, step, tensor)."""
    found = []
    for number, (rate, weight_decay) in enumerate(SETTINGS):
        w = draw(2, 3, seed=number)
        m, v = torch.zeros_like(w), torch.zeros_like(w)
        for t in (1, 2):
            g = draw(2, 3, seed=10 * t + number) * torch.tensor(
                [1.0, 1e-3, 1e-6], dtype=torch.float64
            )
            step(w, g, m, v, t, rate, weight_decay)
            found += [("m", t, m.clone()), ("v", t, v.clone()), ("w", t, w.clone())]
    return found


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-6, atol=1e-12, equal_nan=True)


def check_adamw_step(answer):
    found, right = _states(answer), _states(adamw_step)
    wrong = next(
        (
            (name, t, mine, expected)
            for (name, t, mine), (_, _, expected) in zip(found, right)
            if not _equal(mine, expected)
        ),
        None,
    )
    if wrong is None:
        return
    name, t, mine, expected = wrong
    says = (
        f"After step {t} the first number of {name} is {mine[0, 0]:.4g}, expected {expected[0, 0]:.4g}; "
        f"the last is {mine[-1, -1]:.4g}, expected {expected[-1, -1]:.4g}."
    )
    for candidate, sentence in known(adamw_step):
        if all(_equal(a, b) for (_, _, a), (_, _, b) in zip(found, _states(candidate))):
            raise Mistake(f"{says} {sentence}")
    raise Mistake(f"{says} Compare your lines with equation 8.3, from the top.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="One step of AdamW",
    task="Write equation 8.3 in code, for one tensor of weights `w` with its gradient `g`. Your optimiser will train the model below.",
    hints=(
        "In place means `m[...] = …`: the optimiser holds the same tensors and passes them in again at the next step.",
        "Store the averages as they are. Only the copies that go into the last line are divided by 1 - 0.9**t and 1 - 0.999**t.",
    ),
    paragraph="AdamW: a step size for every parameter",
    solution=adamw_step,
    check=check_adamw_step,
    may_change=("w", "m", "v"),
)
