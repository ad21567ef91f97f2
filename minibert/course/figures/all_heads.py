"""An interactive figure of the attention maps of all heads of a model and an untrained control."""

from collections.abc import Sequence

import torch

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed
from minibert.inference.interpretability import capture
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer


def all_heads(
    model: BertPreTrainedModel,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str | tuple[str, str]],
    control: BertPreTrainedModel,
    layer: int | None = None,
    head: int | None = None,
    word: int = 1,
) -> Moving:
    """Returns a figure of small attention maps of all heads of a model and its control, with those
    framed that give most of their weight to one token, and the arcs of the head that is chosen.

    texts    sentences or sentence pairs to choose from; the first one is shown first
    control  an untrained model of the same shape, drawn on the same scale from 0 to 1
    layer, head   the initial selection, counted from 0; without both, the head
            that is the `clearest` case of the title
    word     the token whose arcs are shown first; 0 is [CLS]
    The weights are stored in 8 bits, with an error of at most 0.002.
    Raises ValueError if there is no text, if the control has another shape, or if the layer, head
    or word does not exist.
    """
    if isinstance(texts, str) or not len(texts):
        raise ValueError(f"texts must be a list of at least one text, not {texts!r}")
    seen, twin = [[_weights(each, tokenizer, text) for text in texts] for each in (model, control)]
    if seen[0][1].shape != twin[0][1].shape:
        raise ValueError(
            f"control must have {list(seen[0][1].shape[:2])} layers and heads as the model has, not"
            f" {list(twin[0][1].shape[:2])}"
        )
    if word not in range(len(seen[0][0])):
        raise ValueError(f"word must be 0 to {len(seen[0][0]) - 1} in the first text, not {word!r}")
    layers, heads = seen[0][1].shape[:2]
    if layer is None and head is None:
        layer, head = clearest(seen[0][1])
    layer, head = layer or 0, head or 0
    if layer not in range(layers) or head not in range(heads):
        raise ValueError(
            f"layer, head: there is no head {head!r} in a layer {layer!r} of {layers} layers with"
            f" {heads} heads each, counted from 0"
        )
    return moving(
        "all_heads",
        {
            "texts": [
                {"tokens": tokens, "weights": packed(torch.stack([weights, other]), bits=8)}
                for (tokens, weights), (_, other) in zip(seen, twin)
            ],
            "layer": layer,
            "head": head,
            "word": word,
        },
        needs=["packed.js", "tokens.js", "stage.js", "arcs.js"],
        label=(
            f"{_resting(seen[0][1])} of {layers * heads} heads give most of their weight to one"
            f" token, and {_resting(twin[0][1])} in an untrained model"
        ),
        alt=(
            f"Two grids of {layers * heads} small attention maps, of the trained and an untrained"
            " model, one row for each layer; heads that give most of their weight to one token are"
            f" framed. Below, one head drawn large: the tokens of “{' '.join(seen[0][0])}” and arcs"
            " from one of them to those that it looks at."
        ),
        try_this="Frame the heads that look at the token before.",
    )


def clearest(weights: torch.Tensor) -> tuple[int, int]:
    """weights [L, A, S, S] -> layer and head in which one token gets most of all weight."""
    layer, head = divmod(int(weights.mean(dim=-2).amax(dim=-1).argmax()), weights.size(1))
    return layer, head


def _resting(weights: torch.Tensor) -> int:
    """weights [L, A, S, S] -> the number of heads in which one token gets more than half of all
    weight.
    """
    return int((weights.mean(dim=-2).amax(dim=-1) > 0.5).sum())


def _weights(
    model: BertPreTrainedModel, tokenizer: WordPieceTokenizer, text: str | tuple[str, str]
) -> tuple[list[str], torch.Tensor]:
    """The tokens of one text or pair, and the S × S weights of all A heads in all L layers."""
    one, other = (text, None) if isinstance(text, str) else text
    seen = capture(model, tokenizer, [one], None if other is None else [other])
    return seen.tokens[0], seen.attentions[:, 0]
