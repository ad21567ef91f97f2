"""Answers to `muddy` on which its check is tried."""

from minibert.course.exercises.mistakes.ch04_attention.muddy import KNOWN
from planted import Answers, patterns


def stronger():
    """Another right answer: larger numbers, and a query that avoids its own key."""
    return [-1.0, 4.0], [3.0, 0.0], [2.5, -0.5]


def negative_key():
    """Another right answer: the key says that muddy is no noun."""
    return (-1, 3), (3, -1), (2, 0)


def two_vectors():
    return (0, 2), (2, 0)


def three_numbers():
    return (0, 2, 0), (2, 0), (2, 0)


def huge():
    return (0, 200), (2, 0), (2, 0)


def key_of_a_noun():
    return (0, 2), (2, 2), (2, 0)


def value_is_undecided():
    return (0, 2), (2, 0), (1, 1)


def looks_for_the_topic():
    return (2, 0), (2, 0), (2, 0)


ANSWERS = Answers(
    right=(stronger, negative_key),
    wrong=patterns(KNOWN)
    | {
        two_vectors: r"Return three vectors",
        three_numbers: r"query should be two numbers",
        huge: r"between -5 and 5",
        key_of_a_noun: r"“the” gives “bank” a weight of only 0\.4",
        value_is_undecided: r"“bank” takes \(0\.97, 0\.97\)",
        looks_for_the_topic: r"“muddy” gives “bank” a weight of only 0\.1",
    },
)
