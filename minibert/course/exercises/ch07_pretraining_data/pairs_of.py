"""Exercise `pairs_of`: task, hints, solution and check."""

import random

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake

# A token names its sentence and its place in it, so a text says what it was made of.
LENGTHS = (3, 4, 2, 5, 3, 4)
DOCUMENT = [[f"{name}{i}" for i in range(n)] for name, n in zip("abcdef", LENGTHS)]
OTHER = [f"z{i}" for i in range(9)]
TARGET, AMPLE = 9, 1000


def pairs_of(document, elsewhere, target, room, rng):
    """Cut a document into pairs: a list of (A, B, label).

    document      a list of sentences, each a list of tokens
    elsewhere(n)  returns one list of tokens: sentences of another
                  document, at least one, until there are n tokens
                  or that document ends
    target        collect sentences until they have so many tokens
    room          a pair has no more tokens than this
    Label 1 means that B is random.
    """
    # blank from here: for each pair collect, cut, toss, put back and truncate
    pairs, start = [], 0
    while start < len(document):
        end, length = start, 0
        while end < len(document) and length < target:
            length += len(document[end])
            end += 1
        alone = end == start + 1  # one sentence: there is no second part
        cut = end if alone else start + rng.randint(1, end - start - 1)
        first, second = sum(document[start:cut], []), sum(document[cut:end], [])
        label = int(alone or rng.random() < 0.5)
        if label:
            second = list(elsewhere(target - len(first)))
        start = cut if label else end  # a second part that was not used is put back
        while len(first) + len(second) > room:
            longer = first if len(first) > len(second) else second
            longer.pop(0 if rng.random() < 0.5 else -1)
        pairs.append((first, second, label))
    return pairs


def _shown(pairs):
    return "; ".join(f"{' '.join(a)} | {' '.join(b)} | {label}" for a, b, label in pairs)


def check_pairs_of(answer):
    asked = []

    def elsewhere(n):
        asked.append(n)
        if len(asked) > 100:
            raise Mistake(
                "You never get to the end of the document: if B is random, the next pair begins at the cut; if B follows A, it begins after B."
            )
        return list(OTHER)

    def run(document, seed=0, target=TARGET, room=AMPLE):
        asked.clear()
        pairs = answer([list(sentence) for sentence in document], elsewhere, target, room, random.Random(seed))  # fmt: skip
        if not isinstance(pairs, list) or not all(
            isinstance(pair, tuple) and len(pair) == 3 for pair in pairs
        ):
            raise Mistake(f"you return {pairs!r}; expected a list of (A, B, label).")
        for first, second, label in pairs:
            for name, text in (("A", first), ("B", second)):
                if not isinstance(text, list) or not all(isinstance(t, str) for t in text):
                    raise Mistake(f"{name} is {text!r}; expected a list of tokens.")
            if label not in (0, 1):
                raise Mistake(f"a label is {label!r}; expected 0 or 1.")
        return pairs

    def right(document, seed, target=TARGET, room=AMPLE):
        return pairs_of(document, lambda n: OTHER, target, room, random.Random(seed))

    runs = [(seed, run(DOCUMENT, seed)) for seed in range(200)]
    every = [pair for _, pairs in runs for pair in pairs]
    _check_labels(every)
    _check_use(runs)
    _check_collected(every)
    for seed in range(20):
        pairs = run(DOCUMENT, seed)
        wanted = [TARGET - len(a) for a, _, label in pairs if label]
        if asked != wanted:
            raise Mistake(
                f"with seed {seed} you ask `elsewhere` for {asked} tokens; right is {wanted}: what A leaves of the target."
            )
    for seed, pairs in runs:
        if pairs != (wanted := right(DOCUMENT, seed)):
            raise Mistake(
                f"with seed {seed} you make {_shown(pairs)}; right is {_shown(wanted)}. Draw in the order of the task: the cut, then the toss, and no toss if one sentence was collected."
            )
    alone = [[f"q{i}" for i in range(30)], *DOCUMENT]  # the first sentence is collected alone
    for seed in range(40):
        if run(alone, seed) != (wanted := right(alone, seed)):
            raise Mistake(
                f"with a first sentence of 30 tokens, target {TARGET} and seed {seed} you make {_shown(run(alone, seed))}; right is {_shown(wanted)}. If one sentence was collected, neither a cut nor a toss is drawn."
            )
    _check_truncation(run, right)
    long = [[f"q{i}" for i in range(30)]], [[f"q{i}" for i in range(30)], ["r"], OTHER * 3]
    for document, target, room in ((long[0], 9, 12), (long[1], 9, 40), (DOCUMENT, 14, 13)):
        for seed in range(8):
            if run(document, seed, target, room) != (wanted := right(document, seed, target, room)):
                lengths = ", ".join(str(len(sentence)) for sentence in document)
                raise Mistake(
                    f"a document whose sentences have {lengths} tokens is cut wrongly with target {target}, room {room} and seed {seed}; right is {_shown(wanted)}."
                )
    if run([]) != []:
        raise Mistake("a document without sentences gives no pairs.")


