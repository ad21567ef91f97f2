"""Exercise `best_span`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch09_finetuning.common import (
    CHAPTER,
    _name,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
)


def best_span(start, end, allowed, max_answer):
    """The best answer: the first and the last token of the span with the largest start[i] + end[j].

    start, end [S]: logits; allowed [S]: True for tokens of the passage. Both ends must be allowed, the end not before the start,
    and the span at most `max_answer` tokens long. -> (i, j), two ints
    """
    places = torch.arange(len(start))  # [S]
    length = (
        places[None, :] - places[:, None] + 1
    )  # [S, S], tokens from start i (row) to end j (column)
    scores = start[:, None] + end[None, :]  # blank: [S, S], of start i (row) with end j (column)
    valid = allowed[:, None] & allowed[None, :] & (length >= 1) & (length <= max_answer)  # blank: [S, S], True where (i, j) may be an answer  # fmt: skip
    best = scores.masked_fill(~valid, -torch.inf).argmax()  # blank: where in the matrix, read row by row, the best valid one is  # fmt: skip
    return divmod(int(best), len(start))  # blank: its row and its column


_START = [
    9.0,
    0.0,
    3.0,
    0.5,
    1.0,
    6.0,
    2.0,
    0.0,
    4.0,
]  # positions 0 and 1 are the question, 8 is [SEP]


_END = [9.0, 3.0, 7.0, 2.0, 1.5, 0.5, 4.5, 6.5, 6.0]


_ALLOWED = [False, False, True, True, True, True, True, True, False]


def check_best_span(answer):
    start, end = (
        torch.tensor(values, dtype=torch.float64) for values in (_START, _END)
    )  # [S], [S]
    allowed = torch.tensor(_ALLOWED)  # [S]

    def span(start, end, allowed, max_answer):
        found = answer(start.clone(), end.clone(), allowed.clone(), max_answer)
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise Mistake(f"best_span should give back two places, (i, j), not {found!r}.")
        return int(found[0]), int(found[1])

    found = span(start, end, allowed, 3)
    shown = f"You answer {found}"
    _name(
        found,
        (5, 7),
        [
            (
                (0, 0),
                f"{shown}, the best start and the best end of all tokens: that is no place in the passage. Both ends must be allowed.",
            ),
            ((0, 2), f"{shown}: it starts at [CLS], which is not allowed. Both ends must be."),
            (
                (5, 2),
                f"{shown}: the end stands before the start. That is what best start and best end give, chosen apart; and also a matrix in which a length below 1 is valid.",
            ),
            (
                (2, 2),
                f"{shown} with the score {3.0 + 7.0}. (5, 7) has {6.0 + 6.5}, the best of those that are valid. Do you look at the end only? Or have start and end "
                "changed places in the sum: row i is a start, start[:, None]?",
            ),
            (
                (7, 5),
                f"{shown}: end and start have changed places. Rows are starts, columns are ends.",
            ),
            (
                (5, 8),
                f"{shown}: the end runs one too far, to a token that is not allowed. Both are the tokens *themselves*, the last one included.",
            ),
            (
                (5, 6),
                f"{shown}: that span has 2 tokens, and 3 are allowed: (5, 7) scores {6.0 + 6.5} where yours has {6.0 + 4.5}. A span from i to j has j - i + 1.",
            ),
        ],
        "the best span",
    )
    long = span(
        start + torch.tensor([0, 0, 5.0, 0, 0, 0, 0, 0, 0]),
        end - torch.tensor([0, 0, 9.0, 0, 0, 0, 0, 0, 0]),
        allowed,
        3,
    )
    _name(
        long,
        (5, 7),
        [
            ((2, 7), f"You answer {long}, 6 tokens, where at most 3 are allowed."),
            (
                (2, 4),
                f"You take the best start, 2, and then the best end behind it, {long}: its score is {8.0 + 1.5}; (5, 7) has {6.0 + 6.5}. Choose both together.",
            ),
            (
                (2, 3),
                f"You answer {long}, which begins at the best start: its score is {8.0 + 2.0}; (5, 7) has {6.0 + 6.5}. Choose both together, by the sum of their *logits*, not of probabilities.",
            ),
        ],
        "the best span of at most 3 tokens",
    )
    behind = span(start, end + torch.tensor([0, 0, 0, 0, 0, 0, 0, 0, 9.0]), allowed, 3)
    _name(
        behind,
        (5, 7),
        [
            (
                (6, 8),
                f"You answer {behind}: token 8 is [SEP]. You ask of the start whether it is allowed; the end must be, too.",
            )
        ],
        "the best span where [SEP] is a good end",
    )
    also(
        answer,
        best_span,
        (
            torch.tensor([0.0, 4.0, 1.0]),
            torch.tensor([0.0, 3.0, 2.0]),
            torch.tensor([False, True, True]),
            2,
        ),
    )
    one = span(
        torch.tensor([0.0, 4.0, 1.0]),
        torch.tensor([0.0, 1.0, 2.0]),
        torch.tensor([False, True, True]),
        1,
    )
    _name(
        one,
        (1, 1),
        [
            ((1, 2), "Asked for answers of 1 token you give (1, 2), which are two."),
        ],
        "the best answer of one token",
    )
    below = span(
        torch.tensor([9.0, -4.0, -3.0]),
        torch.tensor([9.0, -2.0, -6.0]),
        torch.tensor([False, True, True]),
        2,
    )
    _name(
        below,
        (1, 1),
        [
            (
                (1, 2),
                f"Where all logits of the passage are below 0 you answer (1, 2), with {-4.0} and {-6.0}: their product is large, their *sum* is not. Logits are logarithms; they add.",
            ),
            (
                (0, 0),
                "Where all logits of the passage are below 0 you answer (0, 0), which is not allowed: what is forbidden must lose to everything, so fill it with -∞, and not with 0 or another number.",
            ),
        ],
        "the best span where all logits are below 0",
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="The best answer that is one",
    solution=best_span,
    check=check_best_span,
    task="Choose start and end of an answer *together*: the largest sum of the two logits among all spans that are possible. Your function will answer real questions further down.",
    hints=(
        "There are S · S pairs of a start and an end. Make the matrix of all their sums, strike out what cannot be an answer, take the largest of the rest.",
        "`start[:, None] + end[None, :]`; valid is an *and* of four conditions; `masked_fill(~valid, -torch.inf)`; `argmax` counts along the rows, S to a row: `divmod`.",
    ),
    paragraph="Both ends together",
)
