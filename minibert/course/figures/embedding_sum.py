"""An interactive figure of the input embedding: token, segment and position vector, their sum, and
LayerNorm.
"""

from collections.abc import Sequence

import torch

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed
from minibert.model import BertModel
from minibert.tokenization import WordPieceTokenizer


def embedding_sum(
    bert: BertModel,
    tokenizer: WordPieceTokenizer,
    words: Sequence[str],
    word: str,
    places: tuple[int, int],
    length: int = 16,
    feature: int = 0,
) -> Moving:
    """Returns a figure of a word's token, segment and position vectors, their sum and its
    LayerNorm.

    The figure stores complete rows of the three tables, because the page computes LayerNorm over
    all H features (equation 2.2), not only over the ones that it draws.

    words    tokens to choose from
    word     the token that is shown first
    places   its initial position, and the position of the outlined copy that it is compared with
    length   the number of positions to choose from
    feature  the one of the H features whose numbers are shown first
    Raises ValueError if a word is not a single token or not in `words`, if a position does not
    exist, or if the model has no table of positions.
    """
    ids = [tokenizer.token_to_id(each) for each in words]
    if None in ids:
        raise ValueError(f"words: {words[ids.index(None)]!r} is not one token of the vocabulary")
    if word not in words:
        raise ValueError(f"word must be one of {', '.join(words)}, not {word!r}")
    if wrong := [place for place in places if place not in range(length)]:
        raise ValueError(f"places: each must be 0 to {length - 1}, not {wrong[0]!r}")
    tables = bert.embeddings
    if (
        bert.config.position_embedding_type == "none"
        or len(tables.position_embeddings.weight) < length
    ):
        raise ValueError(f"bert: it needs a table with a row for each of {length} positions")
    if feature not in range(bert.config.hidden_size):
        raise ValueError(f"feature must be 0 to {bert.config.hidden_size - 1}, not {feature!r}")
    rows = [
        tables.word_embeddings.weight[torch.tensor(ids)],
        tables.token_type_embeddings.weight,
        tables.position_embeddings.weight[:length],
        tables.LayerNorm.weight[None],
        tables.LayerNorm.bias[None],
    ]
    first = (rows[0] + rows[1][0] + rows[2][0]).detach()  # every word at position 0: [words, H]
    sums = (rows[0][words.index(word)] + rows[1][0] + rows[2][list(places)]).detach()  # [2, H]
    cosine = float(torch.cosine_similarity(sums[0], sums[1], dim=0))
    loud = int(first.abs().amax(dim=1).argmax())
    return moving(
        "embedding_sum",
        {
            "words": list(words),
            "word": words.index(word),
            "places": list(places),
            "length": length,
            "feature": feature,
            "eps": tables.LayerNorm.eps,
            "rows": packed(
                torch.cat([part.detach() for part in rows])
            ),  # words, segments, positions, γ, β
            "segments": len(tables.token_type_embeddings.weight),
        },
        needs=["stage.js", "packed.js"],
        label=(
            f"Token, segment and position are added: “{word}” at two positions gets two sums,"
            f" with a cosine of {cosine:.2f}"
        ),
        alt=(
            f"Bars for 24 features of “{word}” at position {places[0]}: its token, segment and"
            " position vector, their sum, and the sum after LayerNorm. Outlines show the same for"
            f" “{word}” at position {places[1]}."
        ),
        try_this=(
            "Move the slider to the position of the outlines: the sums agree. Swap the segment."
            f" Then choose {words[loud]} at position 0, and look at feature"
            f" {int(first[loud].abs().argmax())}."
        ),
    )
