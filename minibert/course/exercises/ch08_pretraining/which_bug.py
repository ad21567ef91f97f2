"""Exercise `which_bug`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def which_bug(step):
    """What is wrong with one step of AdamW, by experiments.

    Returns "nothing", "uncorrected", "stored" or "decay".
    step(w, g, m, v, t, rate, weight_decay) changes the tensors
    w, m and v in place, as `adamw_step` does.
    """
    # blank from here: your experiments
    w, m, v = torch.ones(1), torch.zeros(1), torch.zeros(1)
    step(w, torch.zeros(1), m, v, 1, 0.1, 0.01)
    if w.item() < 0.99:  # right would be 1 - 0.1 * 0.01
        return "decay"
    w, m, v = (torch.zeros(1) for _ in range(3))
    places = []
    for t in (1, 2):
        step(w, torch.ones(1), m, v, t, 0.1, 0.0)
        places.append(-w.item())
    if abs(places[0] - 0.1) > 0.01:
        return "uncorrected"
    return "nothing" if abs(places[1] - 0.2) < 0.01 else "stored"


def right(w, g, m, v, t, rate, weight_decay, beta1=0.9, beta2=0.999, eps=1e-6):
    m.copy_(beta1 * m + (1 - beta1) * g)
    v.copy_(beta2 * v + (1 - beta2) * g**2)
    w -= rate * (m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + eps) + weight_decay * w)


def right_by_lerp(w, g, m, v, t, rate, weight_decay, beta1=0.9, beta2=0.999, eps=1e-6):
    m.lerp_(g, 1 - beta1)
    v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
    w.mul_(1 - rate * weight_decay)
    w.addcdiv_(m, (v / (1 - beta2**t)).sqrt() + eps, value=-rate / (1 - beta1**t))


def uncorrected(w, g, m, v, t, rate, weight_decay, beta1=0.9, beta2=0.999, eps=1e-6):
    m.copy_(beta1 * m + (1 - beta1) * g)
    v.copy_(beta2 * v + (1 - beta2) * g**2)
    w -= rate * (m / (v.sqrt() + eps) + weight_decay * w)


def stored(w, g, m, v, t, rate, weight_decay, beta1=0.9, beta2=0.999, eps=1e-6):
    m.copy_((beta1 * m + (1 - beta1) * g) / (1 - beta1**t))
    v.copy_((beta2 * v + (1 - beta2) * g**2) / (1 - beta2**t))
    w -= rate * (m / (v.sqrt() + eps) + weight_decay * w)


def decay(w, g, m, v, t, rate, weight_decay, beta1=0.9, beta2=0.999, eps=1e-6):
    right(w, g + weight_decay * w, m, v, t, rate, 0.0, beta1, beta2, eps)


STEPS = (  # what is wrong, and a step
    ("nothing", right),
    ("uncorrected", uncorrected),
    ("stored", stored),
    ("decay", decay),
    ("nothing", right_by_lerp),
)
WHY = {
    "nothing": "with a steady gradient of 1 each of its first steps is as long as the rate, and with a gradient of 0 the weight decay moves a weight w by rate · weight_decay · w",
    "uncorrected": "with a gradient of 1 its first step is 3.16 times as long as the rate, because m is 0.1 and the root of v is 0.032",
    "stored": "its first step is right, but with a steady gradient of 1 its second is only 0.24 times as long as the rate, because it corrects means that have been corrected before",
    "decay": "with a gradient of 0 it moves a weight by the whole rate, because it divides the weight decay by the root of v",
}


def check_which_bug(answer):
    for kind, step in STEPS:
        told = answer(step)
        if told not in WHY:
            raise Mistake(f"Expected is one of {', '.join(WHY)}, not {told!r}.")
        if told != kind:
            raise Mistake(
                f"For one step you find {told!r}, and it should be {kind!r}: {WHY[kind]}."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=15,
    title="Which bug is in it?",
    task="""
            You are given one step of AdamW as a black box. Either it is correct, or it has exactly one of three bugs: the means are not corrected (`"uncorrected"`); the corrected means are stored in `m` and `v`, so that the next step corrects them again (`"stored"`); or the weight decay is added to the gradient (`"decay"`).
            Choose weights, gradients and settings for which the four differ, and return the name of the bug, or `"nothing"`.
        """,
    hints=(
        "For each bug, look for the term of the equation that it changes, and then for an input that leaves little else in the equation. You may take more than one step.",
        "What does a right step do if the gradient is 0 and the weight is 1? And how far does a weight move in the first and in the second step of a steady gradient, without weight decay?",
    ),
    paragraph="AdamW: a step size for every parameter",
    solution=which_bug,
    check=check_which_bug,
)
