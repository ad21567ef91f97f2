"""Answers to `what_is_missing` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch05_encoder.what_is_missing import what_is_missing
from planted import Answers


def by_distances(states, query_gradients):
    last = states[-1]
    if sum(query_gradients) == 0.0:
        return "attention"
    unit = F.normalize(last, dim=-1)
    if (unit - unit[:, :1]).abs().max() < 1e-3:
        return "residual"
    lengths = last.norm(dim=-1) / last.size(-1) ** 0.5
    return "nothing" if (lengths - 1).abs().max() < 0.01 else "norm"


def by_gradients_and_growth(states, query_gradients):
    if query_gradients[0] == 0:
        return "attention"
    if query_gradients[-1] < 1e-4 * query_gradients[0]:
        return "residual"
    spread = states[1].std(dim=-1, correction=0)
    return "nothing" if torch.allclose(spread, torch.ones_like(spread), atol=0.01) else "norm"


def always_nothing(states, query_gradients):
    return "nothing"


def mean_cosine_only(states, query_gradients):
    unit = F.normalize(states[-1], dim=-1)
    return "residual" if (unit @ unit.mT).mean() > 0.15 else "nothing"


def last_gradient_is_small(states, query_gradients):
    if query_gradients[-1] < 1e-3:
        return "residual"
    return what_is_missing(states, query_gradients)


def norms_forgotten(states, query_gradients):
    found = what_is_missing(states, query_gradients)
    return "nothing" if found == "norm" else found


def attention_forgotten(states, query_gradients):
    found = what_is_missing(states, query_gradients)
    return "nothing" if found == "attention" else found


def a_number(states, query_gradients):
    return 2


ANSWERS = Answers(
    right=(by_distances, by_gradients_and_growth),
    wrong={
        always_nothing: "you find 'nothing', and it should be 'residual'",
        mean_cosine_only: "you find '.*', and it should be",
        last_gradient_is_small: "you find 'residual', and it should be 'attention'",
        norms_forgotten: "should be 'norm': its vectors do not have standard deviation 1",
        attention_forgotten: "should be 'attention': the gradients of the queries are exactly 0",
        a_number: "Expected is one of",
    },
)
