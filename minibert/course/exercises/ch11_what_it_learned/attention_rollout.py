"""Exercise `attention_rollout`: task, hints, solution and check."""

import torch
from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch11_what_it_learned.common import (
    CHAPTER,
    _maps,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    expect_tensor,
    recognise,
)


def attention_rollout(attentions):
    """How much of every input token has flowed into each position, layer by layer: [L, A, S, S] -> [L, S, S]."""
    eye = torch.eye(attentions.size(-1), dtype=attentions.dtype)  # [S, S]
    rolled, layers = eye, []
    for maps in attentions:  # from the first layer to the last
        mean = maps.mean(dim=0)  # blank: [S, S], the heads as one
        mixed = 0.5 * mean + 0.5 * eye  # blank: half of it passes round the attention
        rolled = mixed @ rolled  # blank: this layer, after all layers before it
        layers.append(rolled)
    return torch.stack(layers)


def check_attention_rollout(answer):
    maps = _maps(3, 2, 5, 5)  # [L, A, S, S]
    found = answer(maps.clone())
    if isinstance(found, Tensor) and found.dim() == 2:
        raise Mistake(
            f"Your result is one table; asked for is one after each of the {len(maps)} layers: {[3, 5, 5]}."
        )
    expect_tensor(found, (3, 5, 5), "what you give back")
    right = attention_rollout(maps)
    sums = found.double().sum(-1)
    recognise(
        found,
        right,
        [
            (
                rollout(mix=lambda mean, eye: mean)(maps),
                "You multiply the maps and leave out the residual connections: half of every token passes round each attention.",
            ),
            (
                rollout(mix=lambda mean, eye: mean + eye)(maps),
                f"Your rows sum to {sums[0, 0]:.0f}, {sums[1, 0]:.0f} and {sums[2, 0]:.0f}: you add the identity and do not halve. What flows into a place is shared out, so a row sums to 1.",
            ),
            (
                rollout(mix=lambda mean, eye: 0.5 * mean)(maps),
                f"Your rows sum to {sums[0, 0]:.3f}, {sums[1, 0]:.3f} and {sums[2, 0]:.3f}: you halve the maps, and the half that passes round them is lost.",
            ),
            (
                rollout(step=lambda mixed, rolled: rolled @ mixed)(maps),
                "Your layers stand in the wrong order. What flows into the last layer is `mixed @ rolled`: this layer's rows choose among what the layers before have made.",
            ),
            (
                rollout(step=lambda mixed, rolled: mixed * rolled)(maps),
                "You multiply entry by entry, so that nothing flows from one token over another to a third. A way in two steps is a matrix product, @.",
            ),
            (
                rollout(step=lambda mixed, rolled: mixed)(maps),
                "Every layer of yours begins anew: the tables are those of single layers, without what flowed before.",
            ),
            (
                rollout(step=lambda mixed, rolled: mixed.T @ rolled)(maps),
                "Your maps are turned over: a row is the token that takes, and its weights sum to 1.",
            ),
            (
                rollout(heads=lambda maps: maps.sum(dim=0))(maps),
                f"You add the {maps.size(1)} heads up; their mean is wanted, so that a row of it sums to 1.",
            ),
            (
                rollout(heads=lambda maps: maps[0])(maps),
                f"You roll out head 0 alone; the mean of all {maps.size(1)} heads is wanted.",
            ),
            (
                rollout(heads=lambda maps: maps.amax(dim=0))(maps),
                f"You take the larger weight of {maps.size(1)} heads; then a row sums to more than 1 (yours to {sums[0, 0]:.2f}). The mean is wanted.",
            ),
            (
                right.mT,
                "Your tables lie on their sides: row i is the place that has taken, column j the token that it came from.",
            ),
            (
                attention_rollout(maps.flip(0)),
                "You begin with the last layer; what flows in comes through the first layer first.",
            ),
            (
                right.cumsum(0),
                "You add the tables of the layers up; each layer's is the product of this layer with what stood before, and nothing more.",
            ),
            (
                attention_rollout(maps[:, -1:]),
                f"You roll out the last head alone; the mean of all {maps.size(1)} heads is wanted.",
            ),
        ],
        f"the rollout of {len(maps)} layers",
    )
    also(answer, attention_rollout, (_maps(2, 3, 4, 4).float(),), (_maps(1, 1, 2, 2),))


def rollout(
    heads=lambda maps: maps.mean(dim=0),
    mix=lambda mean, eye: 0.5 * mean + 0.5 * eye,
    step=lambda mixed, rolled: mixed @ rolled,
):
    """Returns a wrong answer in which one of the three steps is replaced."""

    def wrong(attentions):
        eye = torch.eye(attentions.size(-1), dtype=attentions.dtype)
        rolled, layers = eye, []
        for maps in attentions:
            rolled = step(mix(heads(maps), eye), rolled)
            layers.append(rolled)
        return torch.stack(layers)

    return wrong


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="Attention rollout",
    task="Follow the attention through all layers. In each layer a token keeps half of itself (the residual connection) and takes the other half as the mean of the heads says: $A_l = \\frac12 W_l + \\frac12 I$. What has flowed from input token *j* into place *i* after layer *l* is $R_l = A_l R_{l-1}$, with $R_0 = I$. Give back the table after each layer.",
    hints=(
        "The three lines of the equation are the three blanks. A mean over heads leaves `[S, S]`.",
        "`mixed @ rolled`, in this order: row *i* of `mixed` says from which places to take, and the rows of `rolled` say what has flowed into those.",
    ),
    paragraph="Attention rollout",
    solution=attention_rollout,
    check=check_attention_rollout,
)
