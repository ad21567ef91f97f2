"""Exercise `adamw_step`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw, recognise


def adamw_step(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    """Change m, v and then w in place, by one step of equation 8.3.

    w weights, g their gradient, m and v the running means: four tensors of the same shape. t counts the steps from 1.
    """
    # blank from here: m, v, and the weights
    m[...] = beta1 * m + (1 - beta1) * g
    v[...] = beta2 * v + (1 - beta2) * g**2
    move = m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + eps)
    w[...] = w - rate * (move + decay * w)


def _steps(answer, steps=3):
    """The means and weights after each of some steps: [steps, 3, 5], in the order m, v, w."""
    w, gradients = draw(5).double(), 3 * draw(steps, 5, seed=1).double()
    m, v, seen = torch.zeros_like(w), torch.zeros_like(w), []
    for t, g in enumerate(gradients, 1):
        answer(w, g.clone(), m, v, t, 0.1, 0.2, 0.8, 0.9, 0.01)
        seen.append(torch.stack([m, v, w]))
    return torch.stack(seen)


def check_adamw_step(answer):
    found, right = _steps(answer), _steps(adamw_step)
    start = draw(5).double()
    for row, name, before in ((0, "m", 0 * start), (1, "v", 0 * start), (2, "w", start)):
        if torch.equal(found[:, row], before.expand(3, 5)):
            raise Mistake(
                f"After three steps {name} is as it was. Change the tensor that you are given, in place, with `[...] =` or `-=`, for example."
            )
    suspects = [(_steps(wrong), sentence) for wrong, sentence in known(adamw_step)]
    for wrong, sentence in suspects:
        if torch.allclose(found, wrong, rtol=1e-9, atol=1e-9, equal_nan=True):
            raise Mistake(sentence)
    for row, name in enumerate("mvw"):
        recognise(
            found[:, row],
            right[:, row],
            [(wrong[:, row], sentence) for wrong, sentence in suspects],
            f"your {name} at [step, entry]",
            tolerance=1e-9,
        )
    for t, *numbers in ((1, 0.9, 0.999, 1e-6), (50, 0.5, 0.8, 0.1)):
        mine, theirs = ([draw(2, 3, seed=i).abs() for i in range(4)] for _ in range(2))
        answer(*mine, t, 0.01, 0.0, *numbers)
        adamw_step(*theirs, t, 0.01, 0.0, *numbers)
        if not all(map(torch.allclose, mine, theirs)):
            raise Mistake(
                f"Three steps are right; in step {t} with beta1, beta2 and eps of {', '.join(map(str, numbers))} and without decay the result is wrong. Take all numbers from the arguments."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="One step of AdamW",
    task="Turn equation 8.3 into code for one tensor of parameters. The weights and both means change in place, so the caller sees the new values.",
    hints=(
        "The correction for the start belongs to the third line of the equation. Ask yourself what the next step should find in m and v.",
        "The decay is added after the division, and the rate multiplies both. `eps` is added after the root.",
    ),
    paragraph="AdamW: a step size for every parameter",
    solution=adamw_step,
    check=check_adamw_step,
    may_change=("w", "m", "v"),
)
