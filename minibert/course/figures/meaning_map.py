"""An interactive figure of one word in many sentences, as dots that move through the layers."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed
from minibert.model import BertModel
from minibert.tokenization import WordPieceTokenizer

SAME = 1e-4  # a dot that is closer to the line is on no side


def meaning_map(
    bert: BertModel,
    tokenizer: WordPieceTokenizer,
    controls: Iterable[BertModel],
    word: str,
    shown: Mapping[str, Mapping[str, str]],
    fitted: Mapping[str, Sequence[str]],
    name: str,
) -> Moving:
    """Returns a figure of the vectors of `word` after each layer, in sentences of two meanings.

    It also counts, for each layer and model, the dots on the side of their own meaning.

    Each model has one projection to the plane for all its layers. Its horizontal axis is the
    difference between the means of the two meanings in the last layer, and its vertical axis the
    orthogonal direction of the largest variance. Both are computed from the sentences in `fitted`,
    which are not drawn. So is the line between the sides: in each layer it lies halfway between the
    means of the two meanings. All maps have one scale, the spread of the trained model's vectors in
    the last layer.

    controls untrained models of the same shape; all are scored, the median one is drawn
    shown    for each of two meanings: label of a dot -> its sentence
    fitted   for the same two meanings: sentences to compute the projection from
    name     of the trained model, for the title
    Every sentence must contain `word` once, and always at the same position. Otherwise the position
    alone could part the meanings.
    Raises ValueError if there are not two meanings, or if a sentence breaks this rule.
    """
    if len(shown) != 2 or list(shown) != list(fitted):
        raise ValueError(
            f"shown and fitted must have the same two meanings, not {list(shown)} and"
            f" {list(fitted)}"
        )
    first, second = shown
    texts = [text for meaning in shown for text in shown[meaning].values()]
    others = [text for meaning in fitted for text in fitted[meaning]]
    _check_positions(tokenizer, word, [*texts, *others])
    sides = torch.tensor(len(shown[first]) * [1] + len(shown[second]) * [-1])  # [N]
    others_sides = torch.tensor(len(fitted[first]) * [1] + len(fitted[second]) * [-1])
    scored, dots = [], []
    for model in chain([bert], controls):
        vectors = word_vectors(model, tokenizer, word, texts)  # [L + 1, N, H]
        fit = word_vectors(model, tokenizer, word, others)  # [L + 1, M, H]
        plane = projection(fit[-1], others_sides)  # [H, 2]
        means = [fit[:, others_sides == side].mean(dim=1, keepdim=True) for side in (1, -1)]
        centred = vectors - (means[0] + means[1]) / 2  # [L + 1, N, H]
        if not dots:
            spread = (vectors[-1] - vectors[-1].mean(dim=0)).norm(dim=-1).square().mean().sqrt()
        dots.append(centred @ plane / spread)  # [L + 1, N, 2]
        scored.append((dots[-1][..., 0] * sides > SAME).sum(dim=-1).tolist())
    by_score = sorted(range(1, len(scored)), key=lambda i: scored[i][-1])
    drawn = by_score[len(by_score) // 2]
    for each in (scored, dots):
        each.insert(1, each.pop(drawn))
    right, *others_right = (model[-1] for model in scored)
    return moving(
        "meaning_map",
        {
            "word": word,
            "meanings": [first, second],
            "labels": [label for meaning in shown for label in shown[meaning]],
            "texts": texts,
            "sides": sides.tolist(),
            "names": [name, "an untrained model"],
            "dots": packed(torch.stack(dots[:2])),
            "scores": scored,
        },
        needs=["packed.js", "stage.js"],
        label=(
            f"{name} puts {right} of {len(texts)} uses of “{word}” on the side of their meaning,"
            f" untrained models {_span(others_right)}"
        ),
        alt=(
            f"Two maps of “{word}” in {len(texts)} sentences after the last layer, with {first} to"
            f" the right of a middle line and {second} to the left. In {name} {right} dots are on"
            f" their side, in the untrained model {others_right[0]}."
        ),
        try_this=(
            "Play it: all dots begin as one. Point at a dot to read its sentence. The axes and the"
            f" middle line were computed from {len(others)} other sentences."
        ),
    )


def _span(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def _check_positions(tokenizer: WordPieceTokenizer, word: str, texts: Sequence[str]) -> None:
    position = None
    for text in texts:
        tokens = tokenizer.encoding(text).tokens
        if tokens.count(word) != 1:
            raise ValueError(f"a sentence must contain {word!r} once, and {text!r} does not")
        position = tokens.index(word) if position is None else position
        if tokens.index(word) != position:
            raise ValueError(
                f"{word!r} must be token {position} of every sentence, and in {text!r} it is token"
                f" {tokens.index(word)}"
            )


@torch.no_grad()
def word_vectors(
    bert: BertModel, tokenizer: WordPieceTokenizer, word: str, texts: Sequence[str]
) -> Tensor:
    """The vectors of `word` before the first layer and after each layer: [L + 1, N, H]."""
    batch = tokenizer(texts)
    here = batch["input_ids"] == tokenizer.token_to_id(word)  # [N, S]
    states = bert(**batch, output_hidden_states=True).hidden_states
    return torch.stack([layer[here] for layer in states]).double()


def projection(vectors: Tensor, sides: Tensor) -> Tensor:
    """vectors [N, H], sides [N] of 1 and -1 -> [H, 2]: two orthogonal directions of length 1.

    The first leads from the mean of one side to the mean of the other, and the second is the
    direction of the largest variance that remains.
    """
    level = F.normalize(vectors[sides == 1].mean(dim=0) - vectors[sides == -1].mean(dim=0), dim=0)
    rest = vectors - vectors.mean(dim=0)  # [N, H]
    rest = rest - (rest @ level)[:, None] * level
    upright = torch.linalg.svd(rest, full_matrices=False).Vh[0]  # [H]
    upright = upright if upright[upright.abs().argmax()] > 0 else -upright
    return torch.stack([level, upright], dim=-1)
