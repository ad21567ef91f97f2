"""Wrong answers to `same_vectors` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch02_embeddings.same_vectors import same_vectors


def _segments_forgotten(ids_a, ids_b, types_a, types_b):
    return [i for i, (a, b) in enumerate(zip(ids_a, ids_b)) if a == b]


def _place_forgotten(ids_a, ids_b, types_a, types_b):
    return [i for i, a in enumerate(ids_a) if a in ids_b]


def _until_the_first_difference(ids_a, ids_b, types_a, types_b):
    right = same_vectors(ids_a, ids_b, types_a, types_b)
    return [i for n, i in enumerate(right) if i == n]


def _whole_text_or_nothing(ids_a, ids_b, types_a, types_b):
    return list(range(len(ids_a))) if (ids_a, types_a) == (ids_b, types_b) else []


def _only_cls(ids_a, ids_b, types_a, types_b):
    return [0]


def _ids_for_positions(ids_a, ids_b, types_a, types_b):
    return [ids_a[i] for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _either(ids_a, ids_b, types_a, types_b):
    return [
        i
        for i in range(min(len(ids_a), len(ids_b)))
        if ids_a[i] == ids_b[i] or types_a[i] == types_b[i]
    ]


def _one_position_short(ids_a, ids_b, types_a, types_b):
    return [
        i
        for i in same_vectors(ids_a, ids_b, types_a, types_b)
        if i < min(len(ids_a), len(ids_b)) - 1
    ]


def _the_differences(ids_a, ids_b, types_a, types_b):
    return [
        i
        for i in range(min(len(ids_a), len(ids_b)))
        if i not in same_vectors(ids_a, ids_b, types_a, types_b)
    ]


def _segment_zero_only(ids_a, ids_b, types_a, types_b):
    return [i for i in same_vectors(ids_a, ids_b, types_a, types_b) if types_a[i] == 0]


def _numbers_added(ids_a, ids_b, types_a, types_b):
    return [
        i
        for i in range(min(len(ids_a), len(ids_b)))
        if ids_a[i] + types_a[i] == ids_b[i] + types_b[i]
    ]


def _by_product(ids_a, ids_b, types_a, types_b):
    return [
        i
        for i in range(min(len(ids_a), len(ids_b)))
        if ids_a[i] * (types_a[i] + 1) == ids_b[i] * (types_b[i] + 1)
    ]


def _one_object(ids_a, ids_b, types_a, types_b):
    return [
        i
        for i in range(min(len(ids_a), len(ids_b)))
        if ids_a[i] is ids_b[i] and types_a[i] is types_b[i]
    ]


def _padded_first(ids_a, ids_b, types_a, types_b):
    length = max(len(ids_a), len(ids_b))
    ids_a, ids_b, types_a, types_b = (
        numbers + [0] * (length - len(numbers)) for numbers in (ids_a, ids_b, types_a, types_b)
    )
    return [i for i in range(length) if ids_a[i] == ids_b[i] and types_a[i] == types_b[i]]


def _no_sep(ids_a, ids_b, types_a, types_b):
    return [i for i in same_vectors(ids_a, ids_b, types_a, types_b) if ids_a[i] != 102]


def _no_specials(ids_a, ids_b, types_a, types_b):
    return [i for i in same_vectors(ids_a, ids_b, types_a, types_b) if ids_a[i] not in (101, 102)]


def _counted_from_one(ids_a, ids_b, types_a, types_b):
    return [i + 1 for i in same_vectors(ids_a, ids_b, types_a, types_b)]


def _anywhere(ids_a, ids_b, types_a, types_b):
    return [
        i
        for i in range(min(len(ids_a), len(ids_b)))
        if (ids_a[i], types_a[i]) in list(zip(ids_b, types_b))
    ]


def _what_stands_before(ids_a, ids_b, types_a, types_b):
    return [i for i in range(min(len(ids_a), len(ids_b))) if ids_a[:i] == ids_b[:i]]


SAME_MISTAKES = (
    (
        _padded_first,
        "one text has no token at those places, so it has no vector there. Padding counts where it stands, and must not be thought up.",
    ),
    (_one_position_short, "you leave out the last position of the shorter text."),
    (_the_differences, "those are the positions at which the vectors differ."),
    (
        _segment_zero_only,
        "you leave out segment 1; two tokens that are both of segment 1 agree in their segment as well.",
    ),
    (
        _numbers_added,
        "id and segment are rows of two tables; that their numbers add up to the same says nothing about the vectors.",
    ),
    (
        _by_product,
        "id and segment are rows of two tables; that some product of them is the same says nothing about the vectors.",
    ),
    (
        _one_object,
        "ids above 256 are missing: `is` asks whether two numbers are one object; `==` asks whether they are equal.",
    ),
    (
        _segments_forgotten,
        "the ids agree there, but not all the segments do: the segment vector is part of the sum.",
    ),
    (
        _place_forgotten,
        "the same token at another place gets another position vector, so it is not the same sum.",
    ),
    (_ids_for_positions, "those are ids; asked for are the positions where they stand."),
    (
        _until_the_first_difference,
        "you stop at the first difference; but no token looks at another one here, so a later one can agree again.",
    ),
    (
        _only_cls,
        "[CLS] is the same in both, but it is not the only one: any token with the same id, place and segment is.",
    ),
    (
        _whole_text_or_nothing,
        "at least [CLS] is the same in both. The sum and LayerNorm look at one token at a time; the rest of the text changes nothing.",
    ),
    (_counted_from_one, "positions count from 0."),
    (_either, "the segments agree there, but not all the tokens do: both must."),
    (
        _no_specials,
        "[CLS] and [SEP] are tokens like any other: they have a row, a place and a segment.",
    ),
    (_no_sep, "[SEP] is a token like any other: it has a row, a place and a segment."),
    (
        _anywhere,
        "you look whether the token stands *anywhere* in the other text; at another place it gets another position vector.",
    ),
    (
        _what_stands_before,
        "you compare what stands before a position; compare the position itself, whatever stands before it.",
    ),
)


KNOWN = SAME_MISTAKES
