"""Exercise `read_sums`: task, hints, solution and check."""

import torch
from torch import Tensor

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch02_embeddings.common import CHAPTER
from minibert.course.exercises.compare import Mistake, Unforeseen

PARTS = ("token", "segment", "position")


def read_sums(sums, words, segments, positions):
    """sums [n, H], tables [V, H], [T, H], [P, H] -> row numbers."""
    # blank from here: first the words, then the other two
    ids = torch.cdist(sums, words).argmin(dim=1)  # nearest word: [n]
    rest = sums - words[ids]  # what is left of each sum: [n, H]
    others = (segments[:, None] + positions).flatten(0, 1)  # [T × P, H]
    pair = torch.cdist(rest, others).argmin(dim=1)  # [n]
    return ids, pair // len(positions), pair % len(positions)


def check_read_sums(answer) -> None:
    for seed, n, V, T, P, H in (
        (0, 9, 40, 2, 12, 64),
        (1, 30, 70, 3, 25, 96),
        (2, 1, 11, 2, 5, 48),
    ):
        words, segments, positions = _tables(seed, V, T, P, H)
        g = torch.Generator().manual_seed(seed + 10)
        right = tuple(torch.randint(size, (n,), generator=g) for size in (V, T, P))
        sums = words[right[0]] + segments[right[1]] + positions[right[2]]  # [n, H]
        _compare(answer, sums, (words, segments, positions), right)


def _tables(seed: int, V: int, T: int, P: int, H: int) -> tuple[Tensor, Tensor, Tensor]:
    """Random tables: word rows of very different lengths, short position rows, and segment rows
    that are nearly the same, as in a trained model.
    """
    g = torch.Generator().manual_seed(seed)
    words = torch.randn(V, H, generator=g) * (0.5 + 2.5 * torch.rand(V, 1, generator=g))
    segments = torch.randn(1, H, generator=g) / 2 + torch.randn(T, H, generator=g) / 30
    return words, segments, torch.randn(P, H, generator=g) / 5


def _compare(answer, sums: Tensor, tables, right) -> None:
    n, sizes = len(sums), [len(table) for table in tables]
    try:
        found = answer(sums, *tables)
    except RuntimeError as error:
        if "size of tensor" not in str(error):
            raise
        raise Mistake(
            f"you combine tensors that do not fit ({error}): to the {n} sums belong {n} word rows, words[ids], of shape {list(sums.shape)}. "
            f"The whole table `words` has {sizes[0]} rows, and `ids` are row numbers, not rows."
        ) from None
    if not isinstance(found, tuple | list) or len(found) != 3:
        raise Mistake(
            f"return three tensors, ids, segments and positions, each with {n} whole numbers; you return a {type(found).__name__}."
        )
    for part, each in zip(PARTS, found):
        if not isinstance(each, Tensor) or each.is_floating_point() or list(each.shape) != [n]:
            shape = (
                f"{each.dtype} of shape {list(each.shape)}"
                if isinstance(each, Tensor)
                else type(each).__name__
            )
            raise Mistake(
                f"for {n} sums your {part} ids should be {n} whole numbers, a tensor of shape [{n}], and not {shape}: asked for are row numbers, not rows or distances."
            )
    hits = [int((each == true).sum()) for each, true in zip(found, right)]
    if hits == [n, n, n]:
        return
    share = ", ".join(f"{hit} of {n} {part}s" for hit, part in zip(hits, PARTS))
    here = f"with tables of {sizes[0]}, {sizes[1]} and {sizes[2]} rows you find {share}"
    for wrong, sentence in known(read_sums):
        guess = wrong(sums, *tables)
        if all(torch.equal(each.long(), other.long()) for each, other in zip(found, guess)):
            raise Mistake(f"{here}: {sentence}")
    raise Unforeseen(f"{here}; all of them can be found.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Take a sum apart",
    task="""You are given *n* vectors, each the sum of a word row, a segment row and a position row, and the three tables, with *V*, *T*
        and *P* rows. Write `read_sums(sums, words, segments, positions)`, which returns the indices of the rows that were added, as three integer tensors of shape `[n]`, for words, segments and positions. Comparing each sum
        with all *V* × *T* × *P* sums would take too long for the 3,000 sums that come later. The two segment rows can be almost identical, so look for segment and position together.
        The cell below then gives your function a message to read.""",
    hints=(
        "Look for the word first, and treat the rest of the sum as noise. `torch.cdist(a, b)` gives all distances between two sets of vectors. What is left of a sum once you know its word?",
        "Subtract the rows of the words that you have found. What is left is close to one of only T × P vectors, so you can compare it with all of them: build them by broadcasting, and work out segment and position from the index of the nearest one.",
    ),
    paragraph="Why add, and not concatenate?",
    solution=read_sums,
    check=check_read_sums,
)
