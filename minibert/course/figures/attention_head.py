"""An interactive figure that computes one attention head step by step: scores, scaling, mask,
weights, weighted sum of values.
"""

from collections.abc import Mapping, Sequence

import torch

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed
from minibert.model import BertModel
from minibert.tokenization import WordPieceTokenizer


def attention_head(
    bert: BertModel,
    tokenizer: WordPieceTokenizer,
    text: str,
    last: Sequence[str],
    heads: Mapping[int, str],
    padding: int = 2,
    asks: int = 2,
) -> Moving:
    """Returns a figure of what heads in the first layer give to each of several last words of a
    text and, folded, the steps to these weights, with and without the scale and the mask.

    In the first layer, a query, key or value depends only on the token and its position. So the
    figure stores these three vectors for every word at its position, and the page computes
    equation 1 of Vaswani et al. 2017 from them.

    text     the words before the last one
    last     the words that can be the last one; the first one is shown first. All words must be
             single tokens
    heads    indices of heads in the first layer, counted from 0, and their display names
    padding  the number of [PAD]s at the end
    asks     the position whose query is shown first; 0 is [CLS]
    Raises ValueError if there are not two last words, if a word is not a single token, or if a
    head or a position does not exist.
    """
    count = bert.config.num_attention_heads
    if not heads:
        raise ValueError("heads is empty; expected at least one head and its name")
    if wrong := [head for head in heads if head not in range(count)]:
        raise ValueError(
            f"heads: there is no head {wrong[0]!r} in a layer whose heads are 0 to {count - 1}"
        )
    if len(last) < 2:
        raise ValueError(f"last must be at least two words to compare, not {list(last)}")
    if unknown := [w for w in [*text.split(), *last] if tokenizer.token_to_id(w) is None]:
        raise ValueError(
            f"words: each must be one token of the vocabulary, and {unknown[0]!r} is not"
        )
    places = [["[CLS]"], *([word] for word in text.split()), list(last), ["[SEP]"]]
    room = bert.config.max_position_embeddings - len(places)
    if asks not in range(len(places)) or padding not in range(room + 1):
        raise ValueError(
            f"asks must be 0 to {len(places) - 1} and padding 0 to {room}, not {asks!r} and"
            f" {padding!r}"
        )
    places += [["[PAD]"]] * padding
    vectors = _first_layer(bert, tokenizer, places)[:, list(heads)]  # [words, heads, 3, D]
    shares = _shares(vectors, places, asks)
    others = [f"“{word}” would get {share:.0%}" for word, share in zip(last[1:], shares[1:])]
    name = places[asks][0]
    return moving(
        "attention_head",
        {
            "places": places,
            "heads": list(heads.values()),
            "asks": asks,
            "vectors": packed(vectors),
        },
        needs=["packed.js", "tokens.js", "stage.js"],
        label=(
            f"In {next(iter(heads.values()))}, “{name}” gives “{last[0]}” {shares[0]:.0%} of its"
            f" weight; in its place, {' and '.join(others)}"
        ),
        alt=(
            f"The text “{text} …” with each of {len(last)} last words, and beside each a bar: what"
            f" “{name}” gives to that word. Folded below, a row for each token and {padding} [PAD]s"
            f", with bars for the score that the query of “{name}” finds at its key, the scaled and"
            " the masked score, and the weight; and the sum of the weighted values."
        ),
        try_this="Choose another head, then unfold the steps. What if nothing divides the scores?",
    )


def _shares(vectors: torch.Tensor, places: list[list[str]], asks: int) -> list[float]:
    """What the token that asks gives in the first head to each word that can be the last one."""
    starts = [sum(map(len, places[:i])) for i in range(len(places))]
    at = max(range(len(places)), key=lambda i: len(places[i]))
    seen = [i for i, place in enumerate(places) if place != ["[PAD]"]]
    found = []
    for word in range(len(places[at])):
        rows = [starts[i] + word * (i == at) for i in seen]
        query, keys = vectors[rows[asks], 0, 0], vectors[rows, 0, 1]  # [D], [S, D]
        weights = (keys @ query / keys.size(1) ** 0.5).softmax(dim=0)  # [S]
        found.append(float(weights[seen.index(at)]))
    return found


@torch.no_grad()
def _first_layer(
    bert: BertModel, tokenizer: WordPieceTokenizer, places: list[list[str]]
) -> torch.Tensor:
    """Query, key and value of every word, position by position: [words, A, 3, D]."""
    most = max(map(len, places))
    ids = torch.tensor(
        [[tokenizer.token_to_id(place[i % len(place)]) for place in places] for i in range(most)]
    )  # [B, S]
    layer = bert.encoder.layer[0].attention
    hidden = bert.embeddings(ids)  # [B, S, H]
    inner = layer.output.LayerNorm(hidden) if layer.norm_first else hidden  # [B, S, H]
    parts = [
        layer.self.split_heads(part(inner))
        for part in (layer.self.query, layer.self.key, layer.self.value)
    ]  # 3 · [B, A, S, D]
    vectors = torch.stack(parts, dim=3)  # [B, A, S, 3, D]
    return torch.cat(
        [vectors[: len(place), :, i] for i, place in enumerate(places)]
    )  # [words, A, 3, D]
