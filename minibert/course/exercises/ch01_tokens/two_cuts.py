"""Exercise `two_cuts`: task, hints, solution and check."""

import string

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch01_tokens.common import CHAPTER, wordpiece
from minibert.course.exercises.compare import Mistake

MERGES = (("##n", "##k"), ("b", "##a"), ("##a", "##n"), ("ba", "##nk"), ("r", "##a"))


def two_cuts():
    """A word that the two programs cut differently, and both of its cuts."""
    word = "ran"  # blank: your word
    by_merges = ["r", "##an"]  # blank: its pieces after the five merges
    by_longest = ["ra", "##n"]  # blank: its pieces by longest match first
    return word, by_merges, by_longest


def joined(pair):
    return pair[0] + pair[1].removeprefix("##")


VOCAB = {mark + letter for letter in string.ascii_lowercase for mark in ("", "##")}
VOCAB |= {joined(pair) for pair in MERGES}


def replay(word, merges=MERGES):
    """The pieces of a word after all merges, each applied from left to right in its turn."""
    pieces = [word[0], *("##" + letter for letter in word[1:])]
    for pair in merges:
        merged = []
        for piece in pieces:
            if (*merged[-1:], piece) == pair:
                merged[-1] = joined(pair)
            else:
                merged.append(piece)
        pieces = merged
    return pieces


def check_two_cuts(answer):
    found = answer()
    if not isinstance(found, list | tuple) or len(found) != 3:
        raise Mistake(f"you return {found!r}; expected a word and two lists of pieces.")
    word, by_merges, by_longest = found
    if not isinstance(word, str) or not word or not set(word) <= set(string.ascii_lowercase):
        raise Mistake(f"your word is {word!r}; expected a string of the letters a to z.")
    for name, cut in (("by_merges", by_merges), ("by_longest", by_longest)):
        if not isinstance(cut, list | tuple):
            raise Mistake(f"{name} is {cut!r}; expected a list of pieces.")
        if "".join(str(piece).removeprefix("##") for piece in cut) != word:
            raise Mistake(f"{name} is {list(cut)}, and these pieces do not spell {word!r}.")
        if [str(piece).startswith("##") for piece in cut] != [i > 0 for i in range(len(cut))]:
            raise Mistake(f"{name} is {list(cut)}; all pieces but the first carry ##.")
    merged, longest = replay(word), wordpiece(word, VOCAB)
    if merged != longest and (list(by_merges), list(by_longest)) == (longest, merged):
        raise Mistake("your two cuts are right, but exchanged.")
    if list(by_merges) != merged:
        if list(by_merges) == replay(word, MERGES[::-1]):
            raise Mistake(
                f"by_merges is {list(by_merges)}: you go through the merges from the last to the first; the first comes first."
            )
        stages = [replay(word, MERGES[:number]) for number in range(len(MERGES) + 1)]
        # how far the reader has come: the last stage with these pieces, or the single letters
        reached = max((n for n, stage in enumerate(stages) if stage == list(by_merges)), default=0)
        number = next(
            (n for n, stage in enumerate(stages) if stage != stages[reached] and n > reached), 0
        )
        if stages[reached] == list(by_merges):
            pair = " ".join(MERGES[number - 1])
            raise Mistake(
                f"by_merges is {list(by_merges)}; merge number {number} still fits: {pair}."
            )
        hint = (
            f"the first merge that fits is number {number}, and makes {stages[number]}"
            if number
            else "none of the five merges fits, so the letters stay single"
        )
        raise Mistake(f"by_merges is {list(by_merges)}; in {word!r} {hint}.")
    if list(by_longest) != longest:
        same = next(
            (i for i, piece in enumerate(longest) if [*by_longest[i : i + 1]] != [piece]), 0
        )
        raise Mistake(
            f"by_longest is {list(by_longest)}; the longest token for piece number {same + 1} of {word!r} is {longest[same]!r}."
        )
    if merged == longest:
        raise Mistake(
            f"both cuts are right, but they are equal: {merged}. Look for two merges that compete for the same letter."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=12,
    title="One vocabulary, two cuts",
    paragraph="The same vocabulary, cut in two ways",
    task="""
            A vocabulary holds the letters a to z, each with and without `##`, and five tokens that were learned by these merges, in this order:

            1 · `##n ##k` → `##nk`<br>2 · `b ##a` → `ba`<br>3 · `##a ##n` → `##an`<br>4 · `ba ##nk` → `bank`<br>5 · `r ##a` → `ra`

            Find a word, real or invented, that the merges cut differently from longest match first. Return it with both cuts, each a list of
            pieces. Pencil and paper are enough, and there are many right answers.
        """,
    hints=(
        "For *bank* both give `bank`. Merges 2, 3 and 5 all need the letter a, and merges 1 and 3 both need an `##n`. Build a word in which two of them compete for one letter.",
        "In *ra…* merge 5 needs the `##a`, but merge 3 takes it first if an n follows. In *…ank* merge 1 takes the `##n` before merge 3 can, while longest match first does not look ahead to the k.",
    ),
    solution=two_cuts,
    check=check_two_cuts,
)
