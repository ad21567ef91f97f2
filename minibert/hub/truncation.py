"""Two long texts of a pair are cut before the library cuts them, as its memory would explode."""

from collections.abc import Sequence
from typing import Any

LONG = 8  # characters for each token that is kept, above which a text of a pair is shortened


def shortened(
    tokenizer: Any, texts: Sequence[str], pairs: Sequence[str], length: int | None
) -> list[tuple[str, str]]:
    """Each text with its pair; where both are long, as much of both as has `length` tokens.

    The library combines all that it cuts off both, so its memory would grow as their product.
    """
    return [
        (one, other)
        if length is None or min(len(one), len(other)) <= LONG * length
        else _beginnings(tokenizer, one, other, length)
        for one, other in zip(texts, pairs, strict=True)
    ]


def _beginnings(tokenizer: Any, one: str, other: str, count: int) -> tuple[str, str]:
    """At least `count` tokens of both; the longer one stays longer, as it keeps the odd token."""
    first, second = (tokenizer.encode(text, add_special_tokens=False) for text in (one, other))
    if len(first) > len(second):
        other, kept = _beginning(other, second, count)
        return _beginning(one, first, max(count, kept + 1))[0], other
    one, kept = _beginning(one, first, count)
    return one, _beginning(other, second, max(count, kept))[0]


def _beginning(text: str, encoding: Any, count: int) -> tuple[str, int]:
    """The words that hold the first `count` tokens of a text, and how many tokens they have."""
    word = encoding.token_to_word
    while count < len(encoding) and word(count) == word(count - 1):
        count += 1
    if count >= len(encoding):
        return text, len(encoding)
    return text[: encoding.token_to_chars(count - 1)[1]], count
