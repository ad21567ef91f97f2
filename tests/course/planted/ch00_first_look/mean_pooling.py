"""Answers to `mean_pooling` on which its check is tried."""

import torch

from minibert.course.exercises.mistakes.ch00_first_look.mean_pooling import (
    by_median,
    by_softmax,
    divided_by_length,
    divided_by_texts,
    first_token,
    largest,
    largest_of_zeroed,
    masked_numerator_only,
    one_count_for_all,
    one_count_of_all,
    one_token_less,
    padding_included,
    sum_only,
    unit_length,
    without_cls,
    without_sep,
    without_specials,
)
from minibert.inference.sentence_embeddings import mean_pool
from planted import Answers


def pooled_by_matrix(last_hidden_state, attention_mask):
    """Another right answer: the weights 1/n and 0 as a matrix product."""
    weights = attention_mask.to(last_hidden_state.dtype)  # [B, S]
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights[:, None] @ last_hidden_state)[:, 0]


def pooled_one_by_one(last_hidden_state, attention_mask):
    """Another right answer: text by text."""
    return torch.stack(
        [vectors[mask.bool()].mean(0) for vectors, mask in zip(last_hidden_state, attention_mask)]
    )


def divided_by_flat_count(hidden, mask):
    return (hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1)


def padding_only(hidden, mask):
    return mean_pool(hidden, 1 - mask)


def over_texts(hidden, mask):
    return (hidden * mask[..., None]).mean(dim=0)


def in_single_precision(hidden, mask):
    return mean_pool(hidden.float(), mask)


def what_is_not_zero(hidden, mask):
    seen = hidden * mask[..., None]
    return seen.sum(dim=1) / (seen != 0).sum(dim=1)


def counted_prefix(hidden, mask):
    return torch.stack(
        [vectors[: int(real.sum())].mean(dim=0) for vectors, real in zip(hidden, mask)]
    )


ANSWERS = Answers(
    right=(pooled_by_matrix, pooled_one_by_one),
    wrong={
        padding_included: r"padding in it.*average all 5",
        divided_by_length: r"divide by 5",
        masked_numerator_only: r"sum still has",
        padding_only: r"wrong way round",
        first_token: r"first token, \[CLS\], alone",
        without_specials: r"leave out \[CLS\]",
        sum_only: r"3 times the mean",
        largest: r"largest value",
        one_count_for_all: r"both texts by 4",
        over_texts: r"\[5, 3\]",
        one_count_of_all: r"divide by 8",
        divided_by_texts: r"divide by 2, the number of texts",
        without_cls: r"leave out \[CLS\] \(",
        without_sep: r"last real token",
        unit_length: r"as long as 1",
        largest_of_zeroed: r"with padding as 0",
        in_single_precision: r"For vectors in float16 you return float32",
        one_token_less: r"one token less",
        by_softmax: r"softmax of the mask",
        by_median: r"median",
        what_is_not_zero: r"of int64 you have",
        counted_prefix: r"of int64 you have -",
        divided_by_flat_count: r"only as \[2, 1\]",
    },
)
