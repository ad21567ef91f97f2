"""Answers to `search` on which its check is tried."""

import torch.nn.functional as F

from minibert.course.exercises.ch00_first_look.common import cosine
from minibert.course.exercises.ch00_first_look.search import search
from minibert.course.exercises.mistakes.ch00_first_look.search import (
    best_last,
    by_distance,
    by_dot_product,
    by_size_of_cosine,
    by_squared_length,
    counts_from_one,
    everything,
    in_order_of_rows,
    only_the_best,
    worst_first,
)
from planted import Answers


def search_by_sorting(query, documents, k):
    """Another right answer: all cosines sorted, in plain Python."""
    scores = F.cosine_similarity(documents, query[None], dim=-1).tolist()
    return sorted(range(len(scores)), key=lambda row: -scores[row])[:k]


def search_with_units(query, documents, k):
    """Another right answer: directions first, then one matrix product."""
    return (F.normalize(documents, dim=-1) @ query).argsort(descending=True)[:k].tolist()


def one_too_many(query, documents, k):
    return search(query, documents, k + 1)


def always_three(query, documents, k):
    return search(query, documents, 3)


def scores_instead(query, documents, k):
    return cosine(documents, query).topk(k).values.tolist()


def as_tensor(query, documents, k):
    return cosine(documents, query).topk(k).indices


ANSWERS = Answers(
    right=(search_by_sorting, search_with_units),
    wrong={
        by_dot_product: r"dot products",
        by_distance: r"that of distances",
        worst_first: r"least alike",
        best_last: r"best one last",
        in_order_of_rows: r"order of their rows",
        scores_instead: r"holds the cosines",
        only_the_best: r"best one only",
        everything: r"all 6 documents",
        by_size_of_cosine: r"as unlike as can be",
        counts_from_one: r"counted from 1",
        as_tensor: r"a tensor of shape \[3\]",
        by_squared_length: r"squared lengths",
        one_too_many: r"you return 4",
        always_three: r"Asked for 1 document you return \[3, 1, 4\]",
    },
)
