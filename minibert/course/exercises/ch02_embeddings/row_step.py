"""Exercise `row_step`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch02_embeddings.common import CHAPTER
from minibert.course.exercises.compare import draw, recognise


def row_step(row, counts, weight, bias, lr):
    """row [H], counts [V], weight [V, H], bias [V] -> new row [H]."""
    # blank from here: one step of gradient descent on the row alone
    p = (weight @ row + bias).softmax(dim=0)  # predicted shares: [V]
    q = counts / counts.sum()  # observed shares: [V]
    return row - lr * (p - q) @ weight


def check_row_step(answer) -> None:
    for seed, V, H, lr in ((0, 6, 2, 0.1), (1, 9, 4, 0.5), (2, 5, 2, 1.0)):
        row, weight, bias = draw(H, seed=seed), draw(V, H, seed=seed + 10), draw(V, seed=seed + 20)
        counts = torch.tensor([3, 0, 1, 0, 2, 0, 0, 5, 1], dtype=torch.float64)[:V]  # [V]
        given = (row, counts, weight, bias, lr)
        recognise(
            answer(*given),
            row_step(*given),
            [
                (wrong(*given), sentence.format(n=int(counts.sum()), lr=lr, V=V))
                for wrong, sentence in known(row_step)
            ],
            f"the row after a step with the learning rate {lr}",
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="One step of a row",
    task="""The linear layer is fixed: `weight` and `bias`. A word has the row `row`, and `counts` says how often each of the *V* words
        occurs near it. The loss is the cross-entropy, averaged over the word's neighbours: $-\\sum_j q_j \\log p_j$, where $q_j$ is the share of
        word *j* among the neighbours and $p$ is the softmax of the scores. Derive the gradient of this loss with respect to the row, and write `row_step(row, counts, weight, bias, lr)`, which returns the
        row after one step of gradient descent with the learning rate `lr`. Autograd can confirm your formula.""",
    hints=(
        "The scores are `weight @ row + bias`. Begin with the gradient with respect to one score. The shares $q$ add up to 1, and for softmax and cross-entropy together the result is short: it compares a predicted share with an observed one.",
        "Each score is a product of the row with one row of `weight`, plus a number. What is its derivative with respect to the row? The chain rule multiplies it by the gradient of this score; then add over all scores.",
    ),
    paragraph="A table that learns from sentences",
    solution=row_step,
    check=check_row_step,
)
