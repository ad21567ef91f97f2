"""Names in a sentence, written as a tag for each word, and how predicted ones are scored.

IOB2 (Tjong Kim Sang & Veenstra 1999): B-person begins a person's name, I-person goes on with it, O is outside of all names.
IOB1 writes B- only where two names of one type touch. Both are read by one rule, that of CoNLL's scoring program `conlleval`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

PART_OF_NAME = re.compile(r"[BI]-.+", re.DOTALL)


@dataclass(frozen=True)
class Entity:
    """A name: the words from `start` to before `end`."""

    type: str
    start: int
    end: int


def is_iob(tags: Sequence[str]) -> bool:
    """Whether these are tags of names: O, B-…, I-…, and not O alone."""
    return all(tag == "O" or PART_OF_NAME.fullmatch(tag) for tag in tags) and any(tag != "O" for tag in tags)


def entities(tags: Sequence[str]) -> list[Entity]:
    """The names that tags spell, from left to right.

    One begins at every B-, and at an I- that does not go on with the name before it: after O, after another type, or as
    the first word. It ends before the next beginning and the next O. Raises a ValueError for any other tag.
    """
    found, start = [], 0
    for place, (before, tag) in enumerate(zip(["O", *tags], [*tags, "O"])):
        if tag != "O" and not PART_OF_NAME.fullmatch(tag):
            raise ValueError(f"a tag must be O, or B- or I- with a type, not {tag!r}")
        goes_on = tag[:2] == "I-" and tag[2:] == before[2:]
        if before != "O" and not goes_on:
            found.append(Entity(before[2:], start, place))
        if not goes_on:
            start = place
    return found


def entity_scores(found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> dict[str, float]:
    """Precision, recall and F1 of the names in tagged sentences, all types together; right = the same words and the same type.

    F1 = 2 · right / (found + wanted), and 0 where there is no name at all, as `conlleval` has it (Tjong Kim Sang & Buchholz 2000).
    """
    right = there = predicted = 0
    for tags, gold in zip(found, wanted, strict=True):
        if len(tags) != len(gold):
            raise ValueError(f"a sentence has {len(tags)} tags found and {len(gold)} wanted")
        one, other = set(entities(tags)), set(entities(gold))
        right, predicted, there = right + len(one & other), predicted + len(one), there + len(other)
    return {"entity_f1": 2 * right / max(1, predicted + there),
            "entity_precision": right / max(1, predicted),
            "entity_recall": right / max(1, there)}


def entity_f1(found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> float:
    """The F1 of `entity_scores`."""
    return entity_scores(found, wanted)["entity_f1"]
