"""Exercise `certainly_equal`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch00_first_look.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
)


def certainly_equal(one, other, reading):
    """Which positions of two texts have equal vectors for certain, whatever the weights are.

    `one` and `other` are lists of token ids. `reading` says what a position may look at:
    "left to right" (itself and all before it), "right to left" (itself and all after it)
    or "both" (all). -> list of positions.
    """
    # blank from here: compare what each position may look at in the two texts
    length = min(len(one), len(other))
    if reading == "left to right":
        return [i for i in range(length) if one[: i + 1] == other[: i + 1]]
    if reading == "right to left":
        return [i for i in range(length) if one[i:] == other[i:]]
    return list(range(length)) if one == other else []


def check_certainly_equal(answer):
    # the two texts have the same tokens at both ends and at position 4
    one, other = [2, 7, 8, 3, 7, 9, 5, 4], [2, 7, 8, 6, 7, 1, 5, 4]
    longer = [2, 7, 8, 3, 3, 7, 9, 5, 4]  # `one` with another token inserted in the middle
    shown = f"{one} and {other}"

    def ask(first, second, reading):
        found = answer(list(first), list(second), reading)
        if isinstance(found, range | tuple | set):
            found = list(found)
        if not isinstance(found, list):
            raise Mistake(
                f"For {shown} you return {found!r}, which is no list; wanted are the positions themselves, in a list."
            )
        if any(isinstance(value, bool) for value in found):
            raise Mistake(
                f"Your list {found} says yes or no for every position; wanted are the positions at which it is yes."
            )
        return sorted(found)

    forward, backward = ask(one, other, "left to right"), ask(one, other, "right to left")
    if forward == [i for i in range(8) if one[i] == other[i]]:
        raise Mistake(
            f"Your {forward} are the positions with the same token. Position 4 holds 7 in both texts, but it has looked at position 3, "
            "which differs: its vectors differ."
        )
    if forward == [6, 7] and backward == [0, 1, 2]:
        raise Mistake(
            "Your directions are swapped: reading left to right, [0, 1, 2] look at equal beginnings, and you name [6, 7]."
        )
    if forward == [0, 1, 2, 3]:
        raise Mistake(
            "You count position 3, where the tokens are 3 and 6. A position looks at itself, too."
        )
    if forward == [0, 1]:
        raise Mistake(
            "You stop at [0, 1]: position 2 looks at 2, 7, 8 in both texts, itself included, so it is equal as well."
        )
    if forward == [1, 2, 3]:
        raise Mistake("Your positions [1, 2, 3] are counted from 1; Python counts from 0.")
    if forward == [2, 7, 8]:
        raise Mistake(
            "Your [2, 7, 8] are the tokens; wanted are the positions where they stand, [0, 1, 2]."
        )
    if forward != [0, 1, 2]:
        raise Mistake(
            f"Left to right, {shown} share the vectors of positions [0, 1, 2]; you name {forward}."
        )
    if backward != [6, 7]:
        raise Mistake(
            f"Right to left, {shown} share the vectors of positions [6, 7]; you name {backward}."
        )
    both = ask(one, other, "both")
    if both == [0, 1, 2, 6, 7]:
        raise Mistake(
            "In both directions you name [0, 1, 2, 6, 7], what either direction alone would leave equal. "
            "Position 0 now looks right as well, and sees that position 3 differs."
        )
    if both == [0, 1, 2]:
        raise Mistake(
            "In both directions you name [0, 1, 2], as for left to right. Now position 0 looks at position 3 as well, which differs."
        )
    if both:
        raise Mistake(
            f"In both directions every position looks at position 3, which differs: none is certainly equal, and you name {both}."
        )
    if ask(one, one, "both") != list(range(8)):
        raise Mistake(
            "The text [2, 7, 8, 3, 7, 9, 5, 4] compared with itself has 8 equal vectors, in any direction; "
            f"you name {ask(one, one, 'both')}."
        )
    swapped = [2, 8, 7, 3, 7, 9, 5, 4]
    for reading, right in (
        ("left to right", [0]),
        ("right to left", [3, 4, 5, 6, 7]),
        ("both", []),
    ):
        if (found := ask(one, swapped, reading)) != right:
            raise Mistake(
                f"For {one} and {swapped}, where 7 and 8 change places, you name {found}, {reading}; right is {right}. The order counts: "
                "a position's vector depends on where the tokens stand that it looks at."
            )
    for reading, right in (("left to right", list(range(8))), ("right to left", []), ("both", [])):
        if (found := ask(one, [*one, 6], reading)) != right:
            raise Mistake(
                f"When one text goes on, with a ninth token 6, you name {found}, {reading}; right is {right}: who looks right sees that token."
            )
    uneven = ask(one, longer, "right to left")
    if uneven:
        raise Mistake(
            f"For texts of 8 and 9 tokens you name {uneven}, right to left. The ends are equal, but not their positions: the last "
            "token stands at 7 here and at 8 there, and a position has a vector of its own."
        )
    for reading in ("left to right", "right to left", "both"):
        also(answer, certainly_equal, ([5, 3, 1], [5, 4, 1], reading), ([9], [9], reading))


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="Who can know what?",
    task="""
            Two texts differ at some positions. Before any model has run, which positions are certain to get equal vectors in both, whatever the weights are?
            First answer on paper for *the bank by the river* and *the bank raised its rates*, for the three directions of reading; then write it for any two texts.
            In one layer, the vector at a position depends on the tokens that it may look at, itself included, and on
            their positions. More layers change nothing here: whatever a position may look at has itself seen only what that position may look at too.
            """,
    hints=(
        "Take position 2 of a text that is read left to right, and list what it may look at: positions 0, 1 and 2. Compare these lists.",
        "What position i may look at is a slice of the list of ids, and Python compares slices with ==. Slices of different lengths are never "
        "equal, so a text that is longer needs no case of its own.",
    ),
    paragraph="Reading in both directions",
    solution=certainly_equal,
    check=check_certainly_equal,
)
