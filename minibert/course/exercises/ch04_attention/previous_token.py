"""Exercise `previous_token`: task, hints, solution and check."""

import math

import torch
from torch import Tensor

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch04_attention.common import CHAPTER, expect_maps, weights_of
from minibert.course.exercises.compare import (
    Mistake,
    draw,
)

ENOUGH = 0.95  # the weight that the previous token has to get


def previous_token(step):
    """Maps with which every token attends to the token before it.

    A token at position t is (a, b, sin(t · step), cos(t · step)), where a and b
    stand for its word. -> W_query and W_key, both [4, 2]: queries are x @ W_query.
    """
    W_query, W_key = torch.zeros(4, 2), torch.zeros(4, 2)
    cos, sin = math.cos(step), math.sin(step)
    turn = torch.tensor([[cos, -sin], [sin, cos]])  # hand @ turn: one step clockwise
    # blank from here: fill rows 2 and 3 of both maps, and return the maps
    size = math.sqrt(12 / (1 - cos))  # the right score then leads by 12 / √2
    W_query[2:] = size * turn.T  # one step back
    W_key[2:] = size * torch.eye(2)  # keys are the hands themselves
    return W_query, W_key


def tokens(step: float, length: int, start: int, seed: int) -> Tensor:
    """Random words at the positions from `start` on: [S, 4]."""
    angle = (start + torch.arange(length)).double() * step  # [S]
    words = draw(length, 2, seed=seed)  # [S, 2]
    return torch.cat([words, angle.sin()[:, None], angle.cos()[:, None]], dim=1)


def check_turn(answer):
    """The difference between query and key has to depend on the step."""
    products = []
    for degrees in (20, 50):
        W_query, W_key = (each.detach().double() for each in answer(math.radians(degrees)))
        products.append(W_query @ W_key.T)  # all that the scores depend on
    if products[0][2:, 2:].any() and torch.allclose(*products):
        size = products[0][2:, 2:].norm() / math.sqrt(2)
        if not torch.allclose(products[0][2:, 2:], size * torch.eye(2, dtype=torch.float64)):
            raise Mistake(
                "Your maps are the same for every step: they turn a hand by a fixed angle, and the step comes as an argument."
            )


def check_previous(answer):
    for degrees, length, start in ((30, 6, 0), (30, 6, 4), (10, 9, 0), (50, 7, 1)):
        step = math.radians(degrees)
        maps = answer(step)
        expect_maps(maps, 4)
        if (degrees, start) == (30, 0):
            check_turn(answer)
        weights = weights_of(tokens(step, length, start, seed=1), maps)  # [S, S]
        others = weights_of(tokens(step, length, start, seed=2), maps)  # other words
        if (changed := float((weights - others).abs().max())) > 0.01:
            raise Mistake(
                f"With other words at the same positions, one of your weights changes by {changed:.2f}. The first two rows "
                "of a map belong to the word, and the weights of this head should not depend on it."
            )
        found = weights.diagonal(-1)  # on the previous token, of all tokens but the first
        if found.min() > ENOUGH:
            continue
        about = f"At {degrees}° per token, the previous token gets a weight of {found.min():.2f} from one of yours"
        looks_at = weights[1:].argmax(dim=-1).tolist()
        for wrong, sentence in known(previous_token):
            guess = weights_of(tokens(step, length, start, seed=1), wrong(step))
            if (guess - weights).abs().max() < 0.02 or (
                looks_at != list(range(length - 1)) and looks_at == guess[1:].argmax(-1).tolist()
            ):
                raise Mistake(f"{about}. {sentence}")
        if looks_at == list(range(length - 1)):
            raise Mistake(
                f"{about}: it is the largest weight of its row, but more than {ENOUGH} is expected. "
                "The softmax sees differences of scores; make them larger."
            )
        t = next(t for t, s in enumerate(looks_at) if s != t) + 1
        raise Mistake(f"{about}. The largest weight of token {t} is on token {looks_at[t - 1]}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=25,
    title="Design a head that finds the previous token",
    task="""
            A token at position t is a row of four numbers: two for its word, and its hand as in the figure, (sine, cosine).
            Begin with a pencil: if the keys are the hands, where must the query of token 3 point so that its dot product with
            the key of token 2 is the largest? Then design $W_Q$ and $W_K$ so that every token gives more than 0.95 of its
            attention to the token before it, whatever the words are. (The first token may attend to anything.) The matrix
            `turn` turns a hand by one step clockwise. `step` is at least π/18 (10°), and a text has at most 2π / `step` tokens.
            """,
    hints=(
        "Two hands of the same length have their largest dot product when they point the same way. So the query has to "
        "point where the hand of the token before points. Which way must it turn?",
        "The transpose of a matrix that turns clockwise turns back by the same angle. If the right token wins but gets too "
        "little weight, think of what a factor does to the differences of scores.",
    ),
    paragraph="Several heads",
    solution=previous_token,
    check=check_previous,
)
