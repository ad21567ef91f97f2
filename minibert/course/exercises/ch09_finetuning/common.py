"""Definitions that several exercises of this chapter share."""

from torch import Tensor

from minibert.course.exercises.compare import Mistake

CHAPTER = "09_finetuning"


def _listed(found, what: str) -> list:
    """Converts a list, a tuple or a tensor to a list; raises Mistake for anything else."""
    if isinstance(found, Tensor):
        found = found.tolist()
    if not isinstance(found, list | tuple):
        raise Mistake(f"{what} should be a list, not a {type(found).__name__}.")
    return list(found)


def _name(found, right, suspects: list[tuple[object, str]], what: str) -> None:
    """Like `recognise`, for lists and tuples."""
    if found == right:
        return
    for value, sentence in suspects:
        if found == value:
            raise Mistake(sentence)
    raise Mistake(f"{what} should be {right}, but you have {found}.")
