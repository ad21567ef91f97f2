"""Answers to `next_merge` on which its check is tried."""

from minibert.course.exercises.ch01_tokens.next_merge import (
    counts,
    next_merge,
)
from minibert.course.exercises.mistakes.ch01_tokens.next_merge import (
    _next_merge_every_word_once,
    _next_merge_left_part_only,
    _next_merge_lowest,
    _next_merge_most_frequent,
    _next_merge_squared,
    _next_merge_sum_below,
    _next_merge_whole_gain,
)
from planted import Answers


def _next_merge_by_fractions(words):
    single, together = counts(words)
    best = None
    for pair, count in together.items():
        share = count / single[pair[0]] / single[pair[1]]
        if best is None or share > best[0]:
            best = share, pair
    return best[1]


def _next_merge_sorted(words):
    single, together = counts(words)
    return sorted(together, key=lambda pair: single[pair[0]] * single[pair[1]] / together[pair])[0]


def _next_merge_joined(words):
    left, right = next_merge(words)
    return left + right.removeprefix("##")


def _next_merge_any_two(words):
    return tuple(piece for piece, _ in counts(words)[0].most_common(2))


def _next_merge_difference(words):
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] - single[pair[0]] * single[pair[1]])


ANSWERS = Answers(
    right=(_next_merge_by_fractions, _next_merge_sorted),
    wrong={
        _next_merge_most_frequent: "most frequent pair, which is the rule of byte-pair",
        _next_merge_lowest: "lowest score",
        _next_merge_every_word_once: "count every word once",
        _next_merge_sum_below: "sum of the two counts",
        _next_merge_left_part_only: "left part only",
        _next_merge_squared: "square the count of the pair",
        _next_merge_joined: "joined piece 'gr'",
        _next_merge_whole_gain: "gain of the whole likelihood",
        _next_merge_difference: "a quotient",
        _next_merge_any_two: "never stand side by side",
    },
)
