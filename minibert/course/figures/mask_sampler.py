"""Which tokens are chosen to be predicted and what becomes of them, as often as the reader likes
(chapter 7).
"""

from collections.abc import Mapping, Sequence

from minibert.course.figures.moving import Moving, moving

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def mask_sampler(
    rows: Mapping[str, Sequence[str]],
    vocabulary: Sequence[str],
    special: Sequence[str] = SPECIAL,
    most: int = 20,
) -> Moving:
    """Draw the masks of a text again and again, and count: shares found beside shares expected,
    with the band of chance.

    rows        texts to choose from, by their names; each a list of tokens with its special tokens
    vocabulary  what a random word is drawn from; the special tokens among it are left out
    special     tokens that are never chosen
    most        of a text this many places are chosen at most

    A fixed number of pieces or words as `minibert.data.create_masked_lm_predictions` (Devlin et al.
    2018, section 3.1, as their program does it), or each piece on its own as
    `minibert.data.mask_tokens`. A draw follows from its number alone. Raises a ValueError for no
    rows, a row in which nothing can be chosen, or a vocabulary without an ordinary word.
    """
    words = [word for word in vocabulary if word not in special]
    if not words:
        raise ValueError(
            f"vocabulary must hold an ordinary word; its {len(vocabulary)} are special tokens"
        )
    if not rows:
        raise ValueError("rows is empty; wanted is at least one text, as a list of tokens")
    if bare := [
        name
        for name, tokens in rows.items()
        if isinstance(tokens, str) or all(token in special for token in tokens)
    ]:
        raise ValueError(
            f"rows[{bare[0]!r}] is {rows[bare[0]]!r}; wanted is a list of tokens, one of them not"
            " special"
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
