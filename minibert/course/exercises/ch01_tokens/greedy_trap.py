"""Exercise `greedy_trap`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch01_tokens.common import (
    CHAPTER,
    wordpiece,
)
from minibert.course.exercises.compare import Mistake

TRAP_VOCAB = [
    "sea",
    "seas",
    "##side",
    "##shore",
    "##bed",
    "##weed",
    "##s",
    "##i",
    "##d",
    "##e",
    "##b",
    "##w",
    "under",
    "##sea",
]


def greedy_trap():
    """A word that longest match first cuts badly, and a better cut of it."""
    word = "seaside"  # blank: a word that the vocabulary above can spell
    better = ["sea", "##side"]  # blank: its pieces, fewer than longest match first needs
    return word, better


def check_greedy_trap(answer):
    found = answer()
    if not (
        isinstance(found, tuple)
        and len(found) == 2
        and isinstance(found[0], str)
        and isinstance(found[1], list)
        and all(isinstance(piece, str) for piece in found[1])
    ):
        raise Mistake(f"you return {found!r}; a word and the list of its pieces are wanted.")
    word, better = found
    for place, piece in enumerate(better):
        if place and not piece.startswith("##"):
            raise Mistake(
                f"your piece number {place + 1}, {piece!r}, stands inside the word {word!r}, so it needs ## before it: '##{piece}'."
            )
        if not place and piece.startswith("##"):
            raise Mistake(
                f"your first piece {piece!r} has ##, which means that it cannot begin a word."
            )
        if piece not in TRAP_VOCAB:
            raise Mistake(f"your piece {piece!r} is not in the vocabulary of this exercise.")
    spelt = "".join(piece.removeprefix("##") for piece in better)
    if spelt != word:
        raise Mistake(
            f"your {len(better)} pieces spell {spelt!r} ({len(spelt)} letters), but your word is {word!r} ({len(word)})."
        )
    greedy = wordpiece(word, TRAP_VOCAB)
    if greedy == better:
        raise Mistake(
            f"{better}, {len(better)} pieces, is what longest match first itself gives for {word!r}; look for a cut with fewer."
        )
    if greedy != ["[UNK]"] and len(greedy) <= len(better):
        raise Mistake(
            f"longest match first cuts {word!r} into {greedy}, {len(greedy)} pieces; yours has {len(better)}, so it loses nothing here."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=6,
    title="A trap for the greedy",
    paragraph="Greedy is not always best",
    task=f"""
            Longest match first never looks back. Here is a vocabulary in which that hurts:

            `{" ".join(TRAP_VOCAB)}`

            Find a word that this vocabulary can spell, and a cut of it that needs **fewer** pieces than longest match first (or any cut at all, where
            longest match first ends in `[UNK]`). There is more than one.
        """,
    hints=(
        "The trap needs two tokens of which one is the beginning of the other. Which two are they?",
        "`seas` is longer than `sea`, so it is always taken first. What follows `sea` in a word that then has no good continuation?",
    ),
    solution=greedy_trap,
    check=check_greedy_trap,
)
