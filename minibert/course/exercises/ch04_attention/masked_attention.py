"""Exercise `masked_attention`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch04_attention.common import (
    CHAPTER,
    masked_attention,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    expect_tensor,
    recognise,
)


def check_masked(answer):
    query, key, value = draw(2, 3, 4, 8), draw(2, 3, 6, 8, seed=1), draw(2, 3, 6, 8, seed=2)
    padding = torch.ones(2, 1, 1, 6, dtype=torch.bool)  # [B, 1, 1, T]
    padding[0, ..., 4:] = False
    blocks = padding & (torch.arange(6) < torch.tensor([[2], [3], [4], [6]]))  # [B, 1, S, T]
    heads = padding & (torch.arange(6) != torch.tensor([0, 1, 2])[:, None, None])  # [B, A, 1, T]
    heads = heads.expand(2, 3, 4, 6)  # [B, A, S, T], another mask for each head
    for mask, name in (
        (None, "Without a mask"),
        (padding, "With 2 of 6 keys hidden"),
        (blocks, "With a mask [2, 1, 4, 6]"),
        (heads, "With a mask [2, 3, 4, 6] that differs from head to head"),
    ):
        try:
            found = answer(query, key, value, mask)
        except RuntimeError as error:
            if "expected" not in str(error) or "found" not in str(error):
                raise
            raise Mistake(
                f"Your function changes the precision on the way ({error}). Everything comes in as float64; leave out "
                ".float() and compute with what comes in."
            ) from None
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise Mistake("Return two things: the mixed values and the weights.")
        mixed, weights = masked_attention(query, key, value, mask)
        hidden = torch.zeros(1, dtype=torch.bool) if mask is None else ~mask
        guesses = [
            (wrong(query, key, value, mask)[1], sentence)
            for wrong, sentence in known(masked_attention)
        ]
        expect_tensor(found[1], weights.shape, f"{name}, the second result, the weights,")
        if found[1].isnan().any():
            for guess, sentence in guesses:
                if torch.allclose(found[1], guess, equal_nan=True):
                    raise Mistake(f"{name}, your weights are nan. {sentence}")
            raise Mistake(
                f"{name}, {int(found[1].isnan().sum())} of your weights are nan: a number that is too low for its dtype is -inf, "
                "and -inf × 0 is nan. Do not multiply by the mask; put the number in place with masked_fill."
            )
        recognise(
            found[1],
            weights,
            [(guess, sentence.format((guess * hidden).max())) for guess, sentence in guesses],
            f"{name}, your tensor of weights",
        )
        if hidden.any() and (left := float((found[1] * hidden).max())) > 0:
            raise Mistake(
                f"{name}, a hidden key keeps a weight of {left:.0e}: your number is not low enough."
            )
        recognise(found[0], mixed, [], f"{name}, your tensor of mixed values")
    also(
        answer,
        masked_attention,
        (
            draw(1, 2, 5, 3),
            draw(1, 2, 5, 3, seed=1),
            draw(1, 2, 5, 3, seed=2),
            torch.ones(1, 1, 5, 5, dtype=torch.bool).tril(),
        ),
        (
            draw(3, 1, 2, 4).float(),
            draw(3, 1, 3, 4, seed=1).float(),
            draw(3, 1, 3, 4, seed=2).float(),
        ),
        gradient=True,
    )
    check_large_scores(answer, query.float(), key.float(), value.float(), padding)


def check_large_scores(answer, query, key, value, mask):
    weights = answer(query * 1e5, key * 1e5, value, mask)[1]
    if weights.isnan().any():
        raise Mistake(
            f"With very large scores, {int(weights.isnan().sum())} of your weights are nan. If you set weights to zero "
            "after the softmax and divide by the rest, the rest can be 0, and 0/0 is nan. Hide the scores before the softmax."
        )
    leaked = float(weights.masked_fill(mask, 0).max())
    if leaked > 0:
        raise Mistake(
            f"With large scores your mask leaks: a hidden key gets the weight {leaked:.2f}. The number that you put in place "
            "of its score is not far enough below scores of up to 10 billion."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=15,
    title="Attention that ignores padding",
    task="""
            Write equation 4.1 with a mask, in which `True` means 'may be attended to'. S and T may differ, and the mask is
            [B, 1, 1, T] or [B, A, S, T]. If it is None, nothing is hidden. A hidden key must get a weight of exactly 0, however
            large the scores are. You may assume that every query has a key that is not hidden. Do not modify the mask in place.
            """,
    hints=(
        "A key could be hidden before the softmax or after it. Which of the two leaves rows that still sum to 1? And which "
        "two axes of `key` have to change places before the product with `query`?",
        "`masked_fill` makes a new tensor with a given number wherever a mask is True, so ask yourself which keys are to be "
        "filled. Is there a number that lies below every score, however large the scores are?",
    ),
    paragraph="Padding must get no weight",
    solution=masked_attention,
    check=check_masked,
)
