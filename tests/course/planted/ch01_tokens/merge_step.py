"""Answers to `merge_step` on which its check is tried."""

from collections import Counter

from minibert.course.exercises.ch01_tokens.merge_step import merge_step
from minibert.course.exercises.mistakes.ch01_tokens.merge_step import KNOWN, _step
from planted import Answers, patterns


def _merge_step_with_options(words):
    return _step(words)


def _merge_step_by_index(words):
    pairs = Counter()
    for pieces, count in words.items():
        pairs.update(dict.fromkeys(zip(pieces, pieces[1:]), 0))
        for i in range(len(pieces) - 1):
            pairs[pieces[i], pieces[i + 1]] += count
    best = pairs.most_common(1)[0][0]
    token, merged = best[0] + best[1][2:], {}
    for pieces, count in words.items():
        row, i = (), 0
        while i < len(pieces):
            hit = pieces[i : i + 2] == best
            row, i = row + ((token,) if hit else pieces[i : i + 1]), i + 1 + hit
        merged[row] = count
    return token, merged


def _merge_step_pair(words):
    pieces = max(words, key=words.get)
    return pieces[:2], words


def _merge_step_token_only(words):
    return merge_step(words)[0]


def _merge_step_list(words):
    token, merged = merge_step(words)
    return token, list(merged)


def _merge_step_counts_lost(words):
    token, merged = merge_step(words)
    return token, dict.fromkeys(merged, 1)


def _merge_step_beyond_the_end(words):
    token, _ = merge_step(words)
    best, found = ("t", "##h"), {}
    for pieces, count in words.items():
        new, i = [], 0
        while i < len(pieces):
            fits = (pieces[i], pieces[i + 1]) == best
            new.append(token if fits else pieces[i])
            i += 1 + fits
        found[tuple(new)] = count
    return token, found


def _merge_step_drops_the_other_words(words):
    token, merged = merge_step(words)
    return token, {pieces: count for pieces, count in merged.items() if pieces not in words}


ANSWERS = Answers(
    right=(_merge_step_with_options, _merge_step_by_index),
    wrong={
        **patterns(KNOWN),
        _merge_step_pair: "your token is the pair",
        _merge_step_token_only: "you return a str",
        _merge_step_list: "your words are a list",
        _merge_step_counts_lost: "with the count 3",
        _merge_step_beyond_the_end: "no pieces.i . 1.",
        _merge_step_drops_the_other_words: "should stay as it is",
    },
)
