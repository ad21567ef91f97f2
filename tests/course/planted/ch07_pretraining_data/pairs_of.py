"""Answers to `pairs_of` on which its check is tried."""

from planted import Answers


def _made(name, label_of, second_of, next_of):
    """An answer of this name from three rules: the label, B, and where the next pair begins."""

    def answer(document, elsewhere, room, rng):
        pairs, start = [], 0
        while start < len(document):
            end, length = start + 1, len(document[start])
            while end < len(document) and length < room:
                length += len(document[end])
                end += 1
            alone = end == start + 1
            cut = end if alone else rng.randint(start + 1, end - 1)
            first, rest = sum(document[start:cut], []), sum(document[cut:end], [])
            label = label_of(alone, rng)
            second = second_of(label, elsewhere, room, first, rest)
            start = next_of(label, cut, end)
            pairs.append((first, second, label))
        return pairs

    answer.__name__ = name
    return answer


def label(alone, rng):
    return int(alone or rng.random() < 0.5)


def second(label, elsewhere, room, first, rest):
    return elsewhere(room - len(first)) if label else rest


def following(label, cut, end):
    return cut if label else end


with_conditions = _made(
    "with_conditions",
    lambda alone, rng: 1 if alone else (1 if rng.random() < 0.5 else 0),
    lambda label, elsewhere, room, first, rest: (
        rest if label == 0 else elsewhere(room - len(first))
    ),
    lambda label, cut, end: (end, cut)[label],
)
with_a_boolean = _made(
    "with_a_boolean", lambda alone, rng: alone or rng.random() < 0.5, second, following
)
labels_swapped = _made(
    "labels_swapped",
    lambda alone, rng: 1 - label(alone, rng),
    lambda label, elsewhere, room, first, rest: rest if label else elsewhere(room - len(first)),
    lambda label, cut, end: end if label else cut,
)
coin_for_all = _made("coin_for_all", lambda alone, rng: int(rng.random() < 0.5), second, following)
always_random = _made("always_random", lambda alone, rng: 1, second, following)
only_when_alone = _made("only_when_alone", lambda alone, rng: int(alone), second, following)
nothing_put_back = _made("nothing_put_back", label, second, lambda label, cut, end: end)
always_put_back = _made("always_put_back", label, second, lambda label, cut, end: cut)
turned_round = _made("turned_round", label, second, lambda label, cut, end: end if label else cut)
whole_room = _made(
    "whole_room",
    label,
    lambda label, elsewhere, room, first, rest: elsewhere(room) if label else rest,
    following,
)
b_without_label = _made(
    "b_without_label",
    label,
    lambda label, elsewhere, room, first, rest: rest or elsewhere(room - len(first)),
    following,
)
a_text = _made(
    "a_text",
    label,
    lambda label, elsewhere, room, first, rest: (
        "".join(elsewhere(room - len(first))) if label else rest
    ),
    following,
)
a_share = _made("a_share", lambda alone, rng: 1.0 if alone else rng.random(), second, following)
coin_turned = _made(
    "coin_turned", lambda alone, rng: int(alone or rng.random() >= 0.5), second, following
)
coin_first = _made(
    "coin_first", lambda alone, rng: int(rng.random() < 0.5 or alone), second, following
)


def never_ends(document, elsewhere, room, rng):
    while True:
        elsewhere(room)


def no_list(document, elsewhere, room, rng):
    return None


def fails_on_long_sentences(document, elsewhere, room, rng):
    pairs = _made("right", label, second, following)(document, elsewhere, room, rng)
    return [pair for pair in pairs if len(pair[0]) <= 20]


def fails_on_nothing(document, elsewhere, room, rng):
    if not document:
        return [([], elsewhere(room), 1)]
    return _made("right", label, second, following)(document, elsewhere, room, rng)


ANSWERS = Answers(
    right=(with_conditions, with_a_boolean),
    wrong={
        labels_swapped: "labels are swapped",
        coin_for_all: "a B is empty",
        always_random: "all .* labels are 1",
        only_when_alone: "expected a toss of a coin",
        nothing_put_back: "never used",
        always_put_back: "used twice",
        turned_round: "never used|used twice",
        whole_room: "what A leaves of the room",
        b_without_label: "contradicts its B",
        a_text: "expected a list of tokens",
        a_share: "expected 0 or 1",
        coin_turned: "Toss with one",
        coin_first: "30, 1, 30 tokens is cut wrongly",
        never_ends: "never get to the end",
        no_list: r"expected a list of \(A, B, label\)",
        fails_on_long_sentences: "have 30 tokens is cut wrongly",
        fails_on_nothing: "without sentences",
    },
)
