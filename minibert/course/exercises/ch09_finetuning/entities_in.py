"""Exercise `entities_in`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch09_finetuning.common import (
    CHAPTER,
    _listed,
    _name,
)


def entities_in(tags):
    """The entities that tags describe: a list of (first word, word behind the last, kind).

    "B-per" begins an entity of the kind per, "I-per" goes on with one, "O" is in none. An "I-per" with no open entity of its
    kind before it begins one, as in the scoring program of CoNLL.
    """
    entities, start, kind = [], None, None  # of the open entity
    for place, tag in enumerate([*tags, "O"]):  # the last O closes what is open at the end
        begins = tag[0] == "B" or (tag[0] == "I" and tag[2:] != kind)  # blank: True where a new entity begins  # fmt: skip
        ends = kind is not None and (begins or tag == "O")  # blank: True where the open one is over
        if ends:
            entities.append((start, place, kind))
            start, kind = None, None
        if begins:
            start, kind = place, tag[2:]  # blank: the new one: its place and its kind
    return entities


_SEQUENCES = (
    (
        ["B-per", "I-per", "O", "B-loc", "B-loc", "I-loc"],
        [(0, 2, "per"), (3, 4, "loc"), (4, 6, "loc")],
    ),
    (["O", "B-per", "I-loc", "I-loc", "O", "I-per"], [(1, 2, "per"), (2, 4, "loc"), (5, 6, "per")]),
    (
        ["B-creative-work", "I-creative-work", "O", "I-per", "O", "I-per"],
        [(0, 2, "creative-work"), (3, 4, "per"), (5, 6, "per")],
    ),
)


def check_entities_in(answer):
    for (tags, right), suspects in zip(
        _SEQUENCES,
        (
            [
                (
                    [(0, 2, "per"), (3, 6, "loc")],
                    "Words 3 and 4 are two entities, each with its B; you join them into one, (3, 6, 'loc').",
                ),
                (
                    [(0, 2, "per"), (3, 4, "loc")],
                    "The entity at the end of the sentence, (4, 6, 'loc'), is lost: nothing comes behind it that would close it.",
                ),
                (
                    [(0, 1, "per"), (3, 3, "loc"), (4, 5, "loc")],
                    "Your entities end at their last word; the second number should be the word *behind* it, 2 for the first, as in a slice.",
                ),
                (
                    [(1, 3, "per"), (4, 5, "loc"), (5, 7, "loc")],
                    "You count words from 1; the first is 0.",
                ),
                (
                    [(0, 2), (3, 4), (4, 6)],
                    "The kind is missing: the right words of the wrong kind must not count as right.",
                ),
                (
                    [(0, 1, "per"), (1, 2, "per"), (3, 4, "loc"), (4, 5, "loc"), (5, 6, "loc")],
                    "You have 5 entities where 3 are: each I begins a new one.",
                ),
                (
                    [(0, 2, "B-per"), (3, 4, "B-loc"), (4, 6, "B-loc")],
                    "Your kinds are whole tags, such as 'B-per'; the kind is what follows 'B-'.",
                ),
                (
                    [(0, 1, "per"), (3, 4, "loc"), (4, 5, "loc")],
                    "Your entities are one word long: an I of the same kind goes on with the open one.",
                ),
            ],
            [
                (
                    [(1, 4, "per"), (5, 6, "per")],
                    "Your first entity runs from 1 to 4, though its words 2 and 3 are of the kind loc: an I of another kind begins a new one.",
                ),
                (
                    [(1, 2, "per")],
                    "Words 2 and 3 are 'I-loc' with no B before them, and you drop them. Models write such tags; the scoring program of CoNLL lets an entity begin there.",
                ),
                (
                    [(1, 2, "per"), (2, 4, "loc")],
                    "Word 5 is an 'I-per' behind an O, and you drop it: an entity begins there.",
                ),
                (
                    [(1, 2, "per"), (2, 3, "loc"), (3, 4, "loc"), (5, 6, "per")],
                    "You have 4 entities where 3 are: the second 'I-loc' goes on with the one before it.",
                ),
                (
                    [(1, 2, "per"), (5, 6, "per")],
                    "Words 2 and 3 are 'I-loc' right behind a person, and you drop them: an entity of the kind loc begins at 2.",
                ),
            ],
            [
                (
                    [(0, 2, "creative"), (3, 4, "per"), (5, 6, "per")],
                    "Your first entity is of the kind 'creative', the right one of the kind 'creative-work': a kind may have a hyphen of its own. "
                    "It is all that follows the first two letters.",
                ),
                (
                    [(0, 2, "creative-work"), (3, 4, "per")],
                    "Word 5 is an 'I-per' behind an O, and you drop it: the person before it is over. Where an entity ends, forget its kind.",
                ),
            ],
        ),
    ):
        found = [
            tuple(entity) if isinstance(entity, list | tuple) else entity
            for entity in _listed(answer(list(tags)), "entities_in")
        ]
        _name(found, right, suspects, f"the entities of {tags}")
    _name(_listed(answer(["O", "O"]), "entities_in"), [], [], "the entities of two O's")
    _name(_listed(answer([]), "entities_in"), [], [], "the entities of no words at all")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="From tags to names",
    solution=entities_in,
    check=check_entities_in,
    task="Read the entities off a list of tags: where each begins, where it ends, and of which kind it is. Be ready for tags that no person would write: a model "
    "may give an I with nothing before it.",
    hints=(
        "At each word ask two things: is the open entity over, and does a new one begin? Both may be true at once.",
        "A new one begins at a B, and at an I whose kind is not that of the open entity. The open one is over where a new one begins, and at an O.",
    ),
    paragraph="Entities, not tokens",
)
