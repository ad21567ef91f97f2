"""What several exercises of this chapter share."""

from torch import Tensor

from minibert.course.exercises.compare import Mistake

CHAPTER = "09_finetuning"


def _listed(found, what: str) -> list:
    """A list, a tuple or a tensor of whole numbers, as a list."""
    if isinstance(found, Tensor):
        found = found.tolist()
    if not isinstance(found, list | tuple):
        raise Mistake(f"{what} should be a list, not a {type(found).__name__}.")
    return list(found)


def _name(found, right, suspects: list[tuple[object, str]], what: str) -> None:
    """As `recognise`, for lists and tuples."""
    if found == right:
        return
    for value, sentence in suspects:
        if found == value:
            raise Mistake(sentence)
    raise Mistake(f"{what} should be {right}, but you have {found}.")
