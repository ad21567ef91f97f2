"""Exercise `pairs_of`: task, hints, solution and check."""

import random

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake

# Every sentence is one letter, repeated, so that a text says which sentences it holds.
DOCUMENT = [["a"] * 3, ["b"] * 4, ["c"] * 2, ["d"] * 5, ["e"] * 3, ["f"] * 4]
SENTENCE = ["z"] * 9


def pairs_of(document, elsewhere, room, rng):
    """Cut one document into pairs. Returns a list of (A, B, label); label 1 means that B is random.

    document is a list of sentences, each a list of tokens. elsewhere(n) returns whole sentences of another document,
    until they have n tokens. A and B together should have about `room` tokens.
    """
    pairs, start = [], 0
    while start < len(document):
        end, length = start + 1, len(document[start])
        while end < len(document) and length < room:
            length += len(document[end])
            end += 1
        alone = end == start + 1  # one sentence: there is no second part
        cut = end if alone else rng.randint(start + 1, end - 1)
        first, rest = sum(document[start:cut], []), sum(document[cut:end], [])
        label = int(alone or rng.random() < 0.5)  # blank: 1 if B is random
        second = elsewhere(room - len(first)) if label else rest  # blank: B
        start = cut if label else end  # blank: where the next pair begins
        pairs.append((first, second, label))
    return pairs


def _shown(pairs):
    return "; ".join(f"{''.join(a)}|{''.join(b)} label {label}" for a, b, label in pairs)


def check_pairs_of(answer):
    asked = []

    def elsewhere(n):
        asked.append(n)
        if len(asked) > 100:
            raise Mistake(
                "You never get to the end of the document: where B is random, the next pair begins at `cut`, and where it follows, at `end`."
            )
        return list(SENTENCE)

    def run(document, seed=0, room=9):
        asked.clear()
        pairs = answer([list(sentence) for sentence in document], elsewhere, room, random.Random(seed))  # fmt: skip
        if not isinstance(pairs, list) or not all(
            isinstance(pair, tuple) and len(pair) == 3 for pair in pairs
        ):
            raise Mistake(f"you return {pairs!r}; expected a list of (A, B, label).")
        for _, second, label in pairs:
            if not isinstance(second, list):
                raise Mistake(f"B is {second!r}; expected a list of tokens.")
            if label not in (0, 1):
                raise Mistake(f"a label is {label!r}; expected 0 or 1.")
        return pairs

    runs = [(seed, run(DOCUMENT, seed)) for seed in range(200)]
    every = [pair for _, pairs in runs for pair in pairs]
    random_labels = {label for _, second, label in every if "z" in second}
    true_labels = {label for _, second, label in every if "z" not in second}
    if random_labels == {0} and true_labels == {1}:
        raise Mistake("the labels are swapped: 1 means that B is random, 0 that it follows A.")
    if any(("z" in second) != (label == 1) for _, second, label in every):
        raise Mistake(
            "a label contradicts its B: with label 1, B comes from `elsewhere`; with label 0, it is the rest."
        )
    if any(not second for _, second, _ in every):
        raise Mistake(
            "a B is empty. Where a single sentence was collected, nothing follows it, so B is random without a toss."
        )
    if len({label for _, _, label in every}) == 1:
        raise Mistake(
            f"all {len(every):,} labels are {every[0][2]}; expected a toss of a coin for each pair of several sentences."
        )
    for seed, pairs in runs:
        text = "".join("".join(a) + ("" if label else "".join(b)) for a, b, label in pairs)
        whole = "".join(map("".join, DOCUMENT))
        if len(text) < len(whole):
            raise Mistake(
                f"with seed {seed} some sentences are never used ({_shown(pairs)}). Where B is random, the sentences after the cut are put back: the next pair begins with them."
            )
        if len(text) > len(whole):
            raise Mistake(
                f"with seed {seed} some sentences are used twice ({_shown(pairs)}). Where B follows A, both parts are used, and the next pair begins behind them."
            )
    for seed, pairs in runs:
        right = pairs_of(DOCUMENT, lambda n: SENTENCE, 9, random.Random(seed))
        if pairs != right:
            raise Mistake(
                f"with seed {seed} you make {_shown(pairs)}; right is {_shown(right)}. Toss with one `rng.random() < 0.5`, and only where there are several sentences."
            )
    for seed in range(20):
        run(DOCUMENT, seed)
        found = list(asked)
        asked.clear()
        pairs_of(DOCUMENT, elsewhere, 9, random.Random(seed))
        if found != asked:
            raise Mistake(
                f"with seed {seed} you ask `elsewhere` for {found} tokens; right is {asked}: what A leaves of the room."
            )
    for document, room in (([["q"] * 30], 9), ([["q"] * 30, ["r"], ["s"] * 30], 9), (DOCUMENT, 14)):
        for seed in range(8):
            right = pairs_of(document, lambda n: SENTENCE, room, random.Random(seed))
            if run(document, seed, room) != right:
                lengths = ", ".join(str(len(sentence)) for sentence in document)
                raise Mistake(
                    f"a document whose sentences have {lengths} tokens is cut wrongly with a room of {room} and seed {seed}; right is {_shown(right)}."
                )
    if run([]) != []:
        raise Mistake("a document without sentences gives no pairs.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=20,
    title="Toss, choose, put back",
    task=(
        "Steps 1 and 2 are written, and three lines are missing: the label, B, and where the next pair begins. Toss with one `rng.random() < 0.5`, where true means a random B, "
        "and only if there is something to toss for. A random B is `elsewhere(n)`, where $n$ is the room that A leaves. Every sentence of the document must end up in exactly one pair."
    ),
    hints=(
        "If B follows A, which sentences are used up: those up to `cut`, or those up to `end`? And if B is random?",
        "For a single sentence no random number is drawn. Python looks at the right side of an `or` only if the left side is false.",
    ),
    paragraph="Next-sentence prediction: make the pairs",
    solution=pairs_of,
    check=check_pairs_of,
)
