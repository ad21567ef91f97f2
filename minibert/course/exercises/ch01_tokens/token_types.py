"""Exercise `token_types`: task, hints, solution and check."""

from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def token_types(tokens):
    """0 up to and with the first [SEP], then 1, and 0 again on padding: one number for each token."""
    end = tokens.index("[PAD]") if "[PAD]" in tokens else len(tokens)
    first = tokens.index("[SEP]") + 1  # blank: how many tokens belong to the first text?
    second = end - first  # blank: and to the second? (none, if there is only one)
    padding = len(tokens) - end  # blank: how many are padding?
    return [0] * first + [1] * second + [0] * padding


TYPE_CASES = (
    "[CLS] the bank [SEP] by the river at noon [SEP] [PAD] [PAD]",
    "[CLS] the bank by the river [SEP] rates [SEP]",
    "[CLS] the bank by the river [SEP]",
    "[CLS] the bank [SEP] [PAD] [PAD] [PAD]",
)


def check_token_types(answer):
    for text in TYPE_CASES:
        tokens = text.split()
        try:
            found = answer(list(tokens))
        except ValueError as error:
            raise Mistake(
                f"for “{text}” your function stops: {error}; a single text has only one [SEP]."
            ) from None
        right = token_types(tokens)
        found = found.tolist() if isinstance(found, Tensor) else found
        where = f"for “{text}”"
        if not isinstance(found, list):
            raise Mistake(
                f"you return a {type(found).__name__}; a list of numbers, one for each token, is wanted."
            )
        if len(found) != len(tokens):
            raise Mistake(
                f"{where} you give {len(found)} types for {len(tokens)} tokens; every token has one, padding too."
            )
        if found == right:
            continue
        first, half = tokens.index("[SEP]"), len(tokens) // 2
        if set(found) - {0, 1}:
            raise Mistake(
                f"{where} you give {found}; there are two types, 0 and 1, and you have {sorted(set(found))}."
            )
        if found == [0] * half + [1] * (len(tokens) - half):
            raise Mistake(
                f"{where} you change to 1 after {half} of {len(tokens)} tokens, in the middle; the first text ends "
                f"with its [SEP], after {first + 1}."
            )
        if found == [0] * (first + 1) + [1] * (len(tokens) - first - 1):
            raise Mistake(
                f"{where} you give {found}: your padding has type 1, it should have type 0."
            )
        if not any(found):
            raise Mistake(
                f"{where} all your {len(found)} types are 0; the second text should have type 1."
            )
        if found == [0 if token == "[PAD]" else 1 - kind for token, kind in zip(tokens, right)]:
            raise Mistake(
                f"{where} you give {found}: the first text has type 0 and the second type 1, not the other way round."
            )
        if found[first] == 1:
            raise Mistake(
                f"{where} you give {found}: the [SEP] at place {first} closes the first text, so it has type 0."
            )
        place = next(i for i, (a, b) in enumerate(zip(found, right)) if a != b)
        raise Mistake(
            f"{where} you give {found}: the token {tokens[place]} at place {place} should have type {right[place]}."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="Which text does a token belong to?",
    paragraph="Token types: which text is this?",
    task="""
            Given the tokens of `[CLS] first text [SEP]` or of `[CLS] first text [SEP] second text [SEP]`, perhaps with `[PAD]` at the end,
            return the token type ids, a list with one number for each token: 0 up to *and with* the first `[SEP]`, 1 for the second
            text and its `[SEP]`, and 0 on padding.
        """,
    hints=(
        '`tokens.index("[SEP]")` is the place of the first `[SEP]`, counted from 0. How many tokens stand up to it, itself included?',
        "The second text, its `[SEP]` included, is all that lies between the end of the first one and the padding: `end - first`.",
    ),
    solution=token_types,
    check=check_token_types,
)
