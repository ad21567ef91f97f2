"""Wrong answers to `read_sums` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.mistakes import named


def _nearest(x, table):
    return torch.cdist(x, table).argmin(dim=1)


def _largest_product(x, table):
    return (x @ table.T).argmax(dim=1)


def _variant(name, word=_nearest, rest=lambda x, row: x - row, pair=_nearest, order=lambda *a: a):
    """Returns a reader of sums in which one step is replaced."""

    def answer(sums, words, segments, positions):
        ids = word(sums, words)
        others = (segments[:, None] + positions).flatten(0, 1)
        found = pair(rest(sums, words[ids]), others)
        return order(ids, found // len(positions), found % len(positions))

    return named(name, answer)


_by_product = _variant("_by_product", word=_largest_product)
_pairs_by_product = _variant("_pairs_by_product", pair=_largest_product)
_all_by_product = _variant("_all_by_product", word=_largest_product, pair=_largest_product)
_word_not_subtracted = _variant("_word_not_subtracted", rest=lambda x, row: x)
_farthest = _variant("_farthest", word=lambda x, table: torch.cdist(x, table).argmax(dim=1))
_farthest_pair = _variant(
    "_farthest_pair", pair=lambda x, table: torch.cdist(x, table).argmax(dim=1)
)
_all_farthest = _variant(
    "_all_farthest",
    word=lambda x, table: torch.cdist(x, table).argmax(dim=1),
    pair=lambda x, table: torch.cdist(x, table).argmax(dim=1),
)
_swapped = _variant("_swapped", order=lambda ids, types, places: (ids, places, types))
_counted_from_one = _variant(
    "_counted_from_one", order=lambda ids, types, places: (ids + 1, types + 1, places + 1)
)


def _segment_forgotten(sums, words, segments, positions):
    ids = _nearest(sums, words)
    return ids, torch.zeros_like(ids), _nearest(sums - words[ids], positions)


def _segment_from_the_whole_rest(sums, words, segments, positions):
    ids = _nearest(sums, words)
    rest = sums - words[ids]
    return ids, _nearest(rest, segments), torch.zeros_like(ids)


def _segment_first(sums, words, segments, positions):
    ids = _nearest(sums, words)
    rest = sums - words[ids]
    types = _nearest(rest, segments)
    return ids, types, _nearest(rest - segments[types], positions)


def _position_by_order(sums, words, segments, positions):
    ids, types, _ = _variant("right")(sums, words, segments, positions)
    return ids, types, torch.arange(len(sums)) % len(positions)


def _divided_by_segments(sums, words, segments, positions):
    ids = _nearest(sums, words)
    found = _nearest(sums - words[ids], (segments[:, None] + positions).flatten(0, 1))
    return ids, found % len(segments), found // len(segments)


def _first_numbers(sums, words, segments, positions):
    cut = [table[:, :2] for table in (sums, words, segments, positions)]
    return _variant("right")(*cut)


KNOWN = (
    (
        _by_product,
        "a dot product prefers long rows: a long row that points only roughly the same way wins over the right one. Take the row at the smallest distance.",
    ),
    (
        _pairs_by_product,
        "the word is right, but for the rest you take the largest dot product, which prefers long rows; take the smallest distance.",
    ),
    (
        _all_by_product,
        "you take the largest dot product in both steps, and it prefers long rows; take the smallest distance.",
    ),
    (
        _word_not_subtracted,
        "you look for segment and position in the whole sum, where the longer word row drowns them. Subtract the row of the word that you have found.",
    ),
    (_farthest, "your word is the row at the *largest* distance; take argmin."),
    (_all_farthest, "both times you take the row at the *largest* distance; take argmin."),
    (_farthest_pair, "your pair is at the *largest* distance from the rest; take argmin."),
    (_swapped, "segments and positions have changed places: return ids, segments, positions."),
    (_counted_from_one, "you count rows from 1; the first row of a table has the number 0."),
    (
        _segment_forgotten,
        "you compare the rest with the positions alone and call every segment 0; the rest is a segment row *plus* a position row.",
    ),
    (
        _segment_from_the_whole_rest,
        "your positions are all 0: segment and position have to be found together, since the rest contains both.",
    ),
    (
        _segment_first,
        "you choose the segment first and the position afterwards. The segment rows differ less than the position disturbs them, so the first choice is a guess: compare the rest with all T × P pairs at once.",
    ),
    (
        _position_by_order,
        "you take the order in which the sums come for their positions; they come in any order, and the position is in the vector.",
    ),
    (
        _divided_by_segments,
        "`others` has the positions of segment 0 first, then those of segment 1: divide by the number of *positions*.",
    ),
    (_first_numbers, "you compare only the first two numbers; use all H of them."),
)
