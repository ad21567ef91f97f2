"""Exercise `merge_step`: task, hints, solution and check."""

from collections import Counter

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake, also


def merge_step(words):
    """The new token, and the words with its pair merged."""
    # blank from here: count the pairs, choose one, merge it
    pairs = Counter()
    for pieces, count in words.items():
        for pair in zip(pieces, pieces[1:]):
            pairs[pair] += count
    best = max(pairs, key=pairs.get)  # of equals, the first one counted
    token = best[0] + best[1].removeprefix("##")
    merged = {}
    for pieces, count in words.items():
        new, i = [], 0
        while i < len(pieces):
            if pieces[i : i + 2] == best:
                new.append(token)
                i += 2
            else:
                new.append(pieces[i])
                i += 1
        merged[tuple(new)] = count
    return token, merged


HASHES = {("c", "####"): 2, ("x", "##y"): 1}  # the piece ## of the word c##, which keeps its own
WORDS = {
    ("t", "##h", "##e"): 12,
    ("b", "##a", "##n", "##k"): 5,
    ("b", "##a", "##n", "##k", "##s"): 2,
    ("b", "##a", "##n", "##a", "##n", "##a"): 1,
    ("r", "##i", "##v", "##e", "##r"): 4,
}
# counted once a word, or overwritten, other pairs would lead; divided by its parts, p q
DOUBLE = {
    ("n", "##a", "##n", "##a", "##n"): 3,
    ("x", "##y"): 4,
    ("x", "##y", "##z"): 1,
    ("p", "##q"): 1,
}
# the first one counted is neither the last one nor the first or last of the alphabet
TIED = {("m", "##n"): 2, ("x", "##y"): 2, ("a", "##b"): 2, ("k", "##l"): 2}
HALF = {("a", "##b"): 5, ("a", "##c"): 1, ("c", "##b"): 1, ("a",): 2}
ENDING = {("a", "##b", "##c"): 1, ("b", "##c"): 5}  # ##b ends like the piece b
CASES = (DOUBLE, TIED, WORDS, HALF, ENDING)


def check_merge_step(answer):
    for words in (*CASES, HASHES):
        try:
            found = answer(dict(words))
        except IndexError:
            raise Mistake(
                "you ask for a piece that does not exist: at the last piece of a word there is no pieces[i + 1]. A slice such as pieces[i : i + 2] is shorter there, and raises no error."
            ) from None
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise Mistake(
                f"you return a {type(found).__name__}; expected: the new token and the new words."
            )
        token, merged = found
        right_token, right = merge_step(words)
        if (token, merged) == (right_token, right):
            continue
        if isinstance(token, tuple):
            raise Mistake(
                f"your token is the pair {token}; write its two pieces as one string, {right_token!r}."
            )
        for wrong, sentence in known(merge_step):
            if (token, merged) == wrong(words):
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
    also(answer, merge_step, ({("a", "##b", "##b", "##c"): 2, ("b", "##b"): 5},))


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=25,
    title="One step of training",
    paragraph="Training a vocabulary by merging pairs",
    task="""
            `words` maps the pieces of every word, a tuple such as `("b", "##y")`, to how often the word occurs.
            Count how often each pair of neighbouring pieces occurs: a word that occurs 5 times counts each of its pairs 5 times.
            Merge the most frequent pair wherever it occurs, from left to right. The new token joins its two pieces without the `##` of the second: `b` and `##a` make `ba`, and `##a` and `##n` make `##an`. If several pairs are equally frequent, take the one you counted first, which is what
            `max(pairs, key=pairs.get)` does with a dict `pairs` of counts. Return the new token, and a dict of all words with their counts.
        """,
    hints=(
        "The first piece may keep a `##` of its own, because then the token is still inside a word. A pair occurs in several words, and can occur twice in one, so add to its count.",
        "`zip(pieces, pieces[1:])` goes through the pairs of a word. To merge, walk through the pieces with an index `i`: where `pieces[i : i + 2]` equals the pair, append the new token and move on by two; otherwise append the piece and move on by one.",
    ),
    solution=merge_step,
    check=check_merge_step,
)
