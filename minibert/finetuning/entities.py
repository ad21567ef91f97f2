"""Named entities as a tag for each word, and how predicted ones are scored.

IOB2 (Tjong Kim Sang & Veenstra 1999): B-person begins a person's name, I-person continues it, O is
outside all entities. IOB1 uses B- only where two entities of one type touch. One rule reads both,
that of CoNLL's scoring program `conlleval`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from minibert.config import InputError

PART_OF_NAME = re.compile(r"[BI]-.+", re.DOTALL)


@dataclass(frozen=True)
class Entity:
    """A named entity: the words from `start` up to, but not including, `end`."""

    type: str
    start: int
    end: int


def is_iob(tags: Sequence[str]) -> bool:
    """Whether these are tags of entities: O, B-…, I-…, and not O alone."""
    return all(tag == "O" or PART_OF_NAME.fullmatch(tag) for tag in tags) and any(
        tag != "O" for tag in tags
    )


def entities(tags: Sequence[str]) -> list[Entity]:
    """The entities that tags mark, from left to right.

    One begins at every B-, and at an I- that does not continue the entity before it: after O, after
    another type, or as the first word. It ends before the next beginning or the next O. Raises an
    InputError for any other tag.
    """
    found, start = [], 0
    for place, (before, tag) in enumerate(pairwise(["O", *tags, "O"])):
        if not isinstance(tag, str) or (tag != "O" and not PART_OF_NAME.fullmatch(tag)):
            raise InputError(f"a tag must be O, or B- or I- with a type, not {tag!r}")
        goes_on = tag[:2] == "I-" and tag[2:] == before[2:]
        if before != "O" and not goes_on:
            found.append(Entity(before[2:], start, place))
        if not goes_on:
            start = place
    return found


def entity_scores(
    found: Sequence[Sequence[str]], expected: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Precision, recall and F1 of the entities in tagged sentences, all types together.

    An entity is right if its words and its type are. F1 = 2 · right / (found + expected), and 0
    where there is no entity at all, as in `conlleval` (Tjong Kim Sang & Buchholz 2000). Raises an
    InputError where sentences or tags differ in number.
    """
    if len(found) != len(expected):
        raise InputError(f"there are {len(found)} predicted and {len(expected)} gold sentences")
    right = there = predicted = 0
    for tags, gold in zip(found, expected, strict=True):
        if len(tags) != len(gold):
            raise InputError(f"a sentence has {len(tags)} predicted tags and {len(gold)} gold tags")
        one, other = set(entities(tags)), set(entities(gold))
        right, predicted, there = right + len(one & other), predicted + len(one), there + len(other)
    return {
        "entity_f1": 2 * right / max(1, predicted + there),
        "entity_precision": right / max(1, predicted),
        "entity_recall": right / max(1, there),
    }


def entity_f1(found: Sequence[Sequence[str]], expected: Sequence[Sequence[str]]) -> float:
    """The F1 of `entity_scores`."""
    return entity_scores(found, expected)["entity_f1"]
