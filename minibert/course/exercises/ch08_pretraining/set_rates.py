"""Exercise `set_rates`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    recognise,
)


def set_rates(groups, step, steps, warmup):
    """Set group["lr"] of every group for a step counted from 0: group["peak_lr"] times the original's factor.

    Up in a line from 0 over `warmup` steps, then the line that falls from 1 at step 0 to 0 at `steps`.
    """
    factor = step / warmup if step < warmup else 1 - step / steps  # blank: between 0 and 1
    for group in groups:
        group["lr"] = group["peak_lr"] * factor  # blank: this group's rate


def _rates(answer, groups, steps, warmup):
    """The learning rates that an answer sets at every step: [steps + 1, groups].

    The same group dicts are passed at every step.
    """
    seen = []
    for step in range(steps + 1):
        answer(groups, step, steps, warmup)
        seen.append([float(group["lr"]) for group in groups])
    return torch.tensor(seen, dtype=torch.float64)  # [steps + 1, groups]


def check_set_rates(answer):
    steps, warmup, peaks = 80, 20, (0.002, 0.004)

    def fresh():
        return [{"peak_lr": peak, "lr": peak} for peak in peaks]

    found = _rates(answer, groups := fresh(), steps, warmup)  # [steps + 1, 2]
    if [group["peak_lr"] for group in groups] != list(peaks):
        raise Mistake(
            f"You change peak_lr, from {peaks[0]} to {groups[0]['peak_lr']:.4f}: set lr, and leave the peak as it is."
        )
    if (found == torch.tensor(peaks, dtype=torch.float64)).all():
        raise Mistake(
            f'The groups are as they were, {peaks[0]} and {peaks[1]} at every step: set group["lr"] in the dicts that you are given.'
        )
    at = {
        f"at{step}": f"at step {step} your rate is {rate:.6f}"
        for step, rate in enumerate(found[:, 0])
    }
    suspects = [
        (_rates(wrong, fresh(), steps, warmup), sentence.format(found=found, **at))
        for wrong, sentence in known(set_rates)
    ]
    recognise(
        found,
        _rates(set_rates, fresh(), steps, warmup),
        suspects,
        "your rate at [step, group]",
        tolerance=1e-9,
    )
    for step, steps, warmup in ((3, 10, 5), (5, 10, 5), (9, 12, 0)):
        mine, right = [{"peak_lr": 1.0, "lr": 0.0}], [{"peak_lr": 1.0, "lr": 0.0}]
        try:
            answer(mine, step, steps, warmup)
        except ZeroDivisionError:
            raise Mistake(
                f"With a warm-up of {warmup} steps you divide by {warmup}: where there is none, no step is smaller than it, and the falling line holds from step 0."
            ) from None
        set_rates(right, step, steps, warmup)
        if not math.isclose(mine[0]["lr"], right[0]["lr"], rel_tol=1e-6, abs_tol=1e-12):
            raise Mistake(
                f"With 80 steps and a warm-up of 20 you are right; at step {step} of {steps} with a warm-up of {warmup} your factor is {mine[0]['lr']:.3f}, where {right[0]['lr']:.3f} is right."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="The learning rate of a step",
    task="Set the learning rate of every group as the original does: up in a line during the warm-up, and then along the line that falls from 1 *at step 0* to 0 at the end. "
    "Each group has its own peak.",
    hints=(
        "At the hand-over the rate does not continue where the warm-up ended: it jumps onto a line that has been falling since step 0.",
        "With 100 steps and a warm-up of 10 the factors of steps 0, 5, 9, 10, 55 are 0, 0.5, 0.9, 0.9, 0.45. The factor is new each time; multiply the peak by it, never the last rate.",
    ),
    paragraph="Warm-up and decay",
    solution=set_rates,
    check=check_set_rates,
    may_change=("groups",),
)
