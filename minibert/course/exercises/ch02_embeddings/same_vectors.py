"""Exercise `same_vectors`: task, hints, solution and check."""

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch02_embeddings.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def same_vectors(ids_a, ids_b, types_a, types_b):
    """Positions at which both texts get the same vector: four lists of ints -> list of ints."""
    shorter = min(len(ids_a), len(ids_b))
    return [i for i in range(shorter) if ids_a[i] == ids_b[i] and types_a[i] == types_b[i]]  # blank: what has to agree at position i?  # fmt: skip


def check_same_vectors(answer) -> None:
    cases = (
        ([101, 7, 8, 9, 7, 102], [101, 7, 5, 9, 102], [0] * 6, [0] * 5, "two texts of one segment"),
        (
            [101, 7, 102, 8, 9, 102],
            [101, 7, 102, 8, 9, 102],
            [0, 0, 0, 1, 1, 1],
            [0] * 6,
            "the same ids as a pair and as one text",
        ),
        ([101, 7, 8, 102], [101, 8, 7, 102], [0] * 4, [0] * 4, "two words that change places"),
        (
            [101, 7, 102, 8, 9, 102],
            [101, 7, 102, 8, 5, 102],
            [0, 0, 0, 1, 1, 1],
            [0, 0, 0, 1, 1, 1],
            "two pairs",
        ),
        (
            [101, 7, 8, 102],
            [101, 7, 9, 102],
            [0, 0, 1, 1],
            [0, 0, 0, 1],
            "id 8 with segment 1 against id 9 with segment 0",
        ),
        (
            [101, 7, 8, 102],
            [101, 7, 16, 102],
            [0, 0, 1, 1],
            [0, 0, 0, 1],
            "id 8 with segment 1 against id 16 with segment 0",
        ),
        (
            [101, 7, 102, 0, 0],
            [101, 7, 102],
            [0] * 5,
            [0] * 3,
            "a text with two places of padding, id 0, against one without",
        ),
        (
            [101, *map(int, ("2307", "2314", "102"))],
            [101, *map(int, ("2307", "2300", "102"))],
            [0] * 4,
            [0] * 4,
            "two texts with ids above 2,000",
        ),
    )
    for ids_a, ids_b, types_a, types_b, name in cases:
        pairs = list(zip(ids_a, ids_b))
        right = [i for i, (a, b) in enumerate(pairs) if a == b and types_a[i] == types_b[i]]
        try:
            found = answer(ids_a, ids_b, types_a, types_b)
        except IndexError:
            raise Mistake(
                f"for {name}, of {len(ids_a)} and {len(ids_b)} tokens, your function looks for a token behind the end of a text: go as far as the shorter one."
            ) from None
        if isinstance(found, range | tuple | set):
            found = list(found)
        if found == right:
            continue
        if not isinstance(found, list):
            raise Mistake(
                f"the answer is a list of positions, such as {right}, and you return {found!r}."
            )
        if any(isinstance(value, bool) for value in found):
            raise Mistake(
                f"for {name} you say {found}, a yes or no for each position; asked for are the positions of the yes: {right}."
            )
        if any(not isinstance(value, int) for value in found):
            raise Mistake(
                f"for {name} you say {found}; asked for are positions, whole numbers: {right}."
            )
        if sorted(found) == right:
            continue
        if max(found, default=0) >= max(len(ids_a), len(ids_b)) and set(found) <= {*ids_a, *ids_b}:
            raise Mistake(
                f"for {name} you say {found}: those are ids; asked for are the positions where they stand."
            )
        if len(set(found)) < len(found):
            raise Mistake(
                f"for {name} you say {found}, with a position twice: `list.index` finds the first place where an id stands, whichever one you are looking at."
            )
        for wrong, sentence in known(same_vectors):
            if found == wrong(ids_a, ids_b, types_a, types_b):
                raise Mistake(f"for {name} you say {found}: {sentence}")
        raise Mistake(f"for {name} you say {found}; right is {right}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=6,
    title="Which vectors are the same?",
    task="""Two texts go through the embeddings (in evaluation, so without dropout). At which positions do both get *the very same* vector?
        Write `same_vectors(ids_a, ids_b, types_a, types_b)`, which answers without running any model: it gets two lists of token ids and
        two lists of segment ids, and returns the list of positions.""",
    hints=(
        "Which numbers decide a token's vector at this stage? And which numbers of its neighbours?",
        "A vector depends on its token id, its segment id and its position, and on nothing else. The position is the same anyway when you compare place by place.",
    ),
    paragraph="What is the [CLS] vector before attention?",
    solution=same_vectors,
    check=check_same_vectors,
)
