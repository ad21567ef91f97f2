"""Definitions that several exercises of this chapter share."""

from torch import Tensor

from minibert.course.exercises.compare import (
    Mistake,
    Unforeseen,
)

CHAPTER = "10_bertsum"


def _name(found, right: list, suspects: list[tuple[list, str]], what: str) -> None:
    """Like `recognise`, for lists."""
    if found == right:
        return
    for value, sentence in suspects:
        if found == value:
            raise Mistake(sentence)
    raise Unforeseen(f"{what} should be {right}, but you have {found}.")


def _numbers_of(found, what):
    """Converts a list of sentence numbers to a plain list; raises Mistake for anything else."""
    if isinstance(found, Tensor):
        found = found.tolist()
    if found is None:
        raise Mistake(
            f"{what} gives back None: list.sort() sorts in place and returns nothing, sorted(…) makes a new list."
        )
    if isinstance(found, list | tuple) and any(isinstance(n, Tensor) for n in found):
        raise Mistake(
            f"{what} gives back tensors in a list; wanted are whole numbers: .tolist() makes them of a tensor."
        )
    if not isinstance(found, list | tuple | range) or not all(isinstance(n, int) for n in found):
        raise Mistake(f"{what} should give back a list of sentence numbers, but it is {found!r}.")
    if set(found) == {0, 1} and len(found) > 2:
        raise Mistake(
            f"{what} gives back {list(found)}: a 0 or a 1 for every sentence, labels. Wanted are the numbers of the sentences that are chosen."
        )
    if len(set(found)) < len(found):
        raise Mistake(f"{what} gives back {list(found)}: a sentence is in it twice.")
    return list(found)
