"""Exercise `offset_share`: task, hints, solution and check."""

import torch
from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch11_what_it_learned.common import (
    CHAPTER,
    _maps,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    recognise,
)


def offset_share(attention, offset):
    """What each head gives, on average, to the token `offset` places further (-1 = the one before): [A, S, S] -> [A].

    A token that has no such neighbour is left out of the mean.
    """
    given = attention.diagonal(offset, dim1=-2, dim2=-1)  # blank: of each token that has such a neighbour: [A, S - |offset|]  # fmt: skip
    return given.mean(dim=-1)  # blank: one number for each head


def check_offset_share(answer):
    maps = _maps(3, 6, 6)  # [A, S, S]
    for offset, name in ((-1, "before"), (2, "two places on")):
        _check_share(answer(maps.clone(), offset), maps, offset, name)
    also(
        answer, offset_share, (_maps(2, 4, 4).float(), 1), (_maps(5, 3, 3), -2), (_maps(1, 7, 7), 0)
    )


def _check_share(found, maps, offset, name):
    S, left = maps.size(-1), maps.size(-1) - abs(offset)
    right, other = (maps.diagonal(o, 1, 2) for o in (offset, -offset))  # [A, S - |offset|] each
    around = maps.gather(-1, ((torch.arange(S) + offset) % S).expand(3, S)[..., None])[
        ..., 0
    ]  # [A, S]
    if isinstance(found, Tensor) and found.dim() == 0:
        raise Mistake(
            f"Your result is one number for all {len(maps)} heads. Every head has a habit of its own: give one number for each."
        )
    recognise(
        found,
        right.mean(-1),
        [
            (
                other.mean(-1),
                f"With offset {offset} you measure the weight on the token at offset {-offset}. A row is a token that looks, a column one that is looked at: [i, i + offset].",
            ),
            (
                right.sum(-1),
                f"You add the weights of {left} tokens up and do not divide: head 0 gives {right[0].sum():.2f} where a share is at most 1.",
            ),
            (
                right.sum(-1) / S,
                f"You divide by {S} tokens, but only {left} of them have a token {name}.",
            ),
            (
                around.mean(-1),
                f"Your offset of {offset} goes round the end: the first token has no token before it, and yours looks at the last one.",
            ),
            (
                maps.diagonal(0, 1, 2).mean(-1),
                "You measure what each token gives to itself, whatever the offset.",
            ),
            (
                right.amax(-1),
                f"You take the largest of the {left} weights; one token is no habit. Take their mean.",
            ),
            (
                (maps.argmax(-1) == torch.arange(S) + offset).double().sum(-1) / left,
                f"You count how many of {left} tokens look there *most*. Asked for is how much they give, on average.",
            ),
            (
                right.mean(0),
                f"Your mean runs over the heads, so that {left} numbers are left, one for each token. It should run over the tokens.",
            ),
            (
                (right.mean(-1) + other.mean(-1)) / 2,
                f"You take the mean of both directions; asked for is offset {offset}, and not {-offset}.",
            ),
            (
                right.median(-1).values,
                f"You take the median of the {left} weights; asked for is their mean.",
            ),
            (
                maps.diagonal(1 if offset > 0 else -1, 1, 2).mean(-1),
                f"You measure the neighbour next to each token, whatever the offset; here it is {offset}.",
            ),
        ],
        f"what the {len(maps)} heads give to offset {offset}",
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=6,
    title="Where a head looks",
    task="A head's map of a text is a table: row *i* is how token *i* shares out its 1. How much does each head give to the token `offset` places further on, in the mean over the tokens that have one? With −1 it is the token before, with 1 the token after.",
    hints=(
        "The entries that you want are `[i, i + offset]` for every *i*. They stand on a line that runs parallel to the diagonal.",
        "`tensor.diagonal(offset, dim1=-2, dim2=-1)` takes exactly those, as the last axis. Then one mean.",
    ),
    paragraph="Count, do not look",
    solution=offset_share,
    check=check_offset_share,
)
