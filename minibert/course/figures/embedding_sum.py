"""An interactive figure of the input embedding: token, segment and position row, their sum, and
LayerNorm, for two tokens side by side.
"""

from collections.abc import Sequence

import torch

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed
from minibert.model import BertModel
from minibert.tokenization import WordPieceTokenizer

SHOWN = 16  # features drawn at a time


def embedding_sum(
    bert: BertModel,
    tokenizer: WordPieceTokenizer,
    words: Sequence[str],
    word: str,
    places: tuple[int, int],
    length: int = 16,
    first: int = 0,
) -> Moving:
    """Returns a figure of the token, segment and position row of a word at two positions, their
    sums and the sums after LayerNorm.

    The figure stores complete rows of the three tables, because the page computes LayerNorm over
    all H features (equation 2.2), not only over the ones that it draws.

    words   tokens to choose from
    word    the token that is shown first, on both sides
    places  its position on the left, and the initial one on the right
    length  the number of positions to choose from
    first   the first of the 16 features that are drawn
    Raises ValueError if a word is not a single token or not in `words`, if a position does not
    exist, or if the model has no table of positions.
    """
    ids = [tokenizer.token_to_id(each) for each in words]
    if None in ids:
        raise ValueError(f"words: {words[ids.index(None)]!r} is not one token of the vocabulary")
    if word not in words:
        raise ValueError(f"word must be one of {', '.join(words)}, not {word!r}")
    if len(places) != 2 or any(place not in range(length) for place in places):
        raise ValueError(f"places must be two positions, each 0 to {length - 1}, not {places!r}")
    tables = bert.embeddings
    if (
        bert.config.position_embedding_type == "none"
        or len(tables.position_embeddings.weight) < length
    ):
        raise ValueError(f"bert: it needs a table with a row for each of {length} positions")
    drawn = min(SHOWN, bert.config.hidden_size)
    if first not in range(bert.config.hidden_size - drawn + 1):
        raise ValueError(f"first must be 0 to {bert.config.hidden_size - drawn}, not {first!r}")
    rows = [
        tables.word_embeddings.weight[torch.tensor(ids)],
        tables.token_type_embeddings.weight,
        tables.position_embeddings.weight[:length],
        tables.LayerNorm.weight[None],
        tables.LayerNorm.bias[None],
    ]
    sums = (rows[0][words.index(word)] + rows[1][0] + rows[2][list(places)]).detach()  # [2, H]
    cosine = float(torch.cosine_similarity(sums[0], sums[1], dim=0))
    return moving(
        "embedding_sum",
        {
            "words": list(words),
            "word": words.index(word),
            "places": list(places),
            "length": length,
            "first": first,
            "shown": drawn,
            "eps": tables.LayerNorm.eps,
            "rows": packed(
                torch.cat([part.detach() for part in rows])
            ),  # words, segments, positions, γ, β
            "segments": len(tables.token_type_embeddings.weight),
        },
        needs=["stage.js", "packed.js"],
        label=(
            f"“{word}” at two positions: the token row is the same, the position row is not"
            " the same, so the sums differ"
        ),
        alt=(
            f"Two columns of bars, for “{word}” at position {places[0]} and at position"
            f" {places[1]}: the token row plus the segment row plus the position row is their sum,"
            " and below it the sum after LayerNorm. The first two rows are the same in both"
            f" columns, the others are not; the two sums have a cosine of {cosine:.2f}."
        ),
        try_this=(
            "The controls change the token on the right. Move it to position"
            f" {places[0]}: all rows agree. Choose segment 1, then another word: which rows differ?"
        ),
    )
