"""Answers to `adamw_step` on which its check is tried."""

from minibert.course.exercises.mistakes.ch08_pretraining.adamw_step import (
    adam_with_l2,
    adamw_decay_without_rate,
    adamw_eps_inside,
    adamw_growing,
    adamw_half_corrected,
    adamw_mean_turned,
    adamw_multiplied,
    adamw_second_corrected,
    adamw_square_of_mean,
    adamw_stores_corrected,
    adamw_sum,
    adamw_uncorrected,
    adamw_uphill,
    adamw_without_decay,
    adamw_without_eps,
    adamw_without_root,
    adamw_without_square,
)
from planted import Answers


def adamw_by_lerp(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    m.lerp_(g, 1 - beta1)
    v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
    w.mul_(1 - rate * decay)
    w.sub_(rate * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)) ** 0.5 + eps))


def adamw_with_addcdiv(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    w *= 1 - rate * decay
    m *= beta1
    m += (1 - beta1) * g
    v *= beta2
    v += (1 - beta2) * g.square()
    w.addcdiv_(m, (v / (1 - beta2**t)).sqrt() + eps, value=-rate / (1 - beta1**t))


def adamw_of_copies(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    adamw_by_lerp(w.clone(), g, m.clone(), v.clone(), t, rate, decay, beta1, beta2, eps)


def adamw_by_heart(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    adamw_by_lerp(w, g, m, v, t, rate, decay, 0.8, 0.9, 0.01)


ANSWERS = Answers(
    right=(adamw_by_lerp, adamw_with_addcdiv),
    wrong={
        adamw_uncorrected: r"bias correction is missing",
        adamw_half_corrected: r"correct m only",
        adamw_second_corrected: r"correct v only",
        adamw_multiplied: r"divide by it",
        adamw_without_root: r"its square root",
        adamw_eps_inside: r"inside the square root",
        adamw_without_eps: r"eps is missing",
        adamw_sum: r"whole gradient",
        adamw_mean_turned: r"are exchanged",
        adamw_without_square: r"do not square",
        adamw_square_of_mean: r"m squared",
        adamw_uphill: r"along the gradient",
        adamw_without_decay: r"decay is missing",
        adamw_decay_without_rate: r"without the rate",
        adamw_growing: r"wrong sign",
        adam_with_l2: r"L2 penalty",
        adamw_stores_corrected: r"corrects them again",
        adamw_of_copies: r"m is as it was",
        adamw_by_heart: r"Take all numbers from the arguments",
    },
)
