"""Wrong answers to `largest_weight` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.mistakes import named


def variant(name, draw=torch.randn, scale=torch.div, axis=-1, after=0, reduce=torch.amax):
    """Returns an answer that differs from the right one in the given steps."""

    def answer(d, divisor):
        query, key = draw(1000, 1, d), draw(1000, 8, d)
        scores = scale(query @ key.transpose(-2, -1), divisor)  # [1000, 1, 8]
        weights = scores.softmax(dim=axis) / divisor**after  # [1000, 1, 8]
        return reduce(weights, dim=-1).mean().item()

    return named(name, answer)


def untouched(scores, divisor):
    return scores


def over_the_root(scores, divisor):
    return scores / divisor**0.5


def largest_of_all(weights, dim):
    return weights.max()


def always_root(d, divisor):
    return variant("by_the_root")(d, d**0.5)


KNOWN = (
    (
        variant("undivided", scale=untouched),
        "The divisor has no effect: your results are those of undivided scores.",
    ),
    (
        variant("multiplied", scale=torch.mul),
        "Your scores are multiplied by the divisor instead of divided by it.",
    ),
    (
        variant("root_of_the_divisor", scale=over_the_root),
        "You divide by the root of the divisor. Divide by `divisor` as it is given: it may be a root already.",
    ),
    (
        variant("weights_divided", scale=untouched, after=1),
        "You divide the weights, after the softmax, so they no longer sum to 1. Divide the scores.",
    ),
    (
        variant("all_positive", draw=torch.rand),
        "Your entries lie between 0 and 1, so their mean is 0.5. `torch.randn` draws numbers with mean 0 and variance 1.",
    ),
    (
        variant("over_the_queries", axis=0),
        "Your weights sum to 1 over the 1,000 queries; they must sum to 1 over the eight keys of each.",
    ),
    (
        variant("over_one_key", axis=1),
        "Your softmax runs over an axis of length 1, so every weight is 1. It should run over the eight keys, the last axis.",
    ),
    (
        variant("mean_of_all", reduce=torch.mean),
        "You average all eight weights, which always gives 1/8. Take the largest weight of each query first.",
    ),
    (
        variant("largest_of_all", reduce=largest_of_all),
        "You return the largest weight of all queries. Take the largest of each query, then the mean over the queries.",
    ),
    (
        always_root,
        "You always divide by √D. Divide by `divisor`, so that the experiment can compare different divisors.",
    ),
)
