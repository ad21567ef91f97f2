"""Answers to `lookup_gradient` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch02_embeddings.lookup_gradient import lookup_gradient
from minibert.course.exercises.mistakes.ch02_embeddings.lookup_gradient import KNOWN
from planted import Answers, patterns


def _in_a_loop(ids, picked_grad, V):
    grad = torch.zeros(V, picked_grad.size(1))
    for row, each in zip(ids, picked_grad):
        grad[row] += each
    return grad


def _by_index_add(ids, picked_grad, V):
    return picked_grad.new_zeros(V, picked_grad.size(1)).index_add(0, ids, picked_grad)


def _not_transposed(ids, picked_grad, V):
    return F.one_hot(ids, V).float() @ picked_grad


def _used_rows_only(ids, picked_grad, V):
    return lookup_gradient(ids, picked_grad, V)[ids.unique()]


def _transposed(ids, picked_grad, V):
    return lookup_gradient(ids, picked_grad, V).T


def _a_list(ids, picked_grad, V):
    return lookup_gradient(ids, picked_grad, V).tolist()


ANSWERS = Answers(
    right=(_in_a_loop, _by_index_add),
    wrong={
        **patterns(KNOWN),
        _not_transposed: "has to be transposed",
        _used_rows_only: r"shape \[6, 3\], but it has \[4, 3\]",
        _transposed: r"shape \[6, 3\], but it has \[3, 6\]",
        _a_list: "it is a list",
    },
)
