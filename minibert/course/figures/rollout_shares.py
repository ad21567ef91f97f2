"""An interactive figure of attention rollout: what a token takes from every other (chapter 11)."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from minibert.course.figures.moving import Moving, moving, rounded
from minibert.inference.interpretability import rollout


def rollout_shares(maps: Mapping[str, Tensor], tokens: Sequence[str], token: int) -> Moving:
    """Returns a figure of one row of the rollout, layer by layer, for a model beside its untrained
    control, and below it the same row of the raw attention maps.

    maps    first a model, then its control: a name, and the weights of all layers, heads and
            pairs of positions
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
    word, (model, control), layers = tokens[token], maps, shapes[0][0]
    raw, kept, without = (
        shares[name][kind][-1][token]
        for name, kind in ((model, "raw"), (model, "rollout"), (control, "rollout"))
    )
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
            f"By rollout, “{word}” keeps {kept:.0%} of itself; a model that has learned nothing"
            f" gives {without:.0%}"
        ),
        alt=(
            f"Bars of what “{word}” takes from each of {len(tokens)} tokens. Above, by rollout"
            f" through {layers} layers: the {model} model beside the {control} one, with a bracket"
            f" below the two that compares the marked bars of “{word}”, {kept:.0%} and"
            f" {without:.0%}. Below, the same by the raw attention of layer {layers}, where the"
            f" {model} model gives {raw:.0%}."
        ),
        try_this="Go back to layer 1. What does rollout add to the raw map there?",
    )
