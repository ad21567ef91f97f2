"""Answers to `agreeing_noun` on which its check is tried."""

import torch

from minibert.course.exercises.ch04_attention.agreeing_noun import agreeing_noun
from planted import Answers


def with_whole_tables():
    """Another right answer: the entries in the other order, and unequal lengths of query and key."""
    W_query = torch.tensor([[0, 0], [0, 30], [0, 0], [-9, 0], [9, 0]]).double()
    W_key = torch.tensor([[0, 1], [0, 0], [0, 0], [-2, 0], [2, 0]]).double()
    return W_query, W_key


def away_from_the_rest():
    """Another right answer: the keys of verbs and others are low, instead of those of nouns high."""
    W_query, W_key = torch.zeros(5, 2), torch.zeros(5, 2)
    W_query[1] = torch.tensor([10.0, 0.0])
    W_key[1, 0] = W_key[2, 0] = -3
    W_query[3, 1], W_query[4, 1] = 10, -10
    W_key[3, 1], W_key[4, 1] = 1, -1
    return W_query, W_key


def nothing():
    return torch.zeros(5, 2), torch.zeros(5, 2)


def any_noun():
    W_query, W_key = agreeing_noun()
    return W_query * torch.tensor([1, 0]), W_key


def number_only():
    W_query, W_key = agreeing_noun()
    return W_query * torch.tensor([0, 1]), W_key


def without_signs():
    W_query, W_key = agreeing_noun()
    return W_query.abs(), W_key.abs()


def other_number():
    W_query, W_key = agreeing_noun()
    return W_query * torch.tensor([1, -1]), W_key


def plural_only():
    """Right for plural verbs; a singular verb does not look at the number."""
    W_query, W_key = agreeing_noun()
    W_query[3], W_key[3] = 0, 0
    return W_query, W_key


def exchanged():
    W_query, W_key = agreeing_noun()
    return W_key, W_query


def too_small():
    W_query, W_key = agreeing_noun()
    return W_query / 4, W_key / 4


def too_small_for_thirteen():
    """Enough for sentences, in which few tokens have the verb's number."""
    W_query, W_key = agreeing_noun()
    return W_query * 5.5 / 4, W_key / 4


def too_small_for_many_nouns():
    """Other tokens are far away, but a noun of the other number is not far enough."""
    W_query, W_key = agreeing_noun()
    return W_query * torch.tensor([1, 0.2]), W_key


def noun_too_weak():
    W_query, W_key = agreeing_noun()
    return W_query * torch.tensor([0.01, 1]), W_key


def away_from_nouns():
    W_query, W_key = agreeing_noun()
    return W_query * torch.tensor([-4, 1]), W_key


def one_map():
    return agreeing_noun()[0]


def transposed():
    return tuple(each.T for each in agreeing_noun())


def whole_numbers():
    return tuple(each.long() for each in agreeing_noun())


ANSWERS = Answers(
    right=(with_whole_tables, away_from_the_rest),
    wrong={
        nothing: r"gives 0\.14 of its attention to the plural nouns.*All your scores are equal",
        any_noun: r"\*cabinet\* gets 0\.50, as much as \*keys\*: the query of \*are\* does not",
        number_only: r"\*are\* gets 0\.50: it has the number of the verb, but it is no noun",
        without_signs: r"your \*are\* gives 0\.50.*\*cabinet\* gets 0\.50, .*the same effect",
        other_number: r"\*cabinet\* gets 1\.00: it is a noun, but of the other number",
        plural_only: r"your \*is\* gives 0\.50 of its attention to the singular nouns.*\*cabinets\* gets",
        exchanged: r"in the other order, every verb would find its nouns",
        too_small: r"The right noun leads, but \*\w+\* still gets 0\.\d\d",
        too_small_for_thirteen: r"these keys are\* your \*are\* gives 0\.\d\d of.*The right noun leads, but \*these\* still gets 0\.0\d, and all wrong tokens together 0\.[12]\d",
        too_small_for_many_nouns: r"cabinet keys are\* your \*are\* gives 0\.\d\d.*but \*cabinet\* still gets 0\.0\d",
        noun_too_weak: r"The right noun leads, but \*are\* still gets 0\.4\d",
        away_from_nouns: r"\*are\* gets 1\.00: it has the number of the verb, but it is no noun",
        one_map: r"Return two maps",
        transposed: r"Your W_query should have the shape \[5, 2\], but it has \[2, 5\]",
        whole_numbers: r"finite numbers of a floating-point type",
    },
)
