"""Answers to `extend_mask` on which its check is tried."""

import torch

from planted import Answers


def mask_by_view(attention_mask):
    batch, length = attention_mask.shape
    return (attention_mask == 1).view(batch, 1, 1, length)


def mask_by_unsqueeze(attention_mask):
    return attention_mask.gt(0).unsqueeze(1).unsqueeze(1)


def mask_of_queries(attention_mask):
    return attention_mask.bool()[:, None, :, None]


def mask_inverted(attention_mask):
    return (attention_mask == 0)[:, None, None, :]


def mask_additive(attention_mask):
    return (1.0 - attention_mask[:, None, None, :]) * -10000.0


def mask_integers(attention_mask):
    return attention_mask[:, None, None, :]


def mask_flat(attention_mask):
    return attention_mask.bool()


def mask_one_axis(attention_mask):
    return attention_mask.bool()[:, None]


def mask_square(attention_mask):
    real = attention_mask.bool()
    return (real[:, None, :] & real[:, :, None])[:, None]


def mask_batch_last(attention_mask):
    return attention_mask.bool()[None, None]


def mask_axes_last(attention_mask):
    return attention_mask.bool()[:, :, None, None]


def mask_of_five(attention_mask):
    return attention_mask.bool().view(-1, 1, 1, 5)


def mask_of_the_longest(attention_mask):
    return attention_mask.bool()[:, None, None, : int(attention_mask.sum(1).max())]


def mask_for_heads(attention_mask):
    return attention_mask.bool()[:, None, None, :].expand(-1, 12, -1, -1)


def mask_turned(attention_mask):
    return attention_mask.bool().T[:, None, None, :]


def mask_in_place(attention_mask):
    return attention_mask.unsqueeze_(1).unsqueeze_(1).bool()


def mask_as_list(attention_mask):
    return [[[[bool(each) for each in row]]] for row in attention_mask]


def mask_backwards(attention_mask):
    return attention_mask.bool().flip(1)[:, None, None, :]


def mask_by_counting(attention_mask):
    length = attention_mask.size(1)
    return (torch.arange(length) < attention_mask.sum(dim=1, keepdim=True))[:, None, None, :]


def mask_of_the_first_text(attention_mask):
    return attention_mask.bool()[:1].expand_as(attention_mask)[:, None, None, :]


ANSWERS = Answers(
    right=(mask_by_view, mask_by_unsqueeze),
    wrong={
        mask_of_queries: "hides what padding \\*asks\\*",
        mask_inverted: "True where there is padding",
        mask_additive: "dtype torch.float32, as numbers to be added",
        mask_integers: "dtype torch.int64",
        mask_flat: "still \\[B, S\\]",
        mask_one_axis: "is \\[B, 1, S\\]",
        mask_square: "25 truths",
        mask_of_the_first_text: "For text 1 of the batch, .* \\[True, True, True, True, True\\]",
        mask_batch_last: "is \\[1, 1, B, S\\]",
        mask_axes_last: "is \\[B, S, 1, 1\\]",
        mask_of_five: "take the sizes",
        mask_of_the_longest: "as many as the longest text",
        mask_for_heads: "\\[3, 12, 1, 5\\]",
        mask_turned: "\\[5, 1, 1, 3\\]",
        mask_in_place: "changes `attention_mask`",
        mask_as_list: "is a list",
        mask_backwards: "For text 1 .* \\[False, False, False, True, True\\]",
        mask_by_counting: "For text 2 of the batch, .* \\[True, True, False, False, False\\]",
    },
)
