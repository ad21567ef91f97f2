"""Checks shared by the functions that run a model on texts."""

import warnings

from torch import Tensor, nn

from minibert.config import BertConfig, InputError
from minibert.tokenization import WordPieceTokenizer

SPARE = 256  # rows without a token that a model may have: some programs round the table's size up


def check_tokenizer(tokenizer: WordPieceTokenizer, config: BertConfig) -> None:
    """Raise an InputError if the tokenizer has more tokens than the model; warn if far fewer.

    A vocabulary that is too small is valid, but it may also be a file that was cut short, with
    which a text turns into [UNK].
    """
    size = getattr(tokenizer, "vocab_size", 0)  # it may also be a reader's own tokenizer
    if size > config.vocab_size:
        raise InputError(
            f"the tokenizer has {size} tokens, but the model's vocab_size is {config.vocab_size}: "
            "it belongs to another model"
        )
    if 0 < size < config.vocab_size - SPARE:
        warnings.warn(
            f"the tokenizer has {size} tokens, but the model's vocab_size is {config.vocab_size}: "
            "its vocabulary may have been cut short",
            stacklevel=3,
        )


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
