"""Wrong answers to `key_bias_shift` that its check recognises, each with the feedback for it."""

import math

import torch


def shift_unscaled(query, bias):
    return (query * bias[:, None]).sum(-1, keepdim=True)


def shift_mean(query, bias):
    return (query * bias[:, None]).mean(-1, keepdim=True)


def shift_of_bias_alone(query, bias):
    return (bias.sum(-1)[:, None, None] / math.sqrt(query.size(-1))).expand(*query.shape[:-1], 1)


def shift_of_first_head(query, bias):
    return (query * bias[0]).sum(-1, keepdim=True) / math.sqrt(query.size(-1))


def shift_nothing(query, bias):
    return torch.zeros_like(query[..., :1])


SHIFT_MISTAKES = (
    (shift_unscaled, "Your shift is not divided by √8: the scores it is added to are."),
    (
        shift_mean,
        "Your shift is a mean over the 8 numbers of a head; a dot product is their sum, here divided by √8 and not by 8.",
    ),
    (
        shift_of_bias_alone,
        "Your shift sums the bias without the query; the first one is {0:.2f} and should be {1:.2f}.",
    ),
    (
        shift_of_first_head,
        "You use the bias of the first head for all 3 heads: bias [3, 8] has a row for each.",
    ),
    (
        shift_nothing,
        "Your shift is 0, but the scores do change: by {1:.2f} for the first query. It is the weights that do not.",
    ),
)


KNOWN = SHIFT_MISTAKES
