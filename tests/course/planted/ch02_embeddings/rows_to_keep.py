"""Answers to `rows_to_keep` on which its check is tried."""

import torch

from minibert.course.exercises.ch02_embeddings.rows_to_keep import rows_to_keep
from minibert.course.exercises.mistakes.ch02_embeddings.rows_to_keep import KNOWN
from planted import Answers, patterns


def _by_rank(tokens, size):
    """Every token gets a rank: needed, then real, then unused."""

    def rank(i):
        token = tokens[i]
        if token.startswith("[unused"):
            return 2
        return 0 if token.startswith("[") or len(token.replace("##", "")) == 1 else 1

    return sorted(sorted(range(len(tokens)), key=lambda i: (rank(i), i))[:size])


def _as_a_tensor(tokens, size):
    return torch.tensor(rows_to_keep(tokens, size))


def _tokens_for_ids(tokens, size):
    return [tokens[i] for i in rows_to_keep(tokens, size)]


def _a_mask(tokens, size):
    return [i in rows_to_keep(tokens, size) for i in range(len(tokens))]


ANSWERS = Answers(
    right=(_by_rank, _as_a_tensor),
    wrong={
        **patterns(KNOWN),
        _tokens_for_ids: r"you return \['\[PAD\]'",
        _a_mask: r"you return \[True",
    },
)
