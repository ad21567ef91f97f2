"""Wrong answers to `lookup_gradient` that its check recognises, each with the feedback for it."""

import torch


def _zeros(picked_grad, V):
    return torch.zeros(V, picked_grad.size(1), dtype=picked_grad.dtype)


def _last_pick(ids, picked_grad, V):
    grad = _zeros(picked_grad, V)
    for row, each in zip(ids, picked_grad):
        grad[row] = each
    return grad


def _first_pick(ids, picked_grad, V):
    return _last_pick(ids.flip(0), picked_grad.flip(0), V)


def _sum(ids, picked_grad, V):
    return _zeros(picked_grad, V).index_add_(0, ids, picked_grad)


def _mean_of_picks(ids, picked_grad, V):
    return _sum(ids, picked_grad, V) / ids.bincount(minlength=V).clamp(min=1)[:, None]


def _mean_of_all(ids, picked_grad, V):
    return _sum(ids, picked_grad, V) / len(ids)


def _counts(ids, picked_grad, V):
    return _sum(ids, torch.ones_like(picked_grad), V)


def _row_zero_is_padding(ids, picked_grad, V):
    grad = _sum(ids, picked_grad, V)
    grad[0] = 0
    return grad


def _in_order(ids, picked_grad, V):
    return _sum(torch.arange(len(ids)) % V, picked_grad, V)


KNOWN = (
    (
        _last_pick,
        "only the last pick of a row counts, though {ids} names a row more than once. `grad[ids] = …` and `grad[ids] += …` write each row once; the contributions have to be added one after another.",
    ),
    (
        _first_pick,
        "only the first pick of a row counts, though {ids} names a row more than once; all its contributions are added.",
    ),
    (
        _mean_of_picks,
        "you take the mean over the picks of a row; the chain rule adds them, so a row that is picked twice gets the sum of two gradients.",
    ),
    (
        _mean_of_all,
        "you divide by the {n} tokens; a mean over the tokens, if the loss has one, is in picked_grad already.",
    ),
    (
        _counts,
        "you count how often each row is picked, and picked_grad is not used. The counts are right only if every gradient that arrives is 1.",
    ),
    (
        _row_zero_is_padding,
        "row 0 gets no gradient; here it is a row like any other, since no padding_idx is given.",
    ),
    (
        _in_order,
        "the gradients are in the first {n} rows, in the order of the tokens; each belongs to the row that its id names.",
    ),
)
