"""Exercise `share_of_work`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def share_of_work(H, L, I, V, S, M):
    """The multiplications with M of S positions scored, divided by those with all S scored.

    H hidden size, L layers, I feed-forward size, V vocabulary, S tokens in the sequence.
    """
    layer = 4 * S * H * H + 2 * S * S * H + 2 * S * H * I  # blank: one layer's products  # fmt: skip
    head = H * H + H * V  # blank: the MLM head's, for one position
    return (L * layer + M * head) / (L * layer + S * head)  # blank: some scored : all scored  # fmt: skip


CASES = (
    (256, 4, 1024, 8192, 128, 19),
    (768, 12, 3072, 30522, 512, 77),
    (64, 2, 100, 131, 31, 4),
    (256, 4, 1024, 8192, 128, 128),
)


def check_share_of_work(answer):
    found = [answer(*case) for case in CASES]
    if not all(isinstance(value, int | float) for value in found):
        raise Mistake(f"you return {found[0]!r}; expected a number.")
    names = "H = {}, L = {}, I = {}, V = {:,}, S = {} and M = {}"
    for case, value in zip(CASES, found):
        right = share_of_work(*case)
        if math.isclose(value, right, rel_tol=1e-6):
            continue
        says = f"For {names.format(*case)} you get {value:.4g}; expected {right:.4g}."
        for wrong, sentence in known(share_of_work):
            if all(
                math.isclose(wrong(*each), mine, rel_tol=1e-6) for each, mine in zip(CASES, found)
            ):
                raise Mistake(f"{says} {sentence}")
        raise Mistake(says)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="The work that is saved",
    task="""
            How much work does a forward pass need if the MLM head scores only $M$ of the $S$ positions, as a share of the work with all $S$ scored?
            Count the multiplications of the matrix products and nothing else. (A product of an $m \\times k$ and a $k \\times n$ matrix has $mkn$ of them.)
            A layer has four linear maps of size $H \\times H$ (queries, keys, values, output), the attention scores and the weighted mean of the values, and two feed-forward maps between $H$ and $I$.
            The MLM head has one map of size $H \\times H$ and one of size $H \\times V$. Leave out the pooler and NSP.
        """,
    hints=(
        "For a sequence of S tokens, one H × H map costs S · H · H. The attention scores are products of all pairs of positions, so they cost S · S · H, however many heads there are. The weighted mean costs the same.",
        "The layers cost the same in both cases. Only the head changes: its cost is the cost for one position, times the number of positions that are scored.",
    ),
    paragraph="Score the masked positions only",
    solution=share_of_work,
    check=check_share_of_work,
)
