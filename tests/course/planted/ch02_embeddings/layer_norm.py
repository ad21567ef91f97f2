"""Answers to `layer_norm` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch02_embeddings.common import layer_norm
from minibert.course.exercises.mistakes.ch02_embeddings.layer_norm import KNOWN
from minibert.course.exercises.mistakes.ch02_embeddings.layer_norm_answers import (
    norm_variant,
    norm_without_root,
)
from planted import Answers, patterns


def _norm_by_torch(x, gamma, beta, eps=1e-12):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def _norm_by_var(x, gamma, beta, eps=1e-12):
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return torch.rsqrt(variance + eps) * (x - mean) * gamma + beta


def _norm_through_float32(x, gamma, beta, eps=1e-12):
    return _norm_in_float32(x, gamma, beta, eps).to(x.dtype)


def _norm_along_dim_2(x, gamma, beta, eps=1e-12):
    return (
        gamma * (x - x.mean(2, keepdim=True)) / (x.var(2, keepdim=True, correction=0) + eps).sqrt()
        + beta
    )


def _norm_in_place(x, gamma, beta, eps=1e-12):
    return x.copy_(layer_norm(x, gamma, beta, eps))


def _norm_in_float32(x, gamma, beta, eps=1e-12):
    return layer_norm(x.float(), gamma.float(), beta.float(), eps)


def norm_without_keepdim(x, gamma, beta, eps=1e-12):
    return gamma * (x - x.mean(-1)) / torch.sqrt(x.var(-1, correction=0) + eps) + beta


def norm_in_double(x, gamma, beta, eps=1e-12):
    return layer_norm(x.double(), gamma.double(), beta.double(), eps)


def norm_of_large_default(x, gamma, beta, eps=1e-5):
    return layer_norm(x, gamma, beta, eps)


def norm_of_eps_at_least(x, gamma, beta, eps=1e-12):
    return layer_norm(x, gamma, beta, max(eps, 1e-7))


def norm_without_default(x, gamma, beta, eps):
    return layer_norm(x, gamma, beta, eps)


ANSWERS = Answers(
    right=(_norm_by_torch, _norm_by_var),
    wrong={
        norm_variant(unbiased=True): "1.50.*H - 1 = 3",
        norm_variant(eps_at="outside"): "outside the root",
        norm_variant(eps_at="nowhere"): "eps is not used",
        norm_variant(eps_at="fixed"): "eps = 1e-5 whatever is asked for; here eps is 0.5",
        norm_variant(root=False): "divide by the variance",
        norm_without_root: "the root is missing",
        norm_variant(centred=False): "do not subtract the mean",
        norm_variant(over=(0,)): "over the 2 texts of the batch",
        norm_variant(over=(1,)): "over the 3 tokens",
        norm_variant(over=(1, 2)): "for all 3 tokens of a text",
        norm_variant(affine="none"): "gamma and beta are not used",
        norm_variant(affine="before"): "beta before you multiply",
        norm_variant(affine="swapped"): "changed places",
        _norm_in_float32: "torch.float32, but x is torch.float64",
        norm_variant(unbiased="sum"): "add the squared distances up",
        norm_variant(unbiased="of x"): "squared numbers themselves",
        norm_variant(unbiased="of x", centred=False): "RMSNorm",
        norm_variant(over=(0, 1, 2)): "for everything",
        _norm_through_float32: "digits only",
        _norm_along_dim_2: r"not for x of \[3, 5\]",
        _norm_in_place: "in place",
        **patterns(KNOWN[:10] + KNOWN[-15:-1]),
        norm_without_keepdim: "with keepdim=True",
        norm_in_double: "torch.float64, but x is torch.float32",
        norm_of_large_default: "take by default is too large",
        norm_without_default: r"called as layer_norm\(x, gamma, beta\)",
        norm_of_eps_at_least: "with eps = 1e-12 is torch.float64 and right to . digits",
    },
)
