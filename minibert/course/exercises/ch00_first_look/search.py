"""Exercise `search`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch00_first_look.common import (
    CHAPTER,
    cosine,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
)


def search(query, documents, k):
    """The k rows most alike a query, best first: [H] and [N, H] -> list of row numbers."""
    scores = cosine(documents, query)  # blank: the cosine of every document with the query: [N]
    return scores.topk(k).indices.tolist()  # blank: the numbers of the k largest, the best one first  # fmt: skip


def check_search(answer):
    query = torch.tensor([1.0, 0.0])
    angles = torch.tensor([80.0, 40.0, 175.0, 10.0, 60.0, 100.0]).deg2rad()  # [N]
    lengths = torch.tensor([30.0, 8.0, 2.0, 0.2, 5.0, 1.5])  # [N]
    documents = lengths[:, None] * torch.stack([angles.cos(), angles.sin()], dim=-1)  # [N, 2]
    found = answer(query.clone(), documents.clone(), 3)
    if isinstance(found, torch.Tensor):
        raise Mistake(
            f"You return a tensor of shape {list(found.shape)}; wanted is a list of 3 numbers: .tolist() makes one."
        )
    if isinstance(found, tuple) and all(isinstance(row, int) for row in found):
        found = list(found)
    if not isinstance(found, list):
        raise Mistake(
            f"Asked for the best 3, you return a {type(found).__name__}; wanted is a list of 3 row numbers."
        )
    if found and all(isinstance(row, float) for row in found):
        raise Mistake(
            f"Your list holds the cosines, {[round(row, 2) for row in found]}; wanted are the rows they belong to: [3, 1, 4]."
        )
    right = search(query, documents, 3)
    for wrong, sentence in known(search):
        if found == wrong(query, documents, 3):
            raise Mistake(sentence.format(found, right))
    if len(found) != 3:
        raise Mistake(f"Asked for the best 3 you return {len(found)}, {found}; wanted is {right}.")
    if found != right:
        raise Mistake(
            f"The best 3 of 6 documents at 80°, 40°, 175°, 10°, 60° and 100° from the query are {right}; you return {found}."
        )
    if list(answer(query.clone(), documents.clone(), 1)) != right[:1]:
        raise Mistake(
            f"Asked for 1 document you return {answer(query.clone(), documents.clone(), 1)}; the best one is {right[:1]}."
        )
    also(answer, search, (draw(5), draw(9, 5, seed=1), 4), (draw(3, seed=2), draw(4, 3, seed=3), 4))


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=6,
    title="A search engine in two lines",
    task="""
            Given one query vector and a table of document vectors, return the numbers of the k rows that are most alike, best first. Call your `cosine`.
            The vectors may have any length.
            """,
    hints=(
        "`cosine` compares along the last axis and [H] fits [N, H] by broadcasting: one call gives all N cosines.",
        "`scores.topk(k)` has `.values` and `.indices`, both sorted from the largest on; `.tolist()` makes a list.",
    ),
    paragraph="A search engine for ten sentences",
    solution=search,
    check=check_search,
)
