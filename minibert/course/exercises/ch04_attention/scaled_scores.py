"""Exercise `scaled_scores`: task, hints, solution and check."""

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


def scaled_scores(query, key):
    """How well every query fits every key: [B, A, S, D] and [B, A, T, D] -> [B, A, S, T]."""
    scores = query @ key.transpose(-2, -1)  # blank: the dot product of every query with every key
    return scores / math.sqrt(query.size(-1))  # blank: Vaswani et al. 2017: divided by √D


def check_scores(answer):
    query, key = draw(2, 3, 5, 8), draw(2, 3, 7, 8, seed=1)  # [B, A, S, D], [B, A, T, D]
    found, right = answer(query, key), scaled_scores(query, key)  # [B, A, S, T]
    if getattr(found, "shape", None) == (2, 3, 7, 5):
        raise Mistake(
            "Your scores have the shape [2, 3, 7, 5]: a row for each of the 7 keys. A row belongs to a query: [2, 3, 5, 7] for 5 queries and 7 keys."
        )
    guesses = [(wrong(query, key), sentence) for wrong, sentence in known(scaled_scores)]
    recognise(
        found,
        right,
        [(guess, sentence.format(guess.std(), right.std())) for guess, sentence in guesses],
        "Your tensor of scores",
    )
    also(
        answer,
        scaled_scores,
        (draw(1, 2, 3, 6).float(), draw(1, 2, 3, 6, seed=1).float()),
        (draw(4, 1, 2, 3), draw(4, 1, 5, 3)),
        gradient=True,
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="Scores, scaled",
    task="""
            Write the inside of equation 1, $QK^\\top/\\sqrt{d_k}$, for a batch with several heads: a score for every query and
            every key. The number of keys, T, may differ from the number of queries, S.
            """,
    hints=(
        "`@` multiplies the last two axes of its two tensors and leaves the others alone: [S, D] times [D, T] gives [S, T].",
        "`key.transpose(-2, -1)` swaps the last two axes. The head size is `query.size(-1)`: "
        "not the number of tokens, not the hidden size.",
    ),
    paragraph="Why divide by √d?",
    solution=scaled_scores,
    check=check_scores,
)
