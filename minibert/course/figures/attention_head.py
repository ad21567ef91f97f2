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
    texts: Sequence[str],
    words: Sequence[Sequence[str]],
    heads: Mapping[int, str],
    padding: int = 2,
    asks: int = 2,
) -> Moving:
    """Returns a figure of heads in the first layer, with words, scale and mask for the reader to
    change.

    In the first layer, a query, key or value depends only on the token and its position. So the
    figure stores these three vectors for every word that a position offers, and the page computes
    equation 1 of Vaswani et al. 2017 from them.

    texts    sentences to start from; the first one is shown first. Each position of a text holds
             one of its `words`
    words    for each position after [CLS], the words to choose from; each must be a single token
    heads    indices of heads in the first layer, counted from 0, and their display names
    padding  the number of [PAD]s at the end
    asks     the position whose query is shown first; 0 is [CLS]
    Raises ValueError if a word is not a single token, if a text contains a word that its position
    does not offer, or if a head does not exist.
    """
    count = bert.config.num_attention_heads
    if wrong := [head for head in heads if head not in range(count)]:
        raise ValueError(
            f"heads: there is no head {wrong[0]!r} in a layer whose heads are 0 to {count - 1}"
        )
    if unknown := [
        word for place in words for word in place if tokenizer.token_to_id(word) is None
    ]:
        raise ValueError(
            f"words: each must be one token of the vocabulary, and {unknown[0]!r} is not"
        )
    chosen = []
    for text in texts:
        parts = text.split()
        if len(parts) != len(words) or any(part not in place for part, place in zip(parts, words)):
            raise ValueError(
                f"texts: {text!r} must take one of `words` at each of {len(words)} places"
            )
        chosen.append([place.index(part) for part, place in zip(parts, words)])
    places = [["[CLS]"], *map(list, words), ["[SEP]"], *[["[PAD]"]] * padding]
    vectors = _first_layer(bert, tokenizer, places)[:, list(heads)]  # [words, heads, 3, D]
    name, found, share = _most(vectors, places, chosen[0], asks)
    return moving(
        "attention_head",
        {
            "places": places,
            "texts": chosen,
            "heads": list(heads.values()),
            "asks": asks,
            "padding": padding,
            "vectors": packed(vectors),
        },
        needs=["packed.js", "tokens.js", "stage.js"],
        label=(
            f"In {next(iter(heads.values()))}, “{name}” gives {share:.0%} of its weight to"
            f" “{found}”"
        ),
        alt=(
            f"A row for each token of “{texts[0]}” and two [PAD]s, with bars for the score that the"
            f" query of “{name}” finds at its key, the scaled and the masked score, and the weight."
            " At the left the maps of the heads, and below the sum of the weighted values."
        ),
        try_this="Switch between the heads, then choose other last words: “account”, and “beach”.",
    )


def _most(
    vectors: torch.Tensor, places: list[list[str]], choice: list[int], asks: int
) -> tuple[str, str, float]:
    """The token that asks in the first head, the token that it gives most weight, and how much."""
    words = [0, *choice, *[0] * (len(places) - 1 - len(choice))]
    rows = [sum(map(len, places[:i])) + word for i, word in enumerate(words)]
    query, keys = vectors[rows[asks], 0, 0], vectors[rows, 0, 1]  # [D], [S, D]
    seen = torch.tensor([place != ["[PAD]"] for place in places])  # [S]
    scores = (keys @ query / keys.size(1) ** 0.5).masked_fill(~seen, -torch.inf)  # [S]
    best = int(scores.argmax())
    return (
        places[asks][words[asks]],
        places[best][words[best]],
        float(scores.softmax(dim=0)[best]),
    )


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
