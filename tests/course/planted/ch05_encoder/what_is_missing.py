"""Answers to `what_is_missing` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch05_encoder.what_is_missing import what_is_missing
from planted import Answers


def by_distances(states, query_gradients):
    last = states[-1]
    if sum(query_gradients) == 0.0:
        return "attention"
    unit = F.normalize(last.double(), dim=-1)
    if (unit - unit[:, :1]).abs().max() < 1e-5:
        return "residual"
    lengths = last.norm(dim=-1) / last.size(-1) ** 0.5
    return "nothing" if (lengths - 1).abs().max() < 0.01 else "norm"


def by_the_first_layer(states, query_gradients):
    if query_gradients[0] == 0:
        return "attention"
    if F.cosine_similarity(*states[:2], dim=-1).mean() < 0.2:
        return "residual"
    spread = states[1].std(dim=-1, correction=0)
    return "nothing" if torch.allclose(spread, torch.ones_like(spread), atol=0.01) else "norm"


def always_nothing(states, query_gradients):
    return "nothing"


def mean_cosine_only(states, query_gradients):
    unit = F.normalize(states[-1], dim=-1)
    return "residual" if (unit @ unit.mT).mean() > 0.15 else "nothing"


def _residual_if(sign, states, query_gradients):
    """The right function, with another sign of a missing residual connection."""
    found = what_is_missing(states, query_gradients)
    if found in ("attention", "norm"):
        return found
    return "residual" if sign else "nothing"


def _cosines(states):
    unit = F.normalize(states[-1], dim=-1)
    return unit @ unit.mT  # [B, S, S]


def mean_cosine_is_high(states, query_gradients):
    return _residual_if(_cosines(states).mean() > 0.9, states, query_gradients)


def every_cosine_is_high(states, query_gradients):
    return _residual_if(_cosines(states).min() > 0.999, states, query_gradients)


def first_two_tokens(states, query_gradients):
    return _residual_if(_cosines(states)[:, 0, 1].mean() > 0.99, states, query_gradients)


def a_gradient_is_small(states, query_gradients):
    return _residual_if(min(query_gradients) < 1e-2, states, query_gradients)


def last_gradient_is_small(states, query_gradients):
    return _residual_if(query_gradients[-1] < 1e-4, states, query_gradients)


def norms_forgotten(states, query_gradients):
    found = what_is_missing(states, query_gradients)
    return "nothing" if found == "norm" else found


def attention_forgotten(states, query_gradients):
    found = what_is_missing(states, query_gradients)
    return "nothing" if found == "attention" else found


def a_number(states, query_gradients):
    return 2


ANSWERS = Answers(
    right=(by_distances, by_the_first_layer),
    wrong={
        always_nothing: "you find 'nothing', and it should be 'residual'",
        mean_cosine_only: "you find '.*', and it should be",
        mean_cosine_is_high: "6 layers of width 64 with weights of 0.125 you find 'residual', and it should be 'nothing'",
        every_cosine_is_high: "12 layers of width 128 with weights of 0.1 you find 'residual', and it should be 'nothing'",
        first_two_tokens: "12 layers of width 32 with weights of 0.18 you find 'residual', and it should be 'nothing'",
        a_gradient_is_small: "6 layers of width 64 with weights of 0.02 you find 'residual', and it should be 'nothing'",
        last_gradient_is_small: "12 layers of width 64 with weights of 0.02 you find 'residual', and it should be 'nothing'",
        norms_forgotten: "should be 'norm': its vectors do not have standard deviation 1",
        attention_forgotten: "should be 'attention': the gradients of the queries are exactly 0",
        a_number: "Expected is one of",
    },
)
