"""Exercise `design_bert`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def design_bert(parameters, memory, tokens):
    """(H, L) of the BERT with the most parameters: at most `parameters`, and at most `memory` MiB in a step over `tokens` tokens."""
    # blank from here: count both for every shape, and keep the largest that fits
    best, shape = 0, None
    for H in range(64, 1025, 64):
        for L in range(1, 25):
            layer = 4 * (H * H + H) + (2 * 4 * H * H + 4 * H + H) + 2 * 2 * H
            count = (30522 + 512 + 2) * H + 2 * H + L * layer + H * H + H
            step = 16 * count + tokens * (L * (66 * H + 16) + 9 * H + 8)  # bytes
            if best < count <= parameters and step <= memory * 2**20:
                best, shape = count, (H, L)
    return shape


def _count(H: int, L: int) -> int:
    """Parameters of a BERT, as chapter 5 counts them."""
    return 31036 * H + 2 * H + L * (12 * H * H + 13 * H) + H * H + H


def _mebibytes(H: int, L: int, tokens: int) -> float:
    return (16 * _count(H, L) + tokens * (L * (66 * H + 16) + 9 * H + 8)) / 2**20


def check_design_bert(answer):
    for parameters, memory, tokens in (
        (30_000_000, 2048, 4096),
        (30_000_000, 1024, 4096),
        (110_000_000, 2500, 4096),
        (12_000_000, 300, 8192),
    ):
        asked = f"design_bert({parameters:_}, {memory}, {tokens})"
        found = answer(parameters, memory, tokens)
        if not (
            isinstance(found, tuple | list)
            and len(found) == 2
            and all(isinstance(one, int) for one in found)
        ):
            raise Mistake(f"{asked} returns {found!r}; a pair of whole numbers (H, L) is expected.")
        H, L = found
        if H % 64 or not (64 <= H <= 1024 and 1 <= L <= 24):
            raise Mistake(
                f"{asked} returns H = {H}, L = {L}: H must be a multiple of 64 up to 1024, and L from 1 to 24."
            )
        if _count(H, L) > parameters:
            raise Mistake(
                f"{asked} returns H = {H}, L = {L}, which has {_count(H, L):,} parameters. Do you count the embeddings, with all three tables, and the pooler?"
            )
        if _mebibytes(H, L, tokens) > memory:
            raise Mistake(
                f"{asked} returns H = {H}, L = {L}, whose step takes {_mebibytes(H, L, tokens):,.0f} MiB. The 16 bytes for each parameter and the activations of all tokens count, and a MiB is 2**20 bytes."
            )
        right = design_bert(parameters, memory, tokens)
        if _count(H, L) < _count(*right):
            raise Mistake(
                f"{asked} returns H = {H}, L = {L}, with {_count(H, L):,} parameters and {_mebibytes(H, L, tokens):,.0f} MiB. It fits, but another shape fits with {_count(*right):,} parameters."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=18,
    title="Design a BERT for your memory",
    solution=design_bert,
    check=check_design_bert,
    task="You want to train a BERT with the tables and the pooler that were counted above: 30,522 pieces, 512 positions, 2 segments. You may choose its width $H$, a "
    "multiple of 64 up to 1024, and its number of layers $L$, from 1 to 24; $I = 4H$. A training step with Adam needs 16 bytes for each parameter: four each for the weight, its "
    "gradient, and two moments (running means of the gradient and of its square). In addition, the forward pass keeps intermediate results, "
    "the *activations*, which the backward pass will need. On a GPU these are $L(66H + 16) + 9H + 8$ bytes for each token of the batch. "
    "Return the shape with the most parameters that exceeds neither limit.",
    hints=(
        "There are 16 · 24 shapes, few enough to try all. Write down the count of parameters for any $H$ and $L$ first: the cell above has every part of it.",
        "Two loops, over `range(64, 1025, 64)` and `range(1, 25)`. For each shape compute the count and the bytes of a step, and keep the shape if both are within the limits and its count is the largest so far.",
    ),
    paragraph="109,482,240 parameters, counted",
)
