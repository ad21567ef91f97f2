"""Exercise `shorten`: task, hints, solution and check."""

import random

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def shorten(first, second, room, rng):
    """Two texts, cut to `room` tokens together: token by token from the longer one (the second, when they are equally
    long), from its front or its back as `rng.random()` decides. Returns two new lists."""
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second  # blank: which of the two gives a token?  # fmt: skip
        place = 0 if rng.random() < 0.5 else -1  # blank: 0 or -1, by a coin
        del longer[place]
    return first, second


def check_shorten(answer):
    first, second = list(LETTERS[:12]), list(LETTERS[12:17])
    found = [answer(first, second, 7, random.Random(seed)) for seed in range(60)]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in found):
        raise Mistake(
            f"Wanted are two lists, the first text and the second, and you return {found[0]!r}."
        )
    texts = [[list(part) for part in pair] for pair in found]
    if any(set(one) & set(second) or set(other) & set(first) for one, other in texts):
        raise Mistake(
            f"You return {''.join(texts[0][0])!r} and {''.join(texts[0][1])!r}: tokens of one text stand in the other. The first text comes back first."
        )
    sizes = {(len(one), len(other)) for one, other in texts}
    if any(sum(pair) > 7 for pair in sizes):
        raise Mistake(
            f"12 and 5 tokens should fit into 7 together, and you keep {max(map(sum, sizes))}."
        )
    if any(sum(pair) < 7 for pair in sizes):
        raise Mistake(
            f"12 and 5 tokens should fill 7 together, and you keep only {min(map(sum, sizes))}: no token is given up without need."
        )
    if sizes == {(3, 4)}:
        raise Mistake(
            "12 and 5 tokens in a room of 7 become 3 and 4: when both have 4 it is the second that gives, not the first, so 4 and 3 is right."
        )
    if len(sizes) > 1:
        raise Mistake(
            f"12 and 5 tokens in a room of 7 become now {min(sizes)}, now {max(sizes)}: "
            "the text that loses a token is not chosen at random; it is the longer one, and the second when both are equally long."
        )
    if sizes != {(4, 3)}:
        raise Mistake(
            f"12 and 5 tokens in a room of 7 become {sizes.pop()}; 4 and 3 is right, since the longer one gives each time."
        )
    kept = ["".join(one) for one, _ in texts]
    broken = next((text for text in kept if text not in LETTERS), None)
    if broken:
        raise Mistake(
            f"Your first text is now {broken!r}: tokens are missing inside it. Take them from its ends."
        )
    if set(kept) == {LETTERS[:4]}:
        raise Mistake(
            "Your first text always keeps its first 4 tokens: it is cut at the back alone."
        )
    if set(kept) == {LETTERS[8:12]}:
        raise Mistake(
            "Your first text always keeps its last 4 tokens: it is cut at the front alone."
        )
    if set(kept) <= {LETTERS[:4], LETTERS[8:12]}:
        raise Mistake(
            "Your first text loses 8 tokens at one end, front or back: throw the coin anew for each token."
        )
    fronts = sum(LETTERS.index(text) for text in kept) / (8 * len(kept))
    if not 0.4 < fronts < 0.6:
        raise Mistake(
            f"Of the tokens that your first text loses, {fronts:.0%} are taken from the front; it should be about half."
        )
    for seed, pair in enumerate(texts):
        for name, mine, right in zip(
            ("first", "second"), pair, shorten(first, second, 7, random.Random(seed))
        ):
            if mine != right:
                raise Mistake(
                    f"Your texts have the right lengths, but with seed {seed} you keep {''.join(mine)!r} of the {name} where {''.join(right)!r} "
                    "is right: one `rng.random()` for each token of either text, and below 0.5 the *front* goes."
                )
    turned = [list(part) for part in answer(second, first, 7, random.Random(0))]
    right = list(shorten(second, first, 7, random.Random(0)))
    if turned != right:
        raise Mistake(
            f"With 5 tokens in the first text and 12 in the second you return {' and '.join(map(repr, map(''.join, turned)))}; "
            f"{' and '.join(map(repr, map(''.join, right)))} is right. The first text comes back first, also when it is the shorter one."
        )
    given = ["a", "b"], ["c"]
    short = answer(*given, 5, random.Random(0))
    if [list(part) for part in short] != [["a", "b"], ["c"]]:
        raise Mistake(
            f"2 and 1 tokens fit into a room of 5, and should stay as they are; you return {short}."
        )
    if short[0] is given[0] or short[1] is given[1]:
        raise Mistake(
            "Where nothing has to be cut you hand back the very lists that you were given; whoever changes one then changes both. Return new ones."
        )
    for room in (10, 2, 0):
        for seed in range(3):
            mine, right = (
                tuple(map(list, function(first, second, room, random.Random(seed))))
                for function in (answer, shorten)
            )
            if mine != right:
                raise Mistake(
                    f"In a room of 7 you are right; in a room of {room} you keep {' and '.join(map(repr, map(''.join, mine)))} where "
                    f"{' and '.join(map(repr, map(''.join, right)))} is right."
                )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="Make two texts fit",
    task=(
        "A and B together may be too long for a sequence. Remove one token at a time until they fit into `room`: from the longer text, or from the second if both are "
        "equally long. If `rng.random() < 0.5`, the token is removed from the front, otherwise from the back."
    ),
    hints=(
        "Each round answers two questions: from which text is a token removed, and from which end?",
        "`del text[0]` removes the first token, `del text[-1]` the last.",
    ),
    paragraph="The whole program on one page",
    solution=shorten,
    check=check_shorten,
)
