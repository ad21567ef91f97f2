"""Checks shared by the functions that run a model on texts."""

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from reprlib import repr as shown
from typing import Any

from torch import Tensor, nn

from minibert.config import InputError
from minibert.tokenization import WordPieceTokenizer

SPARE = 256  # rows without a token that a model may have: some programs round the table's size up


class UnknownWordsWarning(UserWarning):
    """Texts have no word that a model's vocabulary knows."""


@contextmanager
def unknown_words_ignored() -> Iterator[None]:
    """Hide that warning, for texts of which nobody asks for the vectors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownWordsWarning)
        yield


def check_tokenizer(tokenizer: WordPieceTokenizer, model: nn.Module) -> None:
    """Raise an InputError for no tokenizer, and for one of more tokens than the model or less than
    half of them; warn of one that is smaller than usual.

    Raises one for a model on the device "meta", too, which has no numbers to compute with.
    With a vocabulary that was cut short, a text turns into [UNK].
    """
    if not callable(tokenizer) or isinstance(tokenizer, type | nn.Module):
        raise InputError(
            f"the tokenizer must be a WordPieceTokenizer, not a {type(tokenizer).__name__}"
        )
    if any(parameter.is_meta for parameter in model.parameters()):
        raise InputError('the weights of the model are on the device "meta": they have no numbers')
    config: Any = model.config
    size = getattr(tokenizer, "vocab_size", 0)  # it may also be a reader's own tokenizer
    if size > config.vocab_size:
        raise InputError(
            f"the tokenizer has {size} tokens, but the model's vocab_size is {config.vocab_size}: "
            "it belongs to another model"
        )
    if 0 < size < config.vocab_size / 2:
        raise InputError(
            f"the tokenizer has {size} tokens, but the model's vocab_size is {config.vocab_size}: "
            "its vocabulary was cut short, or it belongs to another model"
        )
    if 0 < size < config.vocab_size - SPARE:
        warnings.warn(
            f"the tokenizer has {size} tokens, but the model's vocab_size is {config.vocab_size}: "
            "its vocabulary may have been cut short",
            stacklevel=3,
        )


def check_kind(name: str, value: object, kind: type) -> None:
    """Raise an InputError for an argument that is not of a kind, such as a text for a tensor."""
    if not isinstance(value, kind):
        raise InputError(
            f"{name} must be a {kind.__name__}, not a {type(value).__name__}: {shown(value)}"
        )


def check_number(name: str, value: Any, kind: Any = Real, least: float = -math.inf) -> None:
    """Raise an InputError for what is no number, for a NaN or infinity, and for less than `least`.

    `kind` may be int, for whole numbers.
    """
    if not isinstance(value, kind) or isinstance(value, bool) or not -math.inf < value < math.inf:
        wanted = "a whole number" if kind is int else "a number"
        raise InputError(f"{name} must be {wanted}, not {shown(value)}")
    if value < least:
        raise InputError(f"{name} must be at least {least}, not {shown(value)}")


class NotFinite(InputError):
    """A result of a model is NaN or infinite."""


def check_finite(result: Tensor, model: nn.Module) -> None:
    """Raise a NotFinite, which names the first broken weights, if a result is not finite."""
    if result.isfinite().all():
        return
    broken = (name for name, weight in model.named_parameters() if not weight.isfinite().all())
    name = next(broken, None)
    raise NotFinite(
        "the model's result is NaN or infinite, "
        + (f"because its weights are, first in {name}" if name else "but its weights are finite")
    )
