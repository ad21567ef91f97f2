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
    layer: int = 0,
    head: int = 0,
    word: int = 1,
) -> Moving:
    """Returns a figure with small attention maps of all heads and one large map.

    texts    sentences or sentence pairs to choose from; the first one is shown first
    control  an untrained model of the same shape, drawn on the same scale from 0 to 1
    layer, head, word   the initial selection, counted from 0; word 0 is [CLS]
    The weights are stored in 8 bits, with an error of at most 0.002.
    Raises ValueError if the control has another shape, or if the layer or head does not exist.
    """
    seen, twin = [[_weights(each, tokenizer, text) for text in texts] for each in (model, control)]
    if seen[0][1].shape != twin[0][1].shape:
        raise ValueError(
            f"control must have {list(seen[0][1].shape[:2])} layers and heads as the model has, not"
            f" {list(twin[0][1].shape[:2])}"
        )
    layers, heads = seen[0][1].shape[:2]
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
        needs=["packed.js", "tokens.js"],
        label=f"All {layers * heads} heads of {layers} layers",
        alt=(
            f"A grid of {layers * heads} small attention maps, one row for each layer, and one map"
            f" large, on “{' '.join(seen[0][0])}”."
        ),
        try_this=(
            "Choose a word and walk through the heads with the arrow keys. Mark the heads that look"
            " at the token before. Then switch to the untrained model."
        ),
    )


def _weights(
    model: BertPreTrainedModel, tokenizer: WordPieceTokenizer, text: str | tuple[str, str]
) -> tuple[list[str], torch.Tensor]:
    """The tokens of one text or pair, and the S × S weights of all A heads in all L layers."""
    one, other = (text, None) if isinstance(text, str) else text
    seen = capture(model, tokenizer, [one], None if other is None else [other])
    return seen.tokens[0], seen.attentions[:, 0]
