"""An interactive figure that samples masks for masked-language modelling (chapter 7)."""

from collections.abc import Mapping, Sequence

from minibert.course.figures.moving import Moving, moving

FEW, MANY = 20, 1000  # draws whose bands the title compares
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def mask_sampler(
    rows: Mapping[str, Sequence[str]],
    vocabulary: Sequence[str],
    special: Sequence[str] = SPECIAL,
    most: int = 20,
    rate: float = 0.15,
) -> Moving:
    """Returns a figure that draws masks for a text repeatedly and compares the observed shares with
    the expected ones and their sampling error.

    rows        name -> text to choose from, a list of tokens including its special tokens
    vocabulary  the tokens that random replacements are drawn from; special tokens are left out
    special     tokens that are never chosen
    most        the largest number of positions chosen in a text
    rate        the share of positions chosen in a text

    The reader chooses the shares of [MASK] and of random tokens, and between a fixed number of
    pieces or words, like `minibert.data.create_masked_lm_predictions` (Devlin et al. 2018,
    section 3.1, and their code), and an independent choice for each piece, like
    `minibert.data.mask_tokens`. The number of a draw is its random seed. Raises ValueError if there
    are no rows, if a row has no ordinary token, if the vocabulary has none, or if nothing can be
    chosen.
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
    if most < 1 or not 0 < rate <= 1:
        raise ValueError(
            f"most must be at least 1 and rate above 0 and at most 1, not {most!r} and {rate!r}"
        )
    first = next(iter(rows.values()))
    chosen = min(most, max(1, round(len(first) * rate)))
    few, many = (
        f"{max(0, 0.1 - spread):.{digits}%} to {0.1 + spread:.{digits}%}"
        for digits, draws in ((0, FEW), (1, MANY))
        for spread in [1.96 * (0.1 * 0.9 / (draws * chosen)) ** 0.5]
    )
    return moving(
        "mask_sampler",
        {
            "names": list(rows),
            "rows": {name: list(tokens) for name, tokens in rows.items()},
            "words": words,
            "special": list(special),
            "most": most,
            "rate": rate,
        },
        needs=["stage.js"],
        label=(
            "With 10% random tokens, 95% of counts show"
            f" {few} in {FEW * chosen:,} chosen tokens and {many} in {MANY * chosen:,}"
        ),
        alt=(
            "A text under one mask: most of the chosen tokens become [MASK], some a random token,"
            " some stay. Below, 20 lines, each a count of the same rule, show the share of random"
            " tokens among the chosen tokens counted so far. The band in which 95% of counts lie is"
            f" {few} after {FEW * chosen:,} chosen tokens and {many} after {MANY * chosen:,}."
        ),
        try_this="Press Play and watch one count wander and settle. Then choose another rule.",
    )
