"""Exercise `only_the_name`: task, hints, solution and check."""

from functools import cache

import torch

from minibert.config import InputError
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.data.small_world import TALES, SmallWorld


def only_the_name(name):
    """Text A and text B of a hero, in which the name decides.

    Each is a string with two sentences. The first [MASK] of
    text A hides the hero's place; any other word may be hidden
    as well.
    """
    # blank from here: two texts, as strings
    a = f"{name} was happy and laughed . {name} went to the [MASK] ."
    b = f"the [MASK] was [MASK] that morning . {name} was tired and rested ."
    return a, b


GAP = "[MASK]"
HEROES = [[cell.strip() for cell in row.split("|")] for row in TALES.strip().splitlines()[1:]]
PLACES = {row[0]: row[4] for row in HEROES}  # name -> place


@cache
def _world() -> SmallWorld:
    return SmallWorld(seed=0)


def _chances(name: str, a: list[str], b: list[str], gap: int) -> dict[str, float]:
    """The exact probabilities of the words at a position of text A."""
    vocab = _world().vocab
    ids = torch.tensor([[vocab[word] for word in ["[CLS]", *a, "[SEP]", *b, "[SEP]"]]])  # [1, S]
    try:
        words, _ = _world().posteriors(ids)  # [1, S, V]
    except InputError:
        raise Mistake(
            f"No story of the small world has your texts for {name}. Each has two sentences of the six kinds, and the same kind never comes twice in a row."
        ) from None
    return dict(zip(vocab, words[0, gap + 1].tolist()))


def _words(name: str, found) -> tuple[list[str], list[str]]:
    """The words of the two texts. Raises Mistake if they are no texts with a gap."""
    if (
        not isinstance(found, tuple | list)
        or len(found) != 2
        or not all(isinstance(text, str) for text in found)
    ):
        raise Mistake(
            f"For {name} you return {found!r:.60}; expected two strings, text A and text B."
        )
    a, b = (text.split() for text in found)
    for word in a + b:
        if word in ("[CLS]", "[SEP]"):
            raise Mistake(
                f"{word} is in your texts for {name}. Leave it out; it is added when the two texts become a sequence."
            )
        if word not in _world().vocab:
            raise Mistake(
                f"{word!r} is in your texts for {name}, and it is not one of the {len(_world().vocab)} tokens of the small world. Put a space before each full stop."
            )
    if GAP not in a:
        raise Mistake(f"Text A for {name} has {len(a)} words and no {GAP}: which word is hidden?")
    return a, b


def _hidden(words: list[str]) -> list[str]:
    """The words without the names."""
    return [GAP if word in PLACES else word for word in words]


def check_only_the_name(answer):
    texts = {name: _words(name, answer(name)) for name in PLACES}
    named = {name: _named(name, *pair) for name, pair in texts.items()}
    first = next(iter(texts))
    for name, pair in texts.items():
        for mine, others in zip(map(_hidden, pair), map(_hidden, texts[first])):
            different = next(((x, y) for x, y in zip(others, mine) if x != y), None)
            if different or len(mine) != len(others):
                raise Mistake(
                    f"Your texts for {first} and {name} differ in more than the name"
                    + (f": {different[0]!r} and {different[1]!r}." if different else ".")
                )
    for name, (a, _) in texts.items():
        if named[name] < 0.99:
            raise Mistake(
                f"In your texts for {name} {_says(name, named[name])}. "
                + (
                    "Another word contradicts the name."
                    if name in a
                    else "The name is in text B only, and text B may be from another story."
                )
            )
    for name, (a, b) in texts.items():
        left = _chances(name, _hidden(a), _hidden(b), a.index(GAP))[PLACES[name]]
        if abs(left - 1 / len(PLACES)) > 0.001:
            raise Mistake(
                f"With the name hidden, the exact probability of {PLACES[name]!r} is {left:.2f} and not 1/{len(PLACES)}: another word of your texts points to some of the heroes."
            )


def _named(name: str, a: list[str], b: list[str]) -> float:
    """The exact probability of the hero's place. Raises Mistake for texts about something else."""
    chances = _chances(name, a, b, a.index(GAP))
    here = _says(name, chances[PLACES[name]])
    most = max(chances, key=chances.__getitem__)
    if most not in PLACES.values():
        raise Mistake(
            f"In your texts for {name} the most likely word of the first gap is {most!r}, which is no place."
        )
    if not {*a, *b} & {*PLACES}:
        raise Mistake(
            f"There is no name in your texts for {name}: {here}, and all places are alike."
        )
    if {*a, *b} & ({*PLACES} - {name}):
        raise Mistake(
            f"Your texts for {name} name another hero: {here}. Use the name that you are given."
        )
    return chances[PLACES[name]]


def _says(name: str, chance: float) -> str:
    return f"the exact probability of {PLACES[name]!r} in the first gap is {chance:.2f}"


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Only the name differs",
    task="""
            Build texts for the intervention: for each hero a text A and a text B, in which only the name tells the place. With the name, the exact probability of the hero's place must be near 1; with the name hidden, it must be 1/8. The texts of two heroes may differ in the name alone.
            Each text has two sentences of the six kinds; the same kind never comes twice in a row.
        """,
    hints=(
        "Which columns of the table of heroes appear in each kind of sentence? Every word that comes from such a column tells something about the hero, so hide it, or take another kind of sentence.",
        "Two kinds of sentences use no column but the name. The place itself needs *{name} {went} to the {place} .* with the place hidden.",
    ),
    paragraph="Does it use the name?",
    solution=only_the_name,
    check=check_only_the_name,
)
