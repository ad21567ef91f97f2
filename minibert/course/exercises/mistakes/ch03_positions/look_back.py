"""Wrong answers to `look_back` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.mistakes import named


def variant(
    name,
    steps=lambda k: k,
    weights=lambda scores: scores.softmax(dim=1),
):
    """Returns `look_back` with one of its steps replaced. The score is p(i) · R p(j)."""

    def answer(table, k):
        rotation = shift_matrix(steps(k), table.size(1)).to(table)  # [H, H]
        return weights(table @ rotation @ table.T)

    return named(name, answer)


looks_ahead = variant("looks_ahead", steps=lambda k: -k)
not_rotated = variant("not_rotated", steps=lambda k: 0)
one_step = variant("one_step", steps=lambda k: 1)
rotated_twice = variant("rotated_twice", steps=lambda k: 2 * k)
scores_only = variant("scores_only", weights=lambda scores: scores)
over_i = variant("over_i", weights=lambda scores: scores.softmax(dim=0))
over_all = variant("over_all", weights=lambda scores: scores.flatten().softmax(0).view_as(scores))
log_weights = variant("log_weights", weights=lambda scores: scores.log_softmax(dim=1))
exponentials = variant("exponentials", weights=lambda scores: scores.exp())
only_the_largest = variant(
    "only_the_largest",
    weights=lambda scores: (scores == scores.amax(dim=1, keepdim=True)).to(scores),
)


def divided_by_root(table, k):
    rotation = shift_matrix(k, table.size(1)).to(table)  # [H, H]
    return (table @ rotation @ table.T / table.size(1) ** 0.5).softmax(dim=1)


def by_distance(table, k):
    """Minus the distance between p(i) and R(k) p(j), in place of their dot product."""
    rotated = table @ shift_matrix(k, table.size(1)).to(table).T  # [S, H]
    return (-torch.cdist(table, rotated)).softmax(dim=1)


KNOWN = (
    (
        looks_ahead,
        "you look the other way. R(k) p(j) is p(j + k), which equals p(i) for j = {aim}. Score [i, j] needs R(k) on row j, which is `rows @ rotation.T` for all rows.",
    ),
    (not_rotated, "every position looks at itself. R(k) is missing, or it is on both sides, where it cancels. The aim is column {aim}."),
    (one_step, "you always look one position back. k is an argument, here {k}."),
    (rotated_twice, "you look twice as far back, so R(k) is applied twice. Rotate row j once and leave row i as it is: the aim is column {aim}."),
    (scores_only, "these are the scores, and row {at} sums to {total:.2f}. Softmax makes every row sum to 1."),
    (
        over_i,
        "row {at} sums to {total:.2f}. Your columns sum to 1, but each i needs weights over all j: softmax over the last dimension.",
    ),
    (over_all, "row {at} sums to {total:.2f}, because the whole matrix sums to 1. Every row needs its own softmax."),
    (log_weights, "no weight is negative. This is the logarithm of the right weights; take softmax, not log_softmax."),
    (exponentials, "row {at} sums to {total:.2f}. Softmax also divides each row by its sum."),
    (
        only_the_largest,
        "you give the largest score everything. Softmax gives it {right:.2f} here, and its neighbours a share.",
    ),
    (
        divided_by_root,
        "you divide the scores by the root of the number of columns, as chapter 4 will. This exercise does not: its largest weight in this row is {right:.2f}.",
    ),
    (by_distance, "your scores are minus the distances of the rows. The score of this exercise is a dot product, and its weight there is {right:.2f}."),
)  # fmt: skip
