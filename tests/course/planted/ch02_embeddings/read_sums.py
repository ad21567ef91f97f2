"""Answers to `read_sums` on which its check is tried."""

import torch

from minibert.course.exercises.ch02_embeddings.read_sums import read_sums
from minibert.course.exercises.mistakes.ch02_embeddings.read_sums import KNOWN
from planted import Answers, patterns


def _by_scores(sums, words, segments, positions):
    """The nearest row by |row|² - 2 x · row, and one sum at a time."""
    found = []
    for x in sums:
        word = (words.pow(2).sum(dim=1) - 2 * words @ x).argmin()
        grid = segments[:, None] + positions[None]  # [T, P, H]
        far = (grid - (x - words[word])).pow(2).sum(dim=-1)  # [T, P]
        segment, position = divmod(int(far.argmin()), len(positions))
        found.append([int(word), segment, position])
    return tuple(torch.tensor(found).T)


def _segments_in_turn(sums, words, segments, positions):
    ids = torch.cdist(sums, words).argmin(dim=1)
    rest = sums - words[ids]
    far = torch.stack([torch.cdist(rest - segment, positions) for segment in segments], dim=1)
    best, position = far.min(dim=-1)  # [n, T] each
    segment = best.argmin(dim=1)
    return ids, segment, position[torch.arange(len(sums)), segment]


def _rows(sums, words, segments, positions):
    ids, types, places = read_sums(sums, words, segments, positions)
    return words[ids], segments[types], positions[places]


def _one_tensor(sums, words, segments, positions):
    return torch.stack(read_sums(sums, words, segments, positions))


def _distances(sums, words, segments, positions):
    _, types, places = read_sums(sums, words, segments, positions)
    return torch.cdist(sums, words).amin(dim=1), types, places


def _whole_table_subtracted(sums, words, segments, positions):
    return read_sums(sums - words, words, segments, positions)


def _ids_subtracted(sums, words, segments, positions):
    return read_sums(sums - torch.cdist(sums, words).argmin(dim=1), words, segments, positions)


ANSWERS = Answers(
    right=(_by_scores, _segments_in_turn),
    wrong={
        **patterns(KNOWN),
        _rows: r"your token ids should be 9 whole numbers.*shape \[9, 64\]",
        _one_tensor: "three tensors.*you return a Tensor",
        _whole_table_subtracted: r"words\[ids\].*whole table `words` has 40 rows",
        _ids_subtracted: "`ids` are row numbers",
        _distances: r"torch.float32 of shape \[9\]",
    },
)
