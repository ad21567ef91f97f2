"""Answers to `looks_random` on which its check is tried."""

import itertools

from planted import Answers


def short_b(first, second):
    return len(second) < 20


def both_whole(first, second):
    """Nothing was cut off at either end."""
    return first[-1] == "." and second[-1] == "."


def one_sentence(first, second):
    """A has at most one full stop: it may have been collected alone."""
    return first.count(".") <= 1


def much_shorter(first, second):
    return int(len(first) + len(second) < 0.8 * 125)


def everything(first, second):
    return True


def full(first, second):
    return len(first) + len(second) == 125


def nothing(first, second):
    return False


def very_short(first, second):
    return len(first) + len(second) < 30


def longer_b(first, second):
    return len(second) > len(first)


def by_words(first, second):
    return sum(map(ord, "".join(second))) % 2 == 0


_calls = itertools.count()


def by_chance(first, second):
    return next(_calls) % 7 == 0


def a_number(first, second):
    return len(first) / 125


ANSWERS = Answers(
    right=(short_b, both_whole, one_sentence, much_shorter),
    wrong={
        everything: "nearly every pair",
        full: r"you suspect 84% .* 52\.6% of these are random; .* At least 60%",
        nothing: "you suspect 0.0% of",
        very_short: r"0\.[1-9]% of .* find something that at least 5%",
        longer_b: "At least 60% have to be: sort",
        by_words: "do not read the words",
        by_chance: "two calls with the same pair",
        a_number: "expected True or False",
    },
)
