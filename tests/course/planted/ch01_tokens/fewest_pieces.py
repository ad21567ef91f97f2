"""Answers to `fewest_pieces` on which its check is tried."""

from minibert.course.exercises.ch01_tokens.common import wordpiece
from minibert.course.exercises.ch01_tokens.fewest_pieces import fewest_pieces
from minibert.course.exercises.mistakes.ch01_tokens.fewest_pieces import _last_cut_found
from planted import Answers


def _by_recursion(word, vocab, mark=""):
    if not word:
        return []
    cuts = []
    for end in range(1, len(word) + 1):
        if mark + word[:end] in vocab:
            rest = _by_recursion(word[end:], vocab, "##")
            cuts += [] if rest == ["[UNK]"] else [[mark + word[:end], *rest]]
    return min(cuts, key=len, default=["[UNK]"])


def _growing(word, vocab):
    """All cuts with one piece, then with two, and so on, until one ends where the word ends."""
    cuts = [(0, [])]
    while cuts:
        for end, pieces in cuts:
            if end == len(word):
                return pieces
        cuts = [
            (end, [*pieces, piece])
            for start, pieces in cuts
            for end in range(start + 1, len(word) + 1)
            if (piece := "##" * (start > 0) + word[start:end]) in vocab
        ]
    return ["[UNK]"]


def _longest_match(word, vocab):
    return wordpiece(word, vocab) if word else []


def _nothing_for_unknown(word, vocab):
    found = fewest_pieces(word, vocab)
    return [] if found == ["[UNK]"] else found


def _last_piece_only(word, vocab):
    return fewest_pieces(word, vocab)[-1:]


def _without_marks(word, vocab):
    return [piece.removeprefix("##") for piece in fewest_pieces(word, vocab)]


def _ends_early(word, vocab):
    found = fewest_pieces(word, vocab)
    return found[:-1] if len(found) > 1 else found


def _string(word, vocab):
    return " ".join(fewest_pieces(word, vocab))


ANSWERS = Answers(
    right=(_by_recursion, _growing),
    wrong={
        _longest_match: "longest match first",
        _last_cut_found: "found later",
        _nothing_for_unknown: "expected .'\\[UNK\\]'",
        _last_piece_only: "the first does not",
        _without_marks: "##|not in the vocabulary",
        _ends_early: "do not spell the word",
        _string: "you return a str",
    },
)
