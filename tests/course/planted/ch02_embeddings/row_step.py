"""Answers to `row_step` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch02_embeddings.row_step import row_step
from minibert.course.exercises.mistakes.ch02_embeddings.row_step import KNOWN
from planted import Answers, patterns


def _by_autograd(row, counts, weight, bias, lr):
    leaf = row.clone().requires_grad_()
    loss = F.cross_entropy((weight @ leaf + bias)[None], (counts / counts.sum())[None])
    (gradient,) = torch.autograd.grad(loss, leaf)
    return row - lr * gradient


def _neighbour_by_neighbour(row, counts, weight, bias, lr):
    p = F.softmax(F.linear(row, weight, bias), dim=-1)
    mean = (p[:, None] * weight).sum(dim=0)  # the row of `weight` that is expected: [H]
    change = sum(n * (each - mean) for n, each in zip(counts, weight)) / counts.sum()
    return row + lr * change


def _not_transposed(row, counts, weight, bias, lr):
    return row_step(row, counts, weight, bias, lr)[None]


def _a_list(row, counts, weight, bias, lr):
    return row_step(row, counts, weight, bias, lr).tolist()


ANSWERS = Answers(
    right=(_by_autograd, _neighbour_by_neighbour),
    wrong={
        **patterns(KNOWN),
        _not_transposed: r"shape \[2\], but it has \[1, 2\]",
        _a_list: "it is a list",
    },
)
