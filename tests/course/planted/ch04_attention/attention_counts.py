"""Answers to `attention_counts` on which its check is tried."""

import torch
from torch import nn

from minibert.course.exercises.mistakes.ch04_attention.attention_counts import COUNT_MISTAKES
from planted import Answers, patterns


def counts_step_by_step(length, hidden, heads):
    """Another right answer: head by head."""
    size = hidden // heads
    one_map, scores = hidden * size + size, length * length * size
    return (
        heads * 3 * one_map,
        heads * length**2,
        heads * (3 * length * hidden * size + scores + scores),
    )


def counts_from_modules(length, hidden, heads):
    """Another right answer: the parameters counted in modules, the weights in a tensor."""
    maps = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(3))
    weights = torch.empty(heads, length, length)
    products = sum(m.weight.numel() for m in maps) * length + 2 * weights[0].numel() * hidden
    return sum(p.numel() for p in maps.parameters()), weights.numel(), products


ANSWERS = Answers(
    right=(counts_step_by_step, counts_from_modules),
    wrong=patterns(COUNT_MISTAKES),
)
