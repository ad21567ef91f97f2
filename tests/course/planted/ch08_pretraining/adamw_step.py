"""Answers to `adamw_step` on which its check is tried."""

from minibert.course.exercises.mistakes.ch08_pretraining.adamw_step import KNOWN
from planted import Answers, patterns


def step_by_lerp(w, g, m, v, t, rate, weight_decay):
    m.lerp_(g, 1 - 0.9)
    v.mul_(0.999).addcmul_(g, g, value=1 - 0.999)
    w.mul_(1 - rate * weight_decay)
    w.addcdiv_(m, (v / (1 - 0.999**t)).sqrt() + 1e-6, value=-rate / (1 - 0.9**t))


def step_with_names(w, g, m, v, t, rate, weight_decay):
    beta1, beta2, eps = 0.9, 0.999, 1e-6
    m += (1 - beta1) * (g - m)
    v += (1 - beta2) * (g * g - v)
    mean, size = m / (1 - beta1**t), (v / (1 - beta2**t)) ** 0.5
    w -= rate * weight_decay * w + rate * mean / (size + eps)


ANSWERS = Answers(
    right=(step_by_lerp, step_with_names),
    wrong=patterns(KNOWN),
)
