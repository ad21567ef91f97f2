"""Exercise `merge_step`: task, hints, solution and check."""

from collections import Counter

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake, also


def merge_step(words, vocab):
    """The new token, and the words with its pair merged."""
    pairs = Counter()
    for pieces, count in words.items():
        for pair in zip(pieces, pieces[1:]):
            pairs[pair] = pairs[pair] + count  # blank: the new count of this pair
    ties = sorted(pairs, key=lambda p: [vocab.index(x) for x in p])
    best = max(ties, key=pairs.get)  # of equals, the first
    token = best[0] + best[1].removeprefix("##")  # blank: the new token
    merged = {}
    for pieces, count in words.items():
        new, i = [], 0
        while i < len(pieces):
            fits = pieces[i : i + 2] == best  # blank: are pieces i and i + 1 the pair?
            new.append(token if fits else pieces[i])
            i = i + 2 if fits else i + 1  # blank: where the loop goes on
        merged[tuple(new)] = count
    return token, merged


WORDS = {
    ("t", "##h", "##e"): 12,
    ("b", "##a", "##n", "##k"): 5,
    ("b", "##a", "##n", "##k", "##s"): 2,
    ("b", "##a", "##n", "##a", "##n", "##a"): 1,
    ("r", "##i", "##v", "##e", "##r"): 4,
}
VOCAB = ["b", "r", "t", "##a", "##e", "##h", "##i", "##k", "##n", "##r", "##s", "##v"]
DOUBLE = {("n", "##a", "##n", "##a", "##n"): 3, ("x", "##y"): 4}
DOUBLE_VOCAB = ["n", "x", "##a", "##n", "##y"]
TIED = {("x", "##y"): 2, ("a", "##b"): 2}
TIED_VOCAB = ["a", "x", "##b", "##y"]
HALF = {("a", "##b"): 5, ("a", "##c"): 1, ("c", "##b"): 1, ("a",): 2}
HALF_VOCAB = ["a", "c", "##b", "##c"]
CASES = ((WORDS, VOCAB), (DOUBLE, DOUBLE_VOCAB), (TIED, TIED_VOCAB), (HALF, HALF_VOCAB))


def check_merge_step(answer):
    for words, vocab in CASES:
        try:
            found = answer(dict(words), list(vocab))
        except IndexError:
            raise Mistake(
                "you ask for a piece that does not exist: at the last piece of a word there is no pieces[i + 1]. A slice such as pieces[i : i + 2] is shorter there, and raises no error."
            ) from None
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise Mistake(
                f"you return a {type(found).__name__}; expected: the new token and the new words."
            )
        token, merged = found
        right_token, right = merge_step(words, vocab)
        if (token, merged) == (right_token, right):
            continue
        if isinstance(token, tuple):
            raise Mistake(
                f"your token is the pair {token}; write its two pieces as one string, {right_token!r}."
            )
        for wrong, sentence in known(merge_step):
            if (token, merged) == wrong(words, vocab):
                raise Mistake(
                    f"{sentence}. For words with the counts {list(words.values())} expected {right_token!r}, and you give {token!r}."
                )
        if token != right_token:
            raise Mistake(f"your new token is {token!r}; for {words} it should be {right_token!r}.")
        if not isinstance(merged, dict):
            raise Mistake(
                f"your words are a {type(merged).__name__}; expected a dict of pieces to counts."
            )
        for (pieces, count), old in zip(right.items(), words):
            if merged.get(pieces) != count:
                if pieces == old:
                    raise Mistake(
                        f"{' '.join(old)} does not hold the pair and should stay as it is, with the count {count}; your words are {merged}."
                    )
                raise Mistake(
                    f"{' '.join(old)} should become {' '.join(pieces)}, with the count {count}; your words are {merged}."
                )
        if len(merged) != len(right):
            raise Mistake(f"you return {len(merged)} words for {len(right)}: {merged}.")
    also(answer, merge_step, ({("a", "##b", "##c"): 1, ("b", "##c"): 5}, ["a", "b", "##b", "##c"]))


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="One step of training",
    paragraph="Training a vocabulary by merging pairs",
    task="""
            `words` maps the pieces of every word, a tuple such as `("b", "##y")`, to the number of times the word occurs; `vocab` lists the tokens
            so far. Find the pair of neighbouring pieces that occurs most often, where a word that occurs 5 times counts each of its pairs 5 times.
            Return the new token, and all words with the pair merged wherever it occurs, from left to right.

            The stub already chooses between pairs that occur equally often: it takes the pair whose first piece comes first in `vocab` and, if several begin with it, whose second piece does.
        """,
    hints=(
        'A pair in a word that occurs 5 times adds 5 to its count. Only the second piece loses its `##`: `("b", "##a")` makes `"ba"`, and `("##a", "##n")` makes `"##an"`.',
        "Compare two pieces with the pair: `pieces[i : i + 2] == best`, where both sides are tuples. After a merge, two pieces are used up; otherwise one.",
    ),
    solution=merge_step,
    check=check_merge_step,
)
