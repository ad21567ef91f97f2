"""Exercise `previous_token`: task, hints, solution and check."""

import math

import torch
from torch import Tensor

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch04_attention.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    draw,
    expect_tensor,
)

ENOUGH = 0.95  # the weight that the previous token has to get


def previous_token(step):
    """Maps with which every token attends to the token before it.

    A token at position t is (a, b, cos(t · step), sin(t · step)), where a and b
    stand for its word. -> W_query and W_key, both [4, 2]: queries are x @ W_query.
    """
    W_query, W_key = torch.zeros(4, 2), torch.zeros(4, 2)
    cos, sin = math.cos(step), math.sin(step)
    W_query[2:] = 20 * torch.tensor([[cos, -sin], [sin, cos]])  # blank: maps the position to the query  # fmt: skip
    W_key[2:] = 20 * torch.eye(2)  # blank: maps the position to the key
    return W_query, W_key


def tokens(step: float, length: int, start: int, seed: int) -> Tensor:
    """Random words at the positions from `start` on: [S, 4]."""
    angle = (start + torch.arange(length)).double() * step  # [S]
    words = draw(length, 2, seed=seed)  # [S, 2]
    return torch.cat([words, angle.cos()[:, None], angle.sin()[:, None]], dim=1)


def weights_of(x: Tensor, maps) -> Tensor:
    """The attention weights of the tokens x [S, 4]: [S, S]."""
    W_query, W_key = (each.detach().double() for each in maps)
    return ((x @ W_query) @ (x @ W_key).T / math.sqrt(2)).softmax(dim=-1)


def check_previous(answer):
    for degrees, length, start in ((30, 6, 0), (30, 6, 4), (20, 7, 0)):
        step = math.radians(degrees)
        maps = answer(step)
        if not isinstance(maps, (tuple, list)) or len(maps) != 2:
            raise Mistake("Return two maps, W_query and W_key.")
        for name, each in zip(("W_query", "W_key"), maps):
            expect_tensor(each, [4, 2], f"Your {name}")
            if not each.is_floating_point() or not each.isfinite().all():
                raise Mistake(f"Your {name} should hold finite numbers of a floating-point type.")
        weights = weights_of(tokens(step, length, start, seed=1), maps)  # [S, S]
        others = weights_of(tokens(step, length, start, seed=2), maps)  # other words
        if (changed := float((weights - others).abs().max())) > 0.01:
            raise Mistake(
                f"With other words at the same positions, one of your weights changes by {changed:.2f}. The first two rows "
                "of a map belong to the word, and this head should not listen to words."
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
    size="warm-up",
    minutes=12,
    title="Design a head that finds the previous token",
    task="""
            A token at position t is a row of four numbers: two for its word, and two for the tip of a clock hand, which moves on
            by the angle `step` at every token. Design $W_Q$ and $W_K$ so that every token gives more than 0.95 of its attention to
            the token before it, whatever the words are. (The first token may attend to anything.) Begin with a pencil: draw the
            hands of three neighbours. Which of them should the query of the middle one equal?
            """,
    hints=(
        "Two hands of the same length have their largest dot product when they point the same way. So let the key be the token's "
        "own hand, and let the query be that hand turned back by one step.",
        "A row $(\\cos\\theta, \\sin\\theta)$ times the matrix with the rows $(\\cos s, -\\sin s)$ and $(\\sin s, \\cos s)$ is the "
        "hand at $\\theta - s$. That makes the right token win by a little only: multiply both maps by a number such as 20.",
    ),
    paragraph="Where queries, keys and values come from",
    solution=previous_token,
    check=check_previous,
)
