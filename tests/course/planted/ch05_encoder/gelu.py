"""Answers to `gelu` on which its check is tried."""

import math

import torch
import torch.nn.functional as F

from planted import Answers


def gelu_by_cdf(x):
    return x * torch.special.ndtr(x)


def gelu_by_erfc(x):
    return x * torch.erfc(-x / 2**0.5) / 2


def gelu_even(x):
    return x * 0.5 * (1 * torch.erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_sigmoid(x):
    return x * torch.sigmoid(1.702 * x)


def gelu_silu(x):
    return x * torch.sigmoid(x)


def gelu_relu(x):
    return x.clamp(min=0)


def gelu_no_root(x):
    return 0.5 * x * (1 + torch.erf(x))


def gelu_probability_only(x):
    return torch.special.ndtr(x)


def gelu_doubled(x):
    return x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_in_float32(x):
    return F.gelu(x.float())


def gelu_minus(x):
    return 0.5 * x * (1 - torch.erf(x / math.sqrt(2)))


def gelu_erf_alone(x):
    return x * torch.erf(x / math.sqrt(2))


def gelu_without_brackets(x):
    return x * (0.5 * 1 + torch.erf(x / math.sqrt(2)))


def gelu_times_root(x):
    return 0.5 * x * (1 + torch.erf(x * math.sqrt(2)))


def gelu_half(x):
    return 0.5 * x * (1 + torch.erf(x / 2))


def gelu_of_one_number(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def gelu_density(x):
    return x * torch.distributions.Normal(0, 1).log_prob(x).exp()


def gelu_in_place(x):
    x *= torch.special.ndtr(x)
    return x


ANSWERS = Answers(
    right=(gelu_by_cdf, gelu_by_erfc),
    wrong={
        gelu_even: "is even, g\\(-1\\) = g\\(1\\) = 0.3413",
        gelu_tanh: "the tanh approximation",
        gelu_sigmoid: "sigmoid approximation",
        gelu_silu: "that is SiLU",
        gelu_relu: "that is ReLU",
        gelu_no_root: "erf wants x / √2",
        gelu_probability_only: "probability Φ\\(x\\) alone",
        gelu_doubled: "twice the right value",
        gelu_in_float32: "turns torch.float64 into",
        gelu_minus: "being \\*above\\* x",
        gelu_erf_alone: "erf itself runs",
        gelu_without_brackets: "brackets round",
        gelu_times_root: "divide by the root",
        gelu_of_one_number: "stops at a vector of 7 numbers",
        gelu_half: "the \\*root\\* of 2",
        gelu_density: "the \\*density\\*",
        gelu_in_place: "changes `x`.*6 of its 7",
    },
)
