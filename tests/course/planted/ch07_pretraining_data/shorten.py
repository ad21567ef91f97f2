"""Answers to `shorten` on which its check is tried."""

from minibert.course.exercises.ch07_pretraining_data.shorten import shorten
from planted import Answers


def shorten_by_slices(first, second, room, rng):
    spans = [[0, len(first)], [0, len(second)]]
    while sum(end - start for start, end in spans) > room:
        lengths = [end - start for start, end in spans]
        span = spans[0] if lengths[0] > lengths[1] else spans[1]
        if rng.random() < 0.5:
            span[0] += 1
        else:
            span[1] -= 1
    return first[slice(*spans[0])], second[slice(*spans[1])]


def shorten_recursively(first, second, room, rng):
    if len(first) + len(second) <= room:
        return list(first), list(second)
    cut = (lambda text: text[1:]) if rng.random() < 0.5 else (lambda text: text[:-1])
    if len(first) > len(second):
        return shorten_recursively(cut(first), second, room, rng)
    return shorten_recursively(first, cut(second), room, rng)


def _cut(first, second, room, rng, which, place):
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = which(first, second)
        del longer[place(longer)]
    return first, second


def _longer(first, second):
    return first if len(first) > len(second) else second


def shorten_in_place(first, second, room, rng):
    while len(first) + len(second) > room:
        del _longer(first, second)[0 if rng.random() < 0.5 else -1]
    return first, second


def shorten_each_to_half(first, second, room, rng):
    return list(first)[: room // 2], list(second)[: room // 2]


def shorten_too_little(first, second, room, rng):
    return shorten(first, second, room + 1, rng)


def shorten_first_on_a_tie(first, second, room, rng):
    return _cut(
        first,
        second,
        room,
        rng,
        lambda a, b: second_or_first(a, b),
        lambda text: 0 if rng.random() < 0.5 else -1,
    )


def second_or_first(first, second):
    return second if len(second) > len(first) else first


def shorten_by_chance(first, second, room, rng):
    return _cut(
        first,
        second,
        room,
        rng,
        lambda a, b: a if b == [] or (a and rng.random() < 0.7) else b,
        lambda text: 0 if rng.random() < 0.5 else -1,
    )


def shorten_first_only(first, second, room, rng):
    return _cut(
        first, second, room, rng, lambda a, b: a or b, lambda text: 0 if rng.random() < 0.5 else -1
    )


def shorten_inside(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: int(rng.random() * len(text)))


def shorten_back(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: -1)


def shorten_front(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: 0)


def shorten_one_coin(first, second, room, rng):
    place = 0 if rng.random() < 0.5 else -1
    return _cut(first, second, room, rng, _longer, lambda text: place)


def shorten_other_side(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: -1 if rng.random() < 0.5 else 0)


def shorten_sorted(first, second, room, rng):
    shorter, longer = sorted((list(first), list(second)), key=len)
    shorter, longer = (
        shorten(shorter, longer, room, rng)
        if len(first) < len(second)
        else reversed(shorten(longer, shorter, room, rng))
    )
    return longer, shorter


def shorten_exchanged(first, second, room, rng):
    return tuple(reversed(shorten(first, second, room, rng)))


def shorten_or_hand_back(first, second, room, rng):
    return (
        (first, second) if len(first) + len(second) <= room else shorten(first, second, room, rng)
    )


def shorten_half_in_place(first, second, room, rng):
    return shorten_in_place(list(first), second, room, rng)


def shorten_second_at_the_back(first, second, room, rng):
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        if rng.random() < 0.5 and len(first) > len(second):
            del first[0]
        else:
            _longer(first, second).pop()
    return first, second


def shorten_coin_on_a_tie(first, second, room, rng):
    return _cut(
        first,
        second,
        room,
        rng,
        lambda a, b: rng.choice((a, b)) if len(a) == len(b) else _longer(a, b),
        lambda text: 0 if rng.random() < 0.5 else -1,
    )


def shorten_mostly_back(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: 0 if rng.random() < 0.2 else -1)


ANSWERS = Answers(
    right=(shorten_by_slices, shorten_recursively),
    wrong={
        shorten_in_place: "changes `first`.*it had 12 entries and has 4",
        shorten_each_to_half: "keep only",
        shorten_too_little: "you keep 8",
        shorten_first_on_a_tie: "become 3 and 4",
        shorten_by_chance: "not chosen at random",
        shorten_first_only: "since the longer one gives",
        shorten_inside: "inside it",
        shorten_back: "at the back alone",
        shorten_front: "at the front alone",
        shorten_one_coin: "anew for each token",
        shorten_mostly_back: "taken from the front",
        shorten_other_side: r"the \*front\* goes",
        shorten_sorted: "also when it is the shorter",
        shorten_exchanged: "comes back first",
        shorten_or_hand_back: "the very lists",
        shorten_half_in_place: "changes `second`.*it had 5 entries and has 3",
        shorten_second_at_the_back: "of the second where",
        shorten_coin_on_a_tie: "the second when both are equally long",
    },
)
