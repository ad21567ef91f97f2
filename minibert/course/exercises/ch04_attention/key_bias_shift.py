"""Exercise `key_bias_shift`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch04_attention.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    recognise,
)


def key_bias_shift(query, bias):
    """What a bias on the keys adds to the scaled scores: [B, A, S, D], [A, D] -> [B, A, S, 1]."""
    products = query * bias[:, None]  # blank: each query times its head's bias
    shift = products.sum(dim=-1, keepdim=True)  # blank: summed up to a dot product
    return shift / math.sqrt(query.size(-1))  # blank: scaled as every score is


SHIFT_SHAPES = {
    (
        2,
        3,
        5,
    ): "Your result has the shape [2, 3, 5]; keep the last axis (keepdim=True): [2, 3, 5, 1] is added to a whole row of scores.",
    (
        2,
        3,
        1,
        5,
    ): "Your result has the shape [2, 3, 1, 5]: one number for each key. The bias is the same for all keys; "
    "what differs is the query: [2, 3, 5, 1].",
    (
        2,
        3,
        8,
        1,
    ): "Your result has the shape [2, 3, 8, 1]: you summed over the 5 tokens. A dot product sums over the 8 numbers of a head.",
}


def check_shift(answer):
    query, bias = draw(2, 3, 5, 8), draw(3, 8, seed=1)  # [B, A, S, D], [A, D]
    found, right = answer(query, bias), key_bias_shift(query, bias)  # [B, A, S, 1]
    if (shape := tuple(getattr(found, "shape", ()))) in SHIFT_SHAPES:
        raise Mistake(SHIFT_SHAPES[shape])
    guesses = [(wrong(query, bias), sentence) for wrong, sentence in known(key_bias_shift)]
    recognise(
        found,
        right,
        [
            (guess, sentence.format(guess[0, 0, 0, 0], right[0, 0, 0, 0]))
            for guess, sentence in guesses
        ],
        "The shift",
    )
    also(
        answer,
        key_bias_shift,
        (draw(1, 2, 4, 3).float(), draw(2, 3, seed=1).float()),
        (draw(3, 4, 1, 6), draw(4, 6)),
        gradient=True,
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="A parameter that does nothing",
    task="""
            `nn.Linear` has a bias, so every key is $W_K x + b$. What does $b$ add to the scores of a query? Write it as a
            function, and look at the shape of the result. What does it tell you about the weights, and about the gradient of $b$?
            """,
    hints=(
        "$q \\cdot (k + b) = q \\cdot k + q \\cdot b$. The second part does not contain $k$.",
        "Multiply `query` [B, A, S, D] by `bias[:, None]` [A, 1, D] and sum over the last axis, keeping it. Then scale.",
    ),
    paragraph="A bias that nothing notices",
    solution=key_bias_shift,
    check=check_shift,
)
