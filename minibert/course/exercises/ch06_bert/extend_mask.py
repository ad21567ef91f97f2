"""Exercise `extend_mask`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    expect_tensor,
)


def extend_mask(attention_mask):
    """1 = real token, 0 = padding, [B, S] -> boolean, True = may be looked at, for all heads and queries: [B, 1, 1, S]."""
    boolean = attention_mask.bool()  # blank: [B, S], True where the token is real
    return boolean[:, None, None, :]  # blank: [B, 1, 1, S], one axis for the heads, one for the queries  # fmt: skip


def check_extend_mask(answer):
    mask = torch.tensor(
        [[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]]
    )  # [B, S], with padding on either side
    found = answer(mask)
    if not isinstance(found, torch.Tensor):
        raise Mistake(f"Your mask should be a tensor, but it is a {type(found).__name__}.")
    shape = list(found.shape)
    if shape == [3, 1, 5, 1]:
        raise Mistake(
            "Your mask is [B, 1, S, 1]: it hides what padding *asks*. What must be hidden is what is looked *at*, the last axis."
        )
    if shape == [3, 5]:
        raise Mistake(
            "Your mask is still [B, S]: against scores of [B, A, S, S] its 3 texts would be read as queries. Add two axes."
        )
    if shape == [3, 1, 5]:
        raise Mistake(
            "Your mask is [B, 1, S]: there are two axes to add, one for the heads and one for the queries."
        )
    if found.is_floating_point():
        raise Mistake(
            f"Your mask has the dtype {found.dtype}, as numbers to be added to the scores have; here a mask is boolean, True = may be looked at."
        )
    if found.dtype != torch.bool:
        raise Mistake(
            f"Your mask has the dtype {found.dtype}; a boolean one cannot be taken for numbers to add."
        )
    if shape == [3, 1, 5, 5]:
        raise Mistake(
            "Your mask is [B, 1, S, S]: 25 truths a text where 5 say it all. Leave the axis of the queries at 1; it broadcasts."
        )
    if shape == [1, 1, 3, 5]:
        raise Mistake(
            "Your mask is [1, 1, B, S]: its 3 texts stand where the queries belong. The batch comes first, the new axes between."
        )
    if shape == [3, 5, 1, 1]:
        raise Mistake(
            "Your mask is [B, S, 1, 1]: its 5 tokens stand where the heads belong. The new axes go between B and S."
        )
    expect_tensor(found, [3, 1, 1, 5], "your mask")
    if torch.equal(found, ~mask.bool()[:, None, None, :]):
        raise Mistake(
            "Your mask says True where there is padding. Here True means: may be looked at."
        )
    if not torch.equal(found, mask.bool()[:, None, None, :]):
        wrong = next(i for i in range(3) if not torch.equal(found[i, 0, 0], mask[i].bool()))
        raise Mistake(
            f"For text {wrong} of the batch, whose attention_mask is {mask[wrong].tolist()}, your mask is {found[wrong, 0, 0].tolist()}."
        )
    for other in (
        torch.tensor([[1, 1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]),
        torch.tensor([[1, 1]]),
    ):  # [B, S]
        want = other.bool()[:, None, None, :]  # [B, 1, 1, S]
        try:
            found = answer(other)
        except RuntimeError as error:
            raise Mistake(
                f"For 3 texts of 5 tokens you are right, but with {list(other.shape)} you stop ({error}): take the sizes from what comes in."
            ) from None
        if found.shape != want.shape and found.shape == want.shape[:3] + (int(other.sum(1).max()),):
            raise Mistake(
                f"For {other.tolist()} your mask has {found.size(-1)} columns, as many as the longest text has real tokens; it needs one for each of the {other.size(1)} places."
            )
        if found.shape != want.shape or not torch.equal(found, want):
            raise Mistake(
                f"For 3 texts of 5 tokens you are right, but for {list(other.shape)} your mask should be {list(want.shape)} and is {list(found.shape)}: "
                "take the sizes from what comes in."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="A mask for every head and every query",
    solution=extend_mask,
    check=check_extend_mask,
    task="The tokenizer gives a mask of `[B, S]`, 1 for a real token and 0 for padding. Attention compares every query with "
    "every key in every head, `[B, A, S, S]`. Turn the one into a boolean mask that broadcasts onto the other, True = may be looked at.",
    hints=(
        "Which of the four axes runs over what is looked *at*? The mask belongs there. The others are 1, or B.",
        "`attention_mask.bool()` and then two new axes in the middle: `[:, None, None, :]`.",
    ),
    paragraph="Hide the padding",
)
