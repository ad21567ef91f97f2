"""An interactive figure that samples masks for masked-language modelling (chapter 7)."""

from collections.abc import Mapping, Sequence

from minibert.course.figures.moving import Moving, moving

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def mask_sampler(
    rows: Mapping[str, Sequence[str]],
    vocabulary: Sequence[str],
    special: Sequence[str] = SPECIAL,
    most: int = 20,
) -> Moving:
    """Returns a figure that draws masks for a text repeatedly and compares the observed shares with
    the expected ones and their sampling error.

    rows        name -> text to choose from, a list of tokens including its special tokens
    vocabulary  the tokens that random replacements are drawn from; special tokens are left out
    special     tokens that are never chosen
    most        the largest number of positions chosen in a text

    The reader chooses between a fixed number of pieces or words, like
    `minibert.data.create_masked_lm_predictions` (Devlin et al. 2018, section 3.1, and their code),
    and an independent choice for each piece, like `minibert.data.mask_tokens`. The number of a draw
    is its random seed. Raises ValueError if there are no rows, if a row has no ordinary token, or
    if the vocabulary has none.
    """
    words = [word for word in vocabulary if word not in special]
    if not words:
        raise ValueError(
            f"vocabulary must contain an ordinary word; all {len(vocabulary)} are special tokens"
        )
    if not rows:
        raise ValueError("rows is empty; expected at least one text, as a list of tokens")
    if bare := [
        name
        for name, tokens in rows.items()
        if isinstance(tokens, str) or all(token in special for token in tokens)
    ]:
        raise ValueError(
            f"rows[{bare[0]!r}] is {rows[bare[0]]!r}; expected a list of tokens, at least one of"
            " them not special"
        )
    return moving(
        "mask_sampler",
        {
            "names": list(rows),
            "rows": {name: list(tokens) for name, tokens in rows.items()},
            "words": words,
            "special": list(special),
            "most": most,
        },
        label="Which tokens are asked for, and what the model sees of them",
        alt=(
            "The tokens of a text in a row. A few are chosen and marked: most of these become"
            " [MASK], some another word, some stay. Below, a table counts the three over all draws"
            " so far, beside the shares that are expected and the band in which chance alone keeps"
            " them."
        ),
        try_this=(
            "Draw a hundred times more and watch the bands close in. Then choose by whole words,"
            " and look at the pieces of one word."
        ),
    )
