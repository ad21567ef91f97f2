"""Exercise `looks_random`: task, hints, solution and check."""

import random
from functools import cache

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.ch07_pretraining_data.pairs_of import pairs_of
from minibert.course.exercises.compare import Mistake

ROOM, DOCUMENTS = 125, 120
LEAST, RIGHT = 0.05, 0.6  # of all pairs at least so many, of these at least so many random


def looks_random(first, second):
    """Whether you suspect that B is random.

    A and B are lists of tokens, together at most 125.
    """
    return len(first) + len(second) < 125  # blank: what you see without reading


@cache
def made_pairs(seed=5):
    """Pairs of made-up documents, as `pairs_of` cuts them. The words have no meaning, and each occurs about once."""
    rng = random.Random(seed)
    documents = [
        [
            [f"w{rng.randrange(10**6)}" for _ in range(rng.randint(6, 45))] + ["."]
            for _ in range(rng.randint(40, 200))
        ]
        for _ in range(DOCUMENTS)
    ]
    rng, pairs = random.Random(seed), []
    for own in documents:

        def elsewhere(length, own=own):
            other, text = rng.choice([each for each in documents if each is not own]), []
            for sentence in other[rng.randrange(len(other)) :]:
                text = text + sentence
                if len(text) >= length:
                    break
            return text

        target = rng.randint(2, ROOM) if rng.random() < 0.1 else ROOM
        pairs += pairs_of(own, elsewhere, target, ROOM, rng)
    return pairs


def check_looks_random(answer):
    answer(["a", "."], ["b", "."])  # a stub stops here, before the pairs are made
    pairs = made_pairs()
    marks = []
    for first, second, _ in pairs:
        mark = answer(list(first), list(second))
        if mark not in (True, False):
            raise Mistake(f"you return {mark!r}; expected True or False.")
        marks.append(bool(mark))
    for (first, second, _), mark in list(zip(pairs, marks))[:500]:
        if bool(answer(list(first), list(second))) != mark:
            raise Mistake("two calls with the same pair give different answers.")
    for (first, second, _), mark in list(zip(pairs, marks))[:500]:
        others = [[t if t == "." else f"x{t[1:]}" for t in text] for text in (first, second)]
        if bool(answer(*others)) != mark:
            raise Mistake(
                "with other words in the same places your answer changes: do not read the words."
            )
    share = sum(marks) / len(pairs)
    everything = sum(label for *_, label in pairs) / len(pairs)
    if share < LEAST:
        raise Mistake(
            f"you suspect {share:.1%} of {len(pairs):,} pairs; find something that at least {LEAST:.0%} of them show."
        )
    found = sum(label for (*_, label), mark in zip(pairs, marks) if mark) / sum(marks)
    result = f"you suspect {share:.0%} of {len(pairs):,} pairs, and {found:.1%} of these are random; of all pairs {everything:.1%} are"
    if share > 0.9:
        raise Mistake(f"{result}. That is nearly every pair: look for what only some of them show.")
    if found < RIGHT:
        raise Mistake(
            f"{result}. At least {RIGHT:.0%} have to be: sort your pairs by their length, by that of A and of B, and count the labels in each group."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Guess the label without reading",
    task=(
        f"Find a property that you can see without reading a word, and that is more common when B is random. Your function marks the pairs that have it. The check cuts other documents with `pairs_of`. Your function must mark at least {LEAST:.0%} of those pairs, "
        f"and at least {RIGHT:.0%} of the marked pairs must be random. Count first, in `pairs`."
    ),
    hints=(
        "Think of something that you can count in a pair without reading it: its tokens, or its sentences. Put the pairs into groups by this count, and print the percentage of random pairs in each group.",
        "In one case `pairs_of` makes B random without a toss. For which targets does that happen most often, and what do their pairs have in common?",
    ),
    paragraph="More than half of the pairs are random",
    solution=looks_random,
    check=check_looks_random,
)