def _check_labels(every):
    kinds = {True: set(), False: set()}
    for _, second, label in every:
        kinds["z0" in second].add(int(label))
    if kinds == {True: {0}, False: {1}}:
        raise Mistake("the labels are swapped: 1 means that B is random, 0 that it follows A.")
    if any(("z0" in second) != (label == 1) for _, second, label in every if second):
        raise Mistake(
            "a label contradicts its B: with label 1, B comes from `elsewhere`; with label 0, it is the second part."
        )
    if any(not first for first, *_ in every):
        raise Mistake("an A is empty: the cut leaves at least one sentence to each part.")
    if any(not second for _, second, _ in every):
        raise Mistake(
            "a B is empty. If a single sentence was collected, there is no second part, so B is random without a toss."
        )
    if len({label for _, _, label in every}) == 1:
        raise Mistake(
            f"all {len(every):,} labels are {every[0][2]}; expected a toss of a coin for each pair of several sentences."
        )


def _check_use(runs):
    whole = sum(DOCUMENT, [])
    for seed, pairs in runs:
        used = sum((a + ([] if label else b) for a, b, label in pairs), [])
        if len(used) < len(whole):
            raise Mistake(
                f"with seed {seed} some sentences are never used ({_shown(pairs)}). Where B is random, the sentences after the cut are put back: the next pair begins with them."
            )
        if len(used) > len(whole):
            raise Mistake(
                f"with seed {seed} some sentences are used twice ({_shown(pairs)}). Where B follows A, both parts are used, and the next pair begins after them."
            )


def _check_collected(every):
    lengths = {len(a) + len(b) for a, b, label in every if not label and b[-1] != "f3"}
    if lengths and min(lengths) < TARGET:
        raise Mistake(
            f"with target {TARGET}, an A and the B that follows it have {min(lengths)} tokens together: collect sentences until they have {TARGET} or more, or the document ends."
        )
    if max(lengths) >= TARGET + 5:
        raise Mistake(
            f"with target {TARGET}, an A and the B that follows it have {max(lengths)} tokens together: stop collecting as soon as they have {TARGET}."
        )
    if len({len(a) for a, _, label in every if not label and a[0] == "a0"}) == 1:
        raise Mistake("you always cut at the same boundary; draw it with `rng.randint`.")


def _check_truncation(run, right):
    room = TARGET - 2
    seen = [(seed, run(DOCUMENT, seed, room=room), right(DOCUMENT, seed, room=room)) for seed in range(60)]  # fmt: skip
    for seed, pairs, _ in seen:
        if (most := max(len(a) + len(b) for a, b, _ in pairs)) > room:
            raise Mistake(
                f"with room {room} and seed {seed} a pair has {most} tokens: truncate it after B is chosen."
            )
        if any(not a or not b for a, b, _ in pairs):
            raise Mistake(
                f"with room {room} and seed {seed} truncation leaves an A or a B empty: take each token from the text that is longer at that moment."
            )
    pairs = [pair for _, made, _ in seen for pair in made]
    starts = {text[0][1:] for a, b, _ in pairs for text in (a, b)}
    ends = {b[-1] for _, b, label in pairs if label}
    if starts == {"0"}:
        raise Mistake(
            "truncation never removes the first token of a text: toss a coin for each token, front or back."
        )
    if ends == {"z8"}:
        raise Mistake(
            "truncation never removes the last token of a text: toss a coin for each token, front or back."
        )
    for seed, made, wanted in seen:
        if [(len(a), len(b)) for a, b, _ in made] != [(len(a), len(b)) for a, b, _ in wanted]:
            raise Mistake(
                f"with room {room} and seed {seed} you make {_shown(made)}; right is {_shown(wanted)}. Each token goes from the longer text, from B if they are equally long; what truncation removes is not put back."
            )
        if made != wanted:
            raise Mistake(
                f"with room {room} and seed {seed} you make {_shown(made)}; right is {_shown(wanted)}. For each token that is removed toss `rng.random() < 0.5`, where true means the front."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=40,
    title="Cut a document into pairs",
    task=(
        "Write all five steps. So that the check can compare your pairs with its own, draw in this order: the cut with `rng.randint(1, n - 1)`, where n is the number of sentences collected; "
        "the toss with `rng.random() < 0.5`, where true means a random B; and for each token that is removed `rng.random() < 0.5`, where true means the front. "
        "If one sentence was collected, neither a cut nor a toss is drawn. Every sentence of the document must be used exactly once, in an A or in a B that follows its A."
    ),
    hints=(
        "Keep two positions: `start`, where this pair begins, and `end`, after the last collected sentence. If B follows A, which sentences are used up? And if B is random? A random B has to be about as long as what A leaves of the target.",
        "The next pair begins at the cut if B is random, and at `end` if B follows A. `sum(sentences, [])` joins the sentences into a new list, so you can remove tokens from it without changing the document: `pop(0)` takes the first, `pop()` the last. Compare the two lengths again before each token.",
    ),
    paragraph="Next-sentence prediction: make the pairs",
    solution=pairs_of,
    check=check_pairs_of,
)
