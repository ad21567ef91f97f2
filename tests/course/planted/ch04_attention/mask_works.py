"""Answers to `mask_works` on which its check is tried."""

import torch

from minibert.attention import attend as package_attend
from planted import Answers


def inputs():
    """Query, key, value and a mask that hides the last two of seven tokens."""
    query, key, value = torch.randn(3, 1, 2, 7, 4)
    return query, key, value, (torch.arange(7) < 5).view(1, 1, 1, 7)


def two_texts():
    """The same for two texts, of which the second has two tokens less."""
    query, key, value = torch.randn(3, 2, 2, 7, 4)
    return query, key, value, torch.arange(7) < torch.tensor([5, 3]).view(2, 1, 1, 1)


def with_longest_first(attend):
    """Another right answer: the length of all differences, with the mask as the last argument by name."""
    query, key, value, mask = two_texts()
    padded, off = attend(query, key, value, mask=mask)[0], 0.0
    for b, length in ((1, 3), (0, 5)):
        alone = attend(
            query[b, :, :length][None], key[b, :, :length][None], value[b, :, :length][None]
        )[0][0]
        off += (padded[b, :, :length] - alone).norm().item()
    return off < 1e-4


def weights_only(attend):
    """The properties of weights: none on [PAD]s, some on each real token, and rows that sum to 1."""
    query, key, value, mask = two_texts()
    weights = attend(query, key, value, mask)[1]
    mask = mask.expand_as(weights)
    sums = weights.sum(dim=-1)
    return bool(
        (weights[~mask] == 0).all()
        and (weights[mask] > 0).all()
        and torch.allclose(sums, torch.ones_like(sums))
    )


def with_other_pads(attend):
    """Another right answer: [PAD]s must not matter, and a real token must."""
    query, key, value, mask = two_texts()
    found = attend(query, key, value, mask)[0][:1, :, :5]
    alone = attend(query[:1, :, :5], key[:1, :, :5], value[:1, :, :5])[0]
    key[:1, :, 5:] += 1
    key[1:, :, 3:] += 1
    other = attend(query, key, value, mask)[0]
    short = attend(query[1:, :, :3], key[1:, :, :3], value[1:, :, :3])[0]
    return all(
        torch.allclose(one, another, atol=1e-5)
        for one, another in ((found, alone), (other[:1, :, :5], alone), (other[1:, :, :3], short))
    )


def like_the_package(attend):
    """Compares with the package's own attention, and so tests the scores as well."""
    inputs = two_texts()
    return torch.allclose(attend(*inputs)[0], package_attend(*inputs)[0], atol=1e-5)


def with_two_divisors(attend):
    """Compares with equation 4.1 unless the scores are not divided."""
    query, key, value, mask = two_texts()
    found = attend(query, key, value, mask)[0]
    return any(
        torch.allclose(found, package_attend(query * times, key, value, mask)[0], atol=1e-5)
        for times in (1, 2)
    )


def one_text(attend):
    """Compares a padded text with the same text alone, but has one text only."""
    query, key, value, mask = inputs()
    padded = attend(query, key, value, mask)[0][:, :, :5]
    alone = attend(query[:, :, :5], key[:, :, :5], value[:, :, :5])[0]
    return torch.allclose(padded, alone, atol=1e-5)


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
    right=(with_longest_first, with_other_pads),
    wrong={
        weights_only: r"needs the weights, but a fused function returns None",
        always: r"accepts 5 of the 5 broken functions: function 1, whose \[PAD\]s get as much weight",
        never: r"rejects the attention of exercise 4\.3",
        also_the_pads: r"only the results of real tokens",
        like_the_package: r"rejects a function whose mask is right and whose scores are not divided",
        with_two_divisors: r"whose mask is right and whose scores are negative squared distances",
        one_text: r"accepts 1 of the 5 .*: function 5, in which \[PAD\]s of the second text",
        results: r"Return True or False",
        rows_sum_to_one: r"accepts 4 of the 5 .*function 1, whose",
        something_on_pads: r"accepts 4 of the 5 .*function 2, whose words get no weight",
        no_weight_on_pads: r"accepts 3 of the 5 .*function 3, whose rows",
        no_weight_and_sums: r"accepts 2 of the 5 .*function 4, in which later words",
    },
)
