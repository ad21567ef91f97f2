"""Checks shared by the functions that run a model on texts."""

from torch import Tensor, nn

from minibert.config import BertConfig, InputError
from minibert.tokenization import WordPieceTokenizer


def check_tokenizer(tokenizer: WordPieceTokenizer, config: BertConfig) -> None:
    """Raise an InputError if the tokenizer has more tokens than the model."""
    size = getattr(tokenizer, "vocab_size", 0)  # it may also be a reader's own tokenizer
    if size > config.vocab_size:
        raise InputError(
            f"the tokenizer has {size} tokens, but the model's vocab_size is {config.vocab_size}: "
            "it belongs to another model"
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
