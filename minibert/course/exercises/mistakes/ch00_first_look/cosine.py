"""Wrong answers to `cosine` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.ch00_first_look.common import cosine


def dot_only(one, other):
    return (one * other).sum(-1)


def divided_once(one, other):
    return (one * other).sum(-1) / one.norm(dim=-1)


def divided_by_squares(one, other):
    return (one * other).sum(-1) / (one.square().sum(-1) * other.square().sum(-1))


def divided_by_sum(one, other):
    return (one * other).sum(-1) / (one.norm(dim=-1) + other.norm(dim=-1))


def divided_by_taxicab(one, other):
    return (one * other).sum(-1) / (one.abs().sum(-1) * other.abs().sum(-1))


def mean_product(one, other):
    return (one * other).mean(-1) / (one.norm(dim=-1) * other.norm(dim=-1))


def unsigned(one, other):
    return cosine(one, other).abs()


def distance(one, other):
    return 1 - cosine(one, other)


def centred(one, other):
    return cosine(one - one.mean(-1, keepdim=True), other - other.mean(-1, keepdim=True))


def length_of_everything(one, other):
    return (one * other).sum(-1) / (one.norm() * other.norm())


def second_length_only(one, other):
    return (one * other).sum(-1) / other.norm(dim=-1)


def brackets_missing(one, other):
    return (one * other).sum(-1) / one.norm(dim=-1) * other.norm(dim=-1)


def squares_without_brackets(one, other):
    return (one * other).sum(-1) / one.square().sum(-1) * other.square().sum(-1)


def first_squared(one, other):
    return (one * other).sum(-1) / (one.square().sum(-1) * other.norm(dim=-1))


def second_squared(one, other):
    return (one * other).sum(-1) / (one.norm(dim=-1) * other.square().sum(-1))


def multiplied(one, other):
    return (one * other).sum(-1) * one.norm(dim=-1) * other.norm(dim=-1)


def angle(one, other):
    return torch.acos(cosine(one, other))


def halved(one, other):
    return (1 + cosine(one, other)) / 2


def squared(one, other):
    return cosine(one, other) ** 2


def never_below_zero(one, other):
    return cosine(one, other).clamp(min=0)


def largest_length(one, other):
    return (one * other).sum(-1) / (one.norm(dim=-1) * other.norm(dim=-1)).max()


COSINE_MISTAKES = (
    (
        halved,
        "Your {0} is moved and halved, so that it runs from 0 to 1; the cosine runs from -1 to 1, and is {1} here.",
    ),
    (squared, "You square the cosine: {0} where {1} is right, and its sign is lost."),
    (never_below_zero, "You cut off what is below 0; opposite directions have the cosine -1."),
    (
        largest_length,
        "You divide every product by the largest lengths of the batch: {0}. Each pair has lengths of its own: {1}.",
    ),
    (
        dot_only,
        "Your number is the dot product alone, {0}: a vector twice as long would double it. Divided by both lengths it is {1}.",
    ),
    (
        divided_once,
        "You divide by the length of the first vector only: {0}. With both lengths it is {1}.",
    ),
    (
        second_length_only,
        "You divide by the length of the second vector only: {0}. With both lengths it is {1}.",
    ),
    (
        brackets_missing,
        "You divide by the first length and multiply by the second: {0}. Put their product in brackets; then it is {1}.",
    ),
    (
        squares_without_brackets,
        "You divide by the first squared length and multiply by the second: {0}. Put their product in brackets, and take the root of each sum of squares; then it is {1}.",
    ),
    (
        first_squared,
        "Your first length is a sum of squares without its root, which gives {0}; with the root it is {1}.",
    ),
    (
        second_squared,
        "Your second length is a sum of squares without its root, which gives {0}; with the root it is {1}.",
    ),
    (
        multiplied,
        "You multiply by both lengths: {0}. Divide by them, and longer vectors do not count more: {1}.",
    ),
    (angle, "Your {0} is the angle itself, in radians; wanted is its cosine, {1}."),
    (
        divided_by_squares,
        "You divide by the squared lengths: {0}. The length is the root of the sum of squares; with it you get {1}.",
    ),
    (
        divided_by_sum,
        "You divide by the sum of the two lengths: {0}. Their product makes every vector's cosine with itself 1; here it gives {1}.",
    ),
    (
        divided_by_taxicab,
        "Your lengths are sums of absolute values, which gives {0}; the length that belongs to a dot product is the root of the sum of squares: {1}.",
    ),
    (
        mean_product,
        "You take the mean of the products, {0}, where a dot product is their sum: {1}.",
    ),
    (
        unsigned,
        "Your sign is lost: {0} where {1} is right. Opposite directions have the cosine -1.",
    ),
    (
        distance,
        "Your {0} is 1 minus the cosine, a distance: small for what is alike. The cosine itself is {1}.",
    ),
    (
        centred,
        "You take each vector's mean away first: {0}. That is a correlation; the cosine leaves the vectors where they are: {1}.",
    ),
    (
        length_of_everything,
        "You divide by the length of the whole batch, all 3 vectors at once: {0}. Each vector has a length of its own: {1}.",
    ),
)


KNOWN = COSINE_MISTAKES
