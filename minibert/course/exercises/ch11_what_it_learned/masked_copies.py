"""Exercise `masked_copies`: task, hints, solution and check."""

import torch
from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch11_what_it_learned.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
    expect_tensor,
    recognise,
)


def masked_copies(ids, mask_id):
    """A sentence once for each of its words, with that word hidden: ids [S] -> copies [S - 2, S], places [S - 2].

    ids begin with [CLS] and end with [SEP], which are never hidden. Copy n hides the token at places[n].
    """
    places = torch.arange(1, len(ids) - 1)  # blank: 1, 2, …, S - 2
    hidden = places[:, None] == torch.arange(len(ids))  # blank: [S - 2, S], True at the one place that a copy hides  # fmt: skip
    copies = torch.where(hidden, mask_id, ids)  # blank: [S - 2, S]
    return copies, places


def check_masked_copies(answer):
    ids = torch.tensor([101, 7, 8, 7, 9, 5, 102])  # one word occurs twice
    S = 7
    found = answer(ids, 103)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(
            f"masked_copies should give back copies and places, not a {type(found).__name__}."
        )
    copies, places = found
    if not isinstance(copies, Tensor) or copies.dim() != 2:
        raise Mistake(
            f"copies should be a table [{S - 2}, {S}], but it is {list(copies.shape) if isinstance(copies, Tensor) else type(copies).__name__}."
        )
    if len(copies) == S:
        raise Mistake(
            f"You have {S} copies for {S - 2} words: [CLS] and [SEP] are no words, nobody asks the model for them."
        )
    expect_tensor(copies, (S - 2, S), "copies")
    expect_tensor(torch.as_tensor(places), (S - 2,), "places")
    lines, at = torch.arange(S - 2), torch.arange(1, S - 1)  # [S - 2], [S - 2]
    right, place = ids.repeat(S - 2, 1), torch.arange(S)  # [S - 2, S], [S]
    right[lines, at] = 103
    if torch.equal(copies, right) and not torch.equal(torch.as_tensor(places), at):
        raise Mistake(
            f"Your copies are right, but your places are {torch.as_tensor(places).tolist()}: copy 0 hides the token at 1, behind [CLS]."
        )
    suspects = [
        (
            (place > 0) & (place <= at[:, None]),
            "Your copies hide more and more, for each mask stays in the next copy. Every copy hides one word.",
        ),
        (
            (place < S - 1) & (place >= at[:, None]),
            "Your copies hide a word and all that follows: that is how a model reads from left to right. Here both sides stay in sight.",
        ),
        (
            (place > 0) & (place < S - 1) & (place != at[:, None]),
            "Your copies hide every word but one. Hide that one, and show the others.",
        ),
        (
            (place > 0) & (place < S - 1),
            f"Your copies hide all {S - 2} words at once, so that the model has nothing to go by.",
        ),
        (
            place == at[:, None] - 1,
            "Your copies hide one place too early: the first of them hides [CLS].",
        ),
        (
            ids == ids[at][:, None],
            "The token 7 stands at 1 and at 3, and your copies hide both at once. Compare places, not tokens.",
        ),
        (
            torch.zeros(S - 2, S, dtype=torch.bool),
            "Nothing is hidden in your copies: the model would see the word that it is asked for.",
        ),
    ]
    recognise(
        copies.double(),
        right.double(),
        [
            (torch.where(hidden, 103, ids.expand(S - 2, S)).double(), text)
            for hidden, text in suspects
        ],
        "copies",
    )
    also(answer, masked_copies, (torch.tensor([1, 6, 4, 2]), 3), (torch.tensor([1, 5, 2]), 0))


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="One word hidden at a time",
    task="To ask a masked-word model how surprising each word of a sentence is, you need the sentence once for every word, with that word replaced by [MASK]. Make all copies as one batch. [CLS] and [SEP] are never hidden.",
    hints=(
        "Which places are hidden? All but the first and the last of `S`. Copy *n* hides the n-th of them.",
        "`places[:, None] == torch.arange(S)` compares every copy's place with every column: a table with one True in each row. `torch.where(table, mask_id, ids)` does the rest.",
    ),
    paragraph="One word at a time",
    solution=masked_copies,
    check=check_masked_copies,
)
