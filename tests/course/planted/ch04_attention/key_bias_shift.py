"""Answers to `key_bias_shift` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch04_attention.key_bias_shift import key_bias_shift
from minibert.course.exercises.mistakes.ch04_attention.common import scaled_scores
from minibert.course.exercises.mistakes.ch04_attention.key_bias_shift import SHIFT_MISTAKES
from planted import Answers, patterns


def shift_by_matrix(query, bias):
    """Another right answer: a matrix product."""
    return query @ bias[:, :, None] / query.size(-1) ** 0.5


def shift_by_difference(query, bias):
    """Another right answer: scores with the bias minus scores without, for one key."""
    key = torch.ones_like(query[..., :1, :])
    return scaled_scores(query, key + bias[:, None]) - scaled_scores(query, key)


def shift_without_axis(query, bias):
    return key_bias_shift(query, bias).squeeze(-1)


def shift_on_keys(query, bias):
    return key_bias_shift(query, bias).mT


def shift_over_tokens(query, bias):
    return (query * bias[:, None]).sum(-2, keepdim=True).mT / math.sqrt(query.size(-1))


ANSWERS = Answers(
    right=(shift_by_matrix, shift_by_difference),
    wrong=patterns(SHIFT_MISTAKES)
    | {
        shift_without_axis: r"\[2, 3, 5\]; keep the last axis",
        shift_on_keys: r"\[2, 3, 1, 5\]: one number",
        shift_over_tokens: r"\[2, 3, 8, 1\]: you summed",
    },
)
