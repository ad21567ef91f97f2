"""Answers to `previous_token` on which its check is tried."""

import math

import torch

from minibert.course.exercises.ch04_attention.previous_token import previous_token
from minibert.course.exercises.mistakes.ch04_attention.previous_token import (
    PREVIOUS_MISTAKES,
    turned,
)
from planted import Answers, patterns

key_turned_forward = turned("key_turned_forward", 0, 1)


def one_long_query(step):
    """Another right answer: all of the length in the query."""
    W_query, W_key = previous_token(step)
    return 15 * W_query, W_key / 20


def listens_to_words(step):
    W_query, W_key = previous_token(step)
    return W_query, torch.cat([torch.eye(2), W_key[2:]])


def one_map(step):
    return previous_token(step)[0]


def the_other_way_up(step):
    return tuple(each.T for each in previous_token(step))


def twenty_degrees_always(step):
    return previous_token(math.radians(20))


def opposite(step):
    W_query, W_key = previous_token(step)
    return -W_query, W_key


def not_sharp_enough(step):
    W_query, W_key = previous_token(step)
    return W_query / 10, W_key / 2


ANSWERS = Answers(
    right=(key_turned_forward, one_long_query),
    wrong=patterns(PREVIOUS_MISTAKES)
    | {
        listens_to_words: r"With other words",
        one_map: r"Return two maps",
        the_other_way_up: r"Your W_query should have the shape \[4, 2\]",
        twenty_degrees_always: r"the same for every step",
        opposite: r"The largest weight of token 1 is on token 5",
        not_sharp_enough: r"it is the largest weight of its row",
    },
)
