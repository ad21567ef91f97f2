"""Answers to `words_of` on which its check is tried."""

from minibert.course.exercises.ch07_pretraining_data.words_of import words_of
from minibert.course.exercises.mistakes.ch07_pretraining_data.words_of import (
    first_pieces,
    single_pieces,
    words_across_sep,
    words_as_tokens,
    words_by_any_hash,
    words_by_one_hash,
    words_lose_openers,
    words_lose_the_last,
    words_of_pieces_only,
    words_of_two_pieces,
    words_with_mask,
    words_with_padding,
    words_with_special,
    words_without_brackets,
)
from planted import Answers


def words_by_runs(tokens):
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    words, last = [], None
    for position, token in enumerate(tokens):
        if token in special:
            last = None
        elif token[:2] == "##" and last is not None:
            last.append(position)
        else:
            last = [position]
            words.append(last)
    return words


def words_by_starts(tokens):
    no_word = [token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") for token in tokens]
    starts = [
        i
        for i, token in enumerate(tokens)
        if not no_word[i] and (not token.startswith("##") or i == 0 or no_word[i - 1])
    ]
    ends = [
        next((j for j in range(i + 1, len(tokens)) if no_word[j] or j in starts), len(tokens))
        for i in starts
    ]
    return [list(range(i, j)) for i, j in zip(starts, ends)]


def words_before_any(tokens):
    words = []
    for position, token in enumerate(tokens):
        if token.startswith("##"):
            words[-1].append(position)
        elif token not in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"):
            words.append([position])
    return words


def words_of_three(tokens):
    return [word[:3] for word in words_of(tokens)]


ANSWERS = Answers(
    right=(words_by_runs, words_by_starts),
    wrong={
        words_across_sep: "right after .SEP.",
        words_with_special: "are never predicted",
        words_with_padding: "are no words",
        single_pieces: "word of its own in your list",
        first_pieces: "only the first piece",
        words_as_tokens: "wanted are their positions",
        words_by_any_hash: "stand in front",
        words_of_pieces_only: "only words of several",
        words_before_any: "before any word has begun",
        words_lose_openers: "opens a text is lost",
        words_without_brackets: "a bracket that stands",
        words_with_mask: r"\[MASK\] is in your list",
        words_lose_the_last: "the last word is lost",
        words_of_two_pieces: "a third piece falls off",
        words_by_one_hash: "it must be `##`",
        words_of_three: r"return \[1, 2, 3\], where \[1, 2, 3, 4, 5\]",
    },
)
