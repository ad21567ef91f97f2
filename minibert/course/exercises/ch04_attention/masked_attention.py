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
    for mask, name in (
        (None, "Without a mask"),
        (padding, "With 2 of 6 keys hidden"),
        (blocks, "With a mask [2, 1, 4, 6]"),
    ):
        found = answer(query, key, value, mask)
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
    check_empty_row(answer, query, key, value)


def check_large_scores(answer, query, key, value, mask):
    weights = answer(query * 1000, key * 1000, value, mask)[1]
    leaked = float(weights.masked_fill(mask, 0).max())
    if leaked > 0:
        raise Mistake(
            f"With large scores your mask leaks: a hidden key gets the weight {leaked:.2f}. A constant such as -10000 "
            "is not far enough below scores of this size; take the lowest number of the dtype."
        )


def check_empty_row(answer, query, key, value):
    for dtype in (torch.float64, torch.float16):
        mask = torch.ones(2, 1, 1, 6, dtype=torch.bool)
        mask[1] = False  # the second text consists of padding only
        try:
            mixed = answer(query.to(dtype), key.to(dtype), value.to(dtype), mask)[0]
        except RuntimeError as error:
            raise Mistake(
                f"In {dtype} your function stops: {error}. The lowest number of float16 is -65504, so -1e9 "
                "does not exist there; ask torch.finfo(scores.dtype).min."
            ) from None
        if mixed.isnan().any():
            raise Mistake(
                f"For a text in which every key is hidden, {int(mixed[1].isnan().sum())} of {mixed[1].numel()} of your numbers "
                f"are nan ({dtype}): a softmax over nothing but -inf is 0/0. A finite lowest number gives every key the same share."
            )
        mean = value[1].mean(-2, keepdim=True).expand(3, 4, 8)  # [A, S, D]
        zeros = (
            torch.zeros_like(mean),
            "A query with nothing to attend to gets zeros from you; here it gets the mean of all values, "
            "so that its weights still sum to 1.",
        )
        open_row = (
            masked_attention(query, key, value)[0][1],
            "A text in which every key is hidden gets from you what it would get without a mask: "
            "to lower all scores alike changes no weight. Put the lowest number in place of the scores instead of adding it.",
        )
        recognise(
            mixed[1].double(),
            mean,
            [zeros, open_row],
            f"Your tensor of mixed values of a text in which every key is hidden ({dtype})",
            tolerance=1e-5 if dtype == torch.float64 else 1e-2,
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=20,
    title="Attention that ignores padding",
    task="""
            Write equation 4.1 with a mask, in which `True` means 'may be attended to'. S and T may differ, and the mask is
            [B, 1, 1, T] or [B, A, S, T]. The function must also work in half precision, with very large scores, and for a text of
            nothing but padding, whose queries get the mean of all values. Leave the mask that you are given as it is.
            """,
    hints=(
        "A hidden key must get the weight 0, and the softmax turns only a very low score into 0. "
        "So change the scores, before the softmax. The head size is `query.size(-1)`.",
        "`torch.finfo(scores.dtype).min` is the lowest finite number of whatever precision you were given, and "
        "`scores.masked_fill(~mask, number)` makes a new tensor with that number wherever the mask is False.",
    ),
    paragraph="Padding must get no weight",
    solution=masked_attention,
    check=check_masked,
)
