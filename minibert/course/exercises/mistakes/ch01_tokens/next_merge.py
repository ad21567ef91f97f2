"""Wrong answers to `next_merge` that its check recognises, each with the feedback for it."""

import math

from minibert.course.exercises.ch01_tokens.next_merge import (
    counts,
    next_merge,
)


def _next_merge_most_frequent(words):
    return counts(words)[1].most_common(1)[0][0]


def _next_merge_lowest(words):
    single, together = counts(words)
    return min(together, key=lambda pair: together[pair] / (single[pair[0]] * single[pair[1]]))


def _next_merge_every_word_once(words):
    return next_merge(dict.fromkeys(words, 1))


def _next_merge_sum_below(words):
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] / (single[pair[0]] + single[pair[1]]))


def _next_merge_left_part_only(words):
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] / single[pair[0]])


def _next_merge_squared(words):
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] ** 2 / (single[pair[0]] * single[pair[1]]))


def _next_merge_whole_gain(words):
    single, together = counts(words)
    total = single.total()

    def gain(pair):
        a, b = pair
        n = together[pair]
        after = (
            _n_log_n(n)
            - _n_log_n(total - n)
            + (
                _n_log_n(single[a] - 2 * n)
                if a == b
                else _n_log_n(single[a] - n) + _n_log_n(single[b] - n)
            )
        )
        return after - sum(_n_log_n(single[piece]) for piece in {a, b})

    return max(together, key=gain)


def _n_log_n(n):
    return n * math.log(n) if n > 0 else 0.0


MERGE_MISTAKES = (
    (
        _next_merge_most_frequent,
        "you choose the most frequent pair, which is the rule of byte-pair encoding",
    ),
    (_next_merge_lowest, "you choose the pair with the lowest score"),
    (
        _next_merge_every_word_once,
        "you count every word once, or leave out pairs that occur only once; the number beside a word says how often it occurs",
    ),
    (
        _next_merge_sum_below,
        "you divide by the sum of the two counts; the score divides by their product",
    ),
    (
        _next_merge_left_part_only,
        "you divide by the count of the left part only, or of one of the two; the score divides by both",
    ),
    (
        _next_merge_squared,
        "you square the count of the pair, or take a root of the product below; the score has both as they are",
    ),
    (
        _next_merge_whole_gain,
        "you choose by the gain of the whole likelihood, which also counts how often the pair occurs",
    ),
)


KNOWN = MERGE_MISTAKES
