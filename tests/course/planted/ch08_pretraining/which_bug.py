"""Answers to `which_bug` on which its check is tried."""

import torch

from minibert.course.exercises.ch08_pretraining.which_bug import which_bug
from planted import Answers


def _moved(step, gradients, weight=0.0, weight_decay=0.0):
    """How far each step moves one weight, in units of the rate."""
    w, m, v, moved = torch.full((1,), weight), torch.zeros(1), torch.zeros(1), []
    for t, g in enumerate(gradients, 1):
        before = w.item()
        step(w, torch.tensor([g]), m, v, t, 0.01, weight_decay)
        moved.append((before - w.item()) / 0.01)
    return moved


def by_the_means(step):
    w, m, v = torch.ones(3), torch.zeros(3), torch.zeros(3)
    step(w, torch.tensor([1.0, -2.0, 0.5]), m, v, 1, 0.1, 0.0)
    if m[0] > 0.5:
        return "stored"
    if (w[0] - 0.9).abs() > 0.01:
        return "uncorrected"
    step(w, torch.zeros(3), m.zero_(), v.zero_(), 1, 0.0, 10.0)
    return "decay" if m.any() else "nothing"


def by_three_steps(step):
    if _moved(step, [0.0], weight=1.0, weight_decay=0.1)[0] > 0.2:
        return "decay"
    moved = _moved(step, [0.3] * 3)
    if moved[0] > 2:
        return "uncorrected"
    return "stored" if moved[2] < 0.9 else "nothing"


def always_nothing(step):
    return "nothing"


def in_other_words(step):
    return {"nothing": "right"}.get(which_bug(step), "wrong")


def nothing_returned(step):
    which_bug(step)


def first_step_only(step):
    found = which_bug(step)
    return "nothing" if found == "stored" else found


def without_weight_decay(step):
    found = which_bug(step)
    return "nothing" if found == "decay" else found


def by_the_length_of_both(step):
    """Any other length is taken for the missing correction."""
    if _moved(step, [0.0], weight=1.0, weight_decay=0.1)[0] > 0.2:
        return "decay"
    return (
        "nothing" if all(abs(each - 1) < 0.1 for each in _moved(step, [1.0] * 2)) else "uncorrected"
    )


def with_both_at_once(step):
    """The weight decay is there in the experiment on the corrections."""
    return "nothing" if abs(_moved(step, [1.0], 1.0, 0.5)[0] - 1) < 0.01 else "decay"


def turned(step):
    return {"stored": "uncorrected", "uncorrected": "stored"}.get(found := which_bug(step), found)


ANSWERS = Answers(
    right=(by_the_means, by_three_steps),
    wrong={
        always_nothing: r"find 'nothing', and it should be 'uncorrected': .* 3\.16 times",
        in_other_words: r"Expected is one of nothing, uncorrected, stored, decay, not 'right'",
        nothing_returned: r"not None",
        first_step_only: r"find 'nothing', and it should be 'stored': its first step is right",
        without_weight_decay: r"find 'nothing', and it should be 'decay': with a gradient of 0",
        by_the_length_of_both: r"find 'uncorrected', and it should be 'stored'",
        with_both_at_once: r"find 'decay', and it should be 'nothing': with a steady gradient",
        turned: r"find 'stored', and it should be 'uncorrected'",
    },
)
