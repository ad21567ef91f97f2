"""An interactive figure of attention rollout: what a token takes from every other (chapter 11)."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from minibert.course.figures.moving import Moving, moving, rounded
from minibert.inference.interpretability import rollout


def rollout_shares(maps: Mapping[str, Tensor], tokens: Sequence[str], token: int) -> Moving:
    """Returns a figure of one row of the raw attention maps beside the same row of the rollout,
    layer by layer, for a model and its untrained control.

    maps    name -> the weights of all layers [L, A, S, S]: first the model, then the control
    tokens  the names of the S positions
    token   the position whose row is drawn, and whose own share is marked
    Raises ValueError if there are not two models of the same shape, or not S tokens.
    """
    shapes = [list(weights.shape) for weights in maps.values()]
    if len(shapes) != 2 or shapes[0] != shapes[1]:
        raise ValueError(f"maps must be of a model and its control in one shape, not {shapes}")
    if len(tokens) != shapes[0][-1] or token not in range(len(tokens)):
        raise ValueError(
            f"tokens: {len(tokens)} names for {shapes[0][-1]} positions, and token {token}"
        )
    shares = {
        name: {
            "raw": rounded(weights.mean(dim=1)[:, token]),  # [L, S]
            "rollout": rounded(rollout(weights[:, None])[:, 0, token]),  # [L, S]
        }
        for name, weights in maps.items()
    }
    own = [
        each[kind][-1][token] for each, kind in zip(_twice(shares), ("raw", "rollout", "rollout"))
    ]
    word, (model, control), layers = tokens[token], maps, shapes[0][0]
    return moving(
        "rollout_shares",
        {
            "names": [model, control],
            "tokens": list(tokens),
            "token": token,
            "shares": [shares[model], shares[control]],
        },
        needs=["stage.js"],
        label=(
            f"The raw map says that “{word}” keeps {own[0]:.0%} of itself, rollout says"
            f" {own[1]:.0%}; in an untrained model rollout says {own[2]:.0%}"
        ),
        alt=(
            f"Four small bar charts: what “{word}” takes from each of {len(tokens)} tokens, by the"
            f" raw attention of layer {layers} and by rollout through {layers} layers, for the"
            f" {model} and the {control} model. Its own bar is marked in each."
        ),
        try_this="Go back to layer 1. What does rollout add to the raw map there?",
    )


def _twice(shares: dict) -> list:
    """The model, the model again, and the control."""
    model, control = shares.values()
    return [model, model, control]
