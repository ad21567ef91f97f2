"""Answers to `mask_works` on which its check is tried."""

import torch

from planted import Answers


def inputs():
    """Query, key, value and a mask that hides the last two of seven tokens."""
    query, key, value = torch.randn(3, 1, 2, 7, 4)
    return query, key, value, (torch.arange(7) < 5).view(1, 1, 1, 7)


def by_hand(attend):
    """Another right answer: the results of equation 4.1, written out."""
    query, key, value, mask = inputs()
    scores = query @ key[:, :, :5].mT / 2
    wanted = scores.softmax(dim=-1) @ value[:, :, :5]
    return bool((attend(query, key, value, mask)[0] - wanted).abs().max() < 1e-5)


def with_other_pads(attend):
    """Another right answer: [PAD]s must not matter, and a real token must."""
    query, key, value, mask = inputs()
    found = attend(query, key, value, mask)[0][:, :, :5]
    alone = attend(query[:, :, :5], key[:, :, :5], value[:, :, :5])[0]
    key[:, :, 5:] += 1
    other = attend(query, key, value, mask)[0][:, :, :5]
    return torch.allclose(found, alone, atol=1e-5) and torch.allclose(found, other, atol=1e-5)


def always(attend):
    return True


def never(attend):
    return False


def results(attend):
    return attend(*inputs())[0]


def rows_sum_to_one(attend):
    return bool((attend(*inputs())[1].sum(dim=-1) - 1).abs().max() < 1e-5)


def no_weight_on_pads(attend):
    return bool(attend(*inputs())[1][..., 5:].max() == 0)


def no_weight_and_sums(attend):
    return no_weight_on_pads(attend) and rows_sum_to_one(attend)


def something_on_pads(attend):
    """Wrong only about the inverted mask."""
    query, key, value, mask = inputs()
    free, hidden = attend(query, key, value)[0], attend(query, key, value, mask)[0]
    return not torch.allclose(free, hidden)


def also_the_pads(attend):
    """Compares with the unpadded text, but wants the rows of [PAD]s to be 0."""
    query, key, value, mask = inputs()
    padded = attend(query, key, value, mask)[0]
    alone = attend(query[:, :, :5], key[:, :, :5], value[:, :, :5])[0]
    return torch.allclose(padded, torch.nn.functional.pad(alone, (0, 0, 0, 2)), atol=1e-5)


ANSWERS = Answers(
    right=(by_hand, with_other_pads),
    wrong={
        always: r"accepts 4 of the 4 broken functions: one that ignores its mask",
        never: r"rejects the attention of exercise 4\.3",
        also_the_pads: r"only the results of real tokens",
        results: r"Return True or False",
        rows_sum_to_one: r"accepts 3 of the 4 .*ignores its mask",
        something_on_pads: r"accepts 3 of the 4 .*hides the real tokens",
        no_weight_on_pads: r"accepts 2 of the 4 .*sets weights to 0 after the softmax",
        no_weight_and_sums: r"accepts 1 of the 4 .*also hides real tokens",
    },
)
