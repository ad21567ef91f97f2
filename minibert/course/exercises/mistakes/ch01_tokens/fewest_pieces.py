"""Wrong answers to `fewest_pieces` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch01_tokens.common import wordpiece


def _last_cut_found(word, vocab):
    best = {0: []}
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = ("##" if start > 0 else "") + word[start:end]
            if start in best and piece in vocab:
                best[end] = [*best[start], piece]
    return best.get(len(word), ["[UNK]"])


KNOWN = (
    (wordpiece, "that is longest match first, which can take more pieces than necessary"),
    (_last_cut_found, "you replace a cut by a longer one that is found later"),
)
