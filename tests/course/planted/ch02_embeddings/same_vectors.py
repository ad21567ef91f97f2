"""Answers to `same_vectors` on which its check is tried."""

from minibert.course.exercises.ch02_embeddings.same_vectors import same_vectors
from minibert.course.exercises.mistakes.ch02_embeddings.same_vectors import (
    _anywhere,
    _by_product,
    _counted_from_one,
    _either,
    _ids_for_positions,
    _no_sep,
    _no_specials,
    _numbers_added,
    _one_object,
    _one_position_short,
    _only_cls,
    _padded_first,
    _place_forgotten,
    _segment_zero_only,
    _segments_forgotten,
    _the_differences,
    _until_the_first_difference,
    _what_stands_before,
    _whole_text_or_nothing,
)
from planted import Answers


def _by_triples(ids_a, ids_b, types_a, types_b):
    first, second = (list(zip(ids, types)) for ids, types in ((ids_a, types_a), (ids_b, types_b)))
    return [i for i, (a, b) in enumerate(zip(first, second)) if a == b]


def _by_sets(ids_a, ids_b, types_a, types_b):
    return sorted(
        i
        for i, _, _ in set(zip(range(len(ids_a)), ids_a, types_a))
        & set(zip(range(len(ids_b)), ids_b, types_b))
    )


def _a_number(ids_a, ids_b, types_a, types_b):
    return len(same_vectors(ids_a, ids_b, types_a, types_b))


def _yes_or_no(ids_a, ids_b, types_a, types_b):
    return [a == b for a, b in zip(zip(ids_a, types_a), zip(ids_b, types_b))]


def _as_far_as_the_first(ids_a, ids_b, types_a, types_b):
    return [i for i in range(len(ids_a)) if ids_a[i] == ids_b[i] and types_a[i] == types_b[i]]


def _first_place_of_each(ids_a, ids_b, types_a, types_b):
    return [ids_a.index(ids_a[i]) for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _pairs_of_positions(ids_a, ids_b, types_a, types_b):
    return [(i, i) for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _uses_up_the_text(ids_a, ids_b, types_a, types_b):
    positions = same_vectors(ids_a, ids_b, types_a, types_b)
    while ids_a:
        ids_a.pop()
    return positions


ANSWERS = Answers(
    right=(_by_triples, _by_sets),
    wrong={
        _segments_forgotten: "pair and as one text.*segment vector is part",
        _place_forgotten: "another position vector",
        _until_the_first_difference: "stop at the first difference",
        _anywhere: "\\*anywhere\\*",
        _what_stands_before: "stands before a position",
        _whole_text_or_nothing: "one token at a time",
        _only_cls: "not the only one",
        _ids_for_positions: "those are ids",
        _a_number: "list of positions",
        _counted_from_one: "count from 0",
        _either: "both must",
        _one_position_short: "last position of the shorter",
        _the_differences: "vectors differ",
        _segment_zero_only: "leave out segment 1",
        _numbers_added: "add up to the same",
        _yes_or_no: "yes or no",
        _by_product: "some product",
        _one_object: "`is` asks",
        _padded_first: "no token at those places",
        _as_far_as_the_first: "of 6 and 5 tokens",
        _first_place_of_each: "list.index",
        _pairs_of_positions: "whole numbers",
        _no_sep: "\\[SEP\\] is a token",
        _no_specials: "\\[CLS\\] and \\[SEP\\] are tokens",
        _uses_up_the_text: "changes `ids_a`",
    },
)
