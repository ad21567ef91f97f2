"""An interactive figure of the residual stream: the vectors of a token after every sublayer, in two
texts.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed
from minibert.model import BertModel
from minibert.tokenization import WordPieceTokenizer


def residual_stream(
    bert: BertModel,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    control: BertModel,
    kinds: Sequence[str | None],
    token: int = 2,
) -> Moving:
    """Returns a figure of a token's hidden states and of what each sublayer adds to them, in two
    texts: norms, cosines, and a two-dimensional projection.

    texts    texts with equal numbers of tokens; the first is compared with each of the others
    control  a randomised model of the same shape, shown on the same scale
    kinds    for each text one of two words, such as "water" and "money": the map's vertical axis
             points from the mean of the other kind to the mean of the first text's kind, over all
             sublayers; its horizontal axis is the orthogonal direction in which these vectors
             vary most. Texts of kind None are left out of both axes
    token    the position that is shown first; 0 is [CLS]
    The models must be post-norm, because pre-norm models have a different residual stream.
    Raises ValueError if the texts differ in length, if there are not exactly two kinds, or if a
    model is pre-norm.
    """
    if bert.config.norm_first or control.config.norm_first:
        raise ValueError(
            "bert, control: the figure draws the residual stream of post-norm models, and"
            " a model with norm_first=True has another"
        )
    tokens = [tokenizer.encoding(text).tokens for text in texts]
    if len(texts) < 2 or len({len(each) for each in tokens}) > 1:
        raise ValueError(
            "texts must be at least two, with as many tokens each, not"
            f" {[len(each) for each in tokens]}"
        )
    if len(kinds) != len(texts) or kinds[0] is None or len(set(kinds) - {None}) != 2:
        raise ValueError(
            f"kinds must be two words, one of them (or None) for each of {len(texts)} texts, not"
            f" {list(kinds)}"
        )
    if token not in range(len(tokens[0])):
        raise ValueError(f"token must be 0 to {len(tokens[0]) - 1}, not {token!r}")
    sides = torch.tensor(
        [0 if kind is None else 1 if kind == kinds[0] else -1 for kind in kinds]
    )  # [N]
    measured = [_measures(*stream(model, tokenizer, texts), sides) for model in (bert, control)]
    layers = bert.config.num_hidden_layers
    trained, randomised = (each["across"][1, ::2, token, token].tolist() for each in measured)
    return moving(
        "residual_stream",
        {
            "tokens": tokens,
            "up": kinds[0],
            "down": next(kind for kind in kinds if kind not in (None, kinds[0])),
            "token": token,
            "layers": layers,
            "measures": {
                name: packed(torch.stack([each[name] for each in measured])) for name in measured[0]
            },
        },
        needs=["packed.js", "tokens.js", "stage.js"],
        label=(
            f"After {layers} layers, “{tokens[0][token]}” in two texts has a cosine of"
            f" {trained[-1]:.2f}; in a randomised copy, {randomised[-1]:.2f}"
        ),
        alt=(
            f"Two maps on which the vector of “{tokens[0][token]}” wanders from sublayer to"
            f" sublayer, in “{texts[0]}” and in “{texts[1]}”, in a trained model and a randomised"
            " copy. Below them the cosine of the two, in both models."
        ),
        try_this="Play it, then follow another token, and choose another text beside the first.",
    )


@torch.no_grad()
def stream(
    bert: BertModel, tokenizer: WordPieceTokenizer, texts: Sequence[str]
) -> tuple[Tensor, Tensor]:
    """N texts -> states [2L + 1, N, S, H], added [2L, N, S, H].

    `states` are the vectors before layer 1 and after each sublayer; `added` are the sublayers'
    outputs before they are added and normalised.
    """
    batch = tokenizer(texts)
    mask = batch["attention_mask"].bool()[:, None, None, :]  # [N, 1, 1, S]
    hidden = bert.embeddings(batch["input_ids"])  # [N, S, H]
    states, added = [hidden], []
    for layer in bert.encoder.layer:
        attention = layer.attention
        added.append(attention.output.dense(attention.self(hidden, mask)[0]))  # [N, S, H]
        states.append(attention.output.LayerNorm(hidden + added[-1]))  # [N, S, H]
        added.append(layer.output.dense(layer.intermediate(states[-1])))  # [N, S, H]
        hidden = layer.output.LayerNorm(states[-1] + added[-1])  # [N, S, H]
        states.append(hidden)
    return (
        torch.stack(states).double(),
        torch.stack(added).double(),
    )  # [2L + 1, N, S, H], [2L, N, S, H]


def _measures(states: Tensor, added: Tensor, sides: Tensor) -> dict[str, Tensor]:
    """The quantities that the page draws, from `states` [P, N, S, H] and `added` [P - 1, N, S, H].

    In the results, N comes before P.
    """
    unit = F.normalize(states, dim=-1)  # [P, N, S, H]
    return {
        "length": states.norm(dim=-1).transpose(0, 1),  # [N, P, S]
        "added": added.norm(dim=-1).transpose(0, 1),  # [N, P - 1, S]
        # cosines with the initial vector; between tokens of a text; between text 0 and others
        "start": (unit * unit[:1]).sum(dim=-1).transpose(0, 1),  # [N, P, S]
        "within": torch.einsum("pnsh,pnth->npst", unit, unit),  # [N, P, S, S]
        "across": torch.einsum("psh,pnth->npst", unit[:, 0], unit),  # [N, P, S, S]
        "map": _maps(states, sides),  # [N, P, S, 2]
    }


def _maps(states: Tensor, sides: Tensor) -> Tensor:
    """states [P, N, S, H], sides [N] -> [N, P, S, 2]: `_two_directions` for every token."""
    tokens = range(states.size(2))
    return torch.stack([_two_directions(states[:, :, i], sides) for i in tokens], dim=2)


def _two_directions(states: Tensor, sides: Tensor) -> Tensor:
    """states [P, N, H], sides [N] -> [N, P, 2]: projects one token's vectors onto two directions.

    The directions are the same at all depths, and text 0 starts at (0, 0).
    """
    states = states - states[0, 0]  # [P, N, H]
    upright = F.normalize(
        states[:, sides == 1].mean(dim=(0, 1)) - states[:, sides == -1].mean(dim=(0, 1)), dim=0
    )  # [H]
    rest = states - (states @ upright)[..., None] * upright  # [P, N, H]
    spread = rest[:, sides != 0].flatten(0, 1)  # [P * N without sides of 0, H]
    level = torch.linalg.svd(spread - spread.mean(dim=0), full_matrices=False).Vh[0]  # [H]
    level = level if (rest[-1] @ level).sum() > 0 else -level  # the paths lead to the right
    return torch.stack([rest @ level, states @ upright], dim=-1).transpose(0, 1)  # [N, P, 2]
