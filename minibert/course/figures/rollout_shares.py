"""An interactive figure of attention rollout: what a token takes from every other (chapter 11)."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from minibert.course.figures.moving import Moving, moving, rounded
from minibert.inference.interpretability import rollout


def rollout_shares(maps: Mapping[str, Tensor], tokens: Sequence[str], token: int) -> Moving:
    """Returns a figure of one row of the rollout, layer by layer, for a model beside its untrained
    control, as streams from the tokens into the vector; it can show the raw attention maps, too.

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
    alike = "nearly the same, " if abs(kept - without) < 0.05 else ""
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
            f"By attention rollout, {kept:.0%} of “{word}” still comes from “{word}” after {layers}"
            f" layers; in a model that has learned nothing it is {alike}{without:.0%}"
        ),
        alt=(
            f"{len(tokens)} tokens in a column. From each, a stream runs to the left into the"
            f" vector of “{word}” in the {model} model, and another to the right into the {control}"
            f" model's. A stream is as thick as the share that rollout through {layers} layers"
            f" gives to the token. The streams from “{word}” itself stand out: {kept:.0%} and"
            f" {without:.0%}. The attention of layer {layers} alone gives"
            f" {raw:.0%} in the {model} model."
        ),
        try_this=(
            "Drag the slider to layer 1 and forward again. Then look at the attention of one layer"
            " alone."
        ),
    )
