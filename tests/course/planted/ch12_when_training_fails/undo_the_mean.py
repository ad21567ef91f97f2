"""Answers to `undo_the_mean` on which its check is tried."""

import torch

from planted import Answers


def with_tensors(printed):
    means = torch.tensor(printed, dtype=torch.float64)
    sums = means * torch.arange(1, len(printed) + 1)
    return torch.diff(sums, prepend=torch.zeros(1, dtype=torch.float64)).tolist()


def subtracting_what_is_known(printed):
    losses = []
    for mean in printed:
        losses.append(mean * (len(losses) + 1) - sum(losses))
    return losses


def as_printed(printed):
    return list(printed)


def differences(printed):
    return [after - before for before, after in zip([0, *printed], printed)]


def averaged_again(printed):
    return [sum(printed[: n + 1]) / (n + 1) for n in range(len(printed))]


def sums(printed):
    return [n * mean for n, mean in enumerate(printed, 1)]


def same_factor(printed):
    return [n * (now - before) for n, (before, now) in enumerate(zip([0, *printed], printed), 1)]


def two_at_a_time(printed):
    return [2 * now - before for before, now in zip([0, *printed], printed)]


def backwards(printed):
    return subtracting_what_is_known(printed)[::-1]


def one_too_few(printed):
    return subtracting_what_is_known(printed)[1:]


def by_heart(printed):
    return [4.0, 2.0, 3.0, 7.0, 1.5][: len(printed)]


def shifted_count(printed):
    return [
        (n + 1) * now - n * before for n, (before, now) in enumerate(zip([0, *printed], printed), 1)
    ]


def words(printed):
    return ["four"] * len(printed)


ANSWERS = Answers(
    right=(with_tensors, subtracting_what_is_known),
    wrong={
        as_printed: r"what was printed",
        differences: r"differences of the means, so your second loss is -1\.00",
        averaged_again: r"average once more",
        sums: r"return sums: your second number, 6\.00",
        same_factor: r"multiply both means by n",
        two_at_a_time: r"the last two means the same weight at every n",
        backwards: r"from the last to the first",
        one_too_few: r"you return 4 entries",
        by_heart: r"for the means 2 and 3",
        shifted_count: r"loss 1 is 8\.00",
        words: r"should hold numbers",
    },
)
