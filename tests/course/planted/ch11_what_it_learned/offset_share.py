"""Answers to `offset_share` on which its check is tried."""

import torch

from planted import Answers, named


def share_by_loop(attention, offset):
    S = attention.size(-1)
    return torch.stack([attention[:, i, i + offset] for i in range(S) if 0 <= i + offset < S]).mean(
        dim=0
    )


def share_by_mask(attention, offset):
    place = torch.arange(attention.size(-1))
    there = (place[None] - place[:, None] == offset).to(attention)
    return (attention * there).sum(dim=(1, 2)) / there.sum()


def share_turned(attention, offset):
    return attention.diagonal(-offset, dim1=-2, dim2=-1).mean(dim=-1)


def share_sum(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).sum(dim=-1)


def share_of_all(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).sum(dim=-1) / attention.size(-1)


def share_round_the_end(attention, offset):
    return attention.roll(-offset, dims=-1).diagonal(dim1=-2, dim2=-1).mean(dim=-1)


def share_of_itself(attention, offset):
    return attention.diagonal(dim1=-2, dim2=-1).mean(dim=-1)


def share_largest(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).amax(dim=-1)


def share_all_heads(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).mean()


def share_over_heads(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).mean(dim=0)


share_of_both_sides = named(
    "share_of_both_sides",
    lambda attention, offset: (
        (share_by_loop(attention, offset) + share_by_loop(attention, -offset)) / 2
    ),
)


share_median = named(
    "share_median",
    lambda attention, offset: attention.diagonal(offset, dim1=-2, dim2=-1).median(dim=-1).values,
)


share_of_the_neighbour = named(
    "share_of_the_neighbour",
    lambda attention, offset: share_by_loop(attention, 1 if offset > 0 else -1),
)


ANSWERS = Answers(
    right=(share_by_loop, share_by_mask),
    wrong={
        share_turned: r"weight on the token at offset 1",
        share_sum: r"do not divide",
        share_of_all: r"divide by 6 tokens",
        share_round_the_end: r"goes round the end",
        share_of_itself: r"gives to itself",
        share_largest: r"largest of the 5",
        share_all_heads: r"one number for all 3",
        share_over_heads: r"runs over the heads|shape \[3\]",
        share_of_both_sides: r"both directions",
        share_median: r"take the median",
        share_of_the_neighbour: r"whatever the offset; here it is 2",
    },
)
