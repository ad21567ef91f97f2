"""Answers to `pairs_of` on which its check is tried."""

from collections import deque

from planted import Answers


def truncate(first, second, room, rng):
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        longer.pop(0 if rng.random() < 0.5 else -1)


def _of(start, end, rng):
    return start + rng.randint(1, end - start - 1)


def _made(name, **changed):
    """The right way, with some of its steps changed."""
    steps = {
        "go_on": lambda length, target: length < target,
        "cut_of": _of,
        "label_of": lambda alone, rng: int(alone or rng.random() < 0.5),
        "wanted": lambda target, room, first: target - len(first),
        "next_of": lambda label, cut, end: cut if label else end,
        "shorten": truncate,
        "shown": lambda first, second, label: (first, second, label),
    } | changed

    def answer(document, elsewhere, target, room, rng):
        pairs, start = [], 0
        while start < len(document):
            end, length = start + 1, len(document[start])
            while end < len(document) and steps["go_on"](length, target):
                length += len(document[end])
                end += 1
            alone = end == start + 1
            cut = end if alone else steps["cut_of"](start, end, rng)
            first, second = sum(document[start:cut], []), sum(document[cut:end], [])
            label = steps["label_of"](alone, rng)
            if label:
                second = elsewhere(steps["wanted"](target, room, first))
            start = steps["next_of"](label, cut, end)
            steps["shorten"](first, second, room, rng)
            pairs.append(steps["shown"](first, second, label))
        return pairs

    answer.__name__ = name
    return answer


right = _made("right")
with_a_boolean = _made("with_a_boolean", label_of=lambda alone, rng: alone or rng.random() < 0.5)


def with_chunks(document, elsewhere, target, room, rng):
    """Sentence by sentence, as the released program does it."""
    pairs, chunk, i = [], [], 0
    while i < len(document):
        chunk.append(document[i])
        i += 1
        if i < len(document) and sum(map(len, chunk)) < target:
            continue
        cut = rng.randint(1, len(chunk) - 1) if len(chunk) > 1 else 1
        a = deque(token for sentence in chunk[:cut] for token in sentence)
        b = deque(token for sentence in chunk[cut:] for token in sentence)
        label = 1 if len(chunk) == 1 or rng.random() < 0.5 else 0
        if label:
            i -= len(chunk) - cut
            b = deque(elsewhere(target - len(a)))
        while len(a) + len(b) > room:
            longer = a if len(a) > len(b) else b
            longer.popleft() if rng.random() < 0.5 else longer.pop()
        pairs.append((list(a), list(b), label))
        chunk = []
    return pairs


def _from(where):
    def shorten(first, second, room, rng):
        while len(first) + len(second) > room:
            longer = first if len(first) > len(second) else second
            longer.pop(where)

    return shorten


def _only_b(first, second, room, rng):
    while len(first) + len(second) > room:
        (second or first).pop()


def _turned(first, second, room, rng):
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        longer.pop(-1 if rng.random() < 0.5 else 0)


def _from_a_if_equal(first, second, room, rng):
    while len(first) + len(second) > room:
        longer = first if len(first) >= len(second) else second
        longer.pop(0 if rng.random() < 0.5 else -1)


labels_swapped = _made("labels_swapped", shown=lambda first, second, label: (first, second, 1 - label))  # fmt: skip
coin_for_all = _made("coin_for_all", label_of=lambda alone, rng: int(rng.random() < 0.5))
always_random = _made("always_random", label_of=lambda alone, rng: 1)
only_when_alone = _made("only_when_alone", label_of=lambda alone, rng: int(alone))
nothing_put_back = _made("nothing_put_back", next_of=lambda label, cut, end: end)
always_put_back = _made("always_put_back", next_of=lambda label, cut, end: cut)
turned_round = _made("turned_round", next_of=lambda label, cut, end: end if label else cut)
whole_target = _made("whole_target", wanted=lambda target, room, first: target)
of_the_room = _made("of_the_room", wanted=lambda target, room, first: room - len(first))
coin_turned = _made("coin_turned", label_of=lambda alone, rng: int(alone or rng.random() >= 0.5))
coin_first = _made("coin_first", label_of=lambda alone, rng: int(rng.random() < 0.5 or alone))
too_long = _made("too_long", go_on=lambda length, target: length < target + 3)
too_short = _made("too_short", go_on=lambda length, target: length < target - 4)
first_boundary = _made("first_boundary", cut_of=lambda start, end, rng: start + 1)
empty_a = _made("empty_a", cut_of=lambda start, end, rng: start + rng.randint(0, end - start - 1))
a_text = _made("a_text", shown=lambda first, second, label: (first, " ".join(second), label))
a_share = _made("a_share", label_of=lambda alone, rng: 1.0 if alone else rng.random())
not_shortened = _made("not_shortened", shorten=lambda *texts: None)
only_the_back = _made("only_the_back", shorten=_from(-1))
only_the_front = _made("only_the_front", shorten=_from(0))
only_b = _made("only_b", shorten=_only_b)
front_and_back_turned = _made("front_and_back_turned", shorten=_turned)
from_a_if_equal = _made("from_a_if_equal", shorten=_from_a_if_equal)


def never_ends(document, elsewhere, target, room, rng):
    while True:
        elsewhere(room)


def no_list(document, elsewhere, target, room, rng):
    return None


def fails_on_long_sentences(document, elsewhere, target, room, rng):
    return [pair for pair in right(document, elsewhere, target, room, rng) if len(pair[0]) <= 20]


def fails_on_nothing(document, elsewhere, target, room, rng):
    return right(document, elsewhere, target, room, rng) or [([], elsewhere(room), 1)]


ANSWERS = Answers(
    right=(right, with_a_boolean, with_chunks),
    wrong={
        labels_swapped: "labels are swapped",
        coin_for_all: "a B is empty",
        always_random: "all .* labels are 1",
        only_when_alone: "expected a toss of a coin",
        nothing_put_back: "never used",
        always_put_back: "used twice",
        turned_round: "never used|used twice",
        whole_target: r"for \[9[,\]]",
        of_the_room: r"for \[9\d\d",
        coin_turned: "Draw in the order",
        coin_first: "neither a cut nor a toss",
        too_long: "stop collecting",
        too_short: "until they have 9 or more",
        first_boundary: "same boundary",
        empty_a: "an A is empty",
        a_text: "expected a list of tokens",
        a_share: "expected 0 or 1",
        not_shortened: "truncate it after B is chosen",
        only_the_back: "never removes the first",
        only_the_front: "never removes the last",
        only_b: "leaves an A or a B empty",
        front_and_back_turned: "where true means the front",
        from_a_if_equal: "from B if they are equally long",
        never_ends: "never get to the end",
        no_list: r"expected a list of \(A, B, label\)",
        fails_on_long_sentences: "with a first sentence of 30",
        fails_on_nothing: "without sentences",
    },
)
