"""Exercise `mean_pooling`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch00_first_look.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    recognise,
)
from minibert.inference.sentence_embeddings import mean_pool


def mean_pooling(last_hidden_state, attention_mask):
    """The mean of the real tokens' vectors: [B, S, H] and [B, S] (1 = real) -> [B, H]."""
    # blank from here: the sum over the real tokens, divided by their number
    real = attention_mask.unsqueeze(-1).to(last_hidden_state.dtype)  # [B, S, 1]
    return (last_hidden_state * real).sum(dim=1) / real.sum(dim=1)


def first_result(answer, hidden, mask):
    """What the answer returns, with an explanation if its shapes do not fit."""
    try:
        return answer(hidden, mask.clone())
    except RuntimeError as error:
        if "must match the size" not in str(error):
            raise
        raise Mistake(
            "Two shapes do not fit. The mask is [2, 5] and the vectors are [2, 5, 3], so the mask needs a third axis before you multiply. "
            "`mask.sum(dim=1)` is [2], and a sum of vectors [2, 3] can be divided by it only as [2, 1]; `mask.sum(dim=1, keepdim=True)` has this shape."
        ) from None


def check_mean_pooling(answer):
    hidden, mask = (
        draw(2, 5, 3),
        torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]),
    )  # [B, S, H], [B, S]
    found, right = first_result(answer, hidden, mask), mean_pool(hidden, mask)  # [B, H]
    if isinstance(found, torch.Tensor) and list(found.shape) == [5, 3]:
        raise Mistake(
            "Your result has the shape [5, 3]: you took the mean over the 2 texts. The axis of the tokens is dim=1, and [2, 3] is left."
        )
    value, want = (lambda wrong: f"{wrong(hidden, mask)[0, 0]:.2f}"), f"{right[0, 0]:.2f}"
    suspects = [
        (wrong(hidden, mask), sentence.format(value(wrong), want))
        for wrong, sentence in known(mean_pooling)
    ]
    padded = mask.clone()
    # With padding in every row, the mean of the padding alone is defined for both texts.
    padded[1, 4] = 0
    if isinstance(found, torch.Tensor) and torch.allclose(
        answer(hidden, padded.clone()).double(), mean_pool(hidden, 1 - padded)
    ):
        raise Mistake(
            "Your mask works the wrong way round: you average the 2 padding tokens of the first text and leave its 3 real ones out."
        )
    recognise(found, right, suspects, "The pooled vector")
    half = answer(hidden.half(), mask.clone())
    if half.dtype != torch.float16:
        raise Mistake(
            f"For vectors in float16 you return {str(half.dtype).removeprefix('torch.')}: a mean keeps the precision of what it averages."
        )
    holes = torch.tensor(
        [[0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    )  # [B, S], padding in other positions
    also(
        answer,
        mean_pooling,
        (draw(3, 4, 2).float().round(), holes),
        (draw(1, 6, 5), torch.ones(1, 6, dtype=torch.long)),
        gradient=True,
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="One vector for a sentence",
    task="""
            Write equation 0.2, for a batch whose texts have different lengths. The mask has 1 for a real token, including [CLS] and [SEP], and 0 for padding.
            Every text has a real token. Return the dtype that comes in. Right after this exercise your function makes the sentence vectors of the real model.
            """,
    hints=(
        "Leave padding out of both the sum and the number that you divide by. The mask is [B, S] and the vectors are [B, S, H]. What must you do "
        "to the mask before you can multiply the two?",
        "`unsqueeze(-1)` adds a last axis of length 1. What is left of a vector that is multiplied by 0, and what does a sum of ones count?",
    ),
    paragraph="One vector for a whole sentence",
    solution=mean_pooling,
    check=check_mean_pooling,
)
