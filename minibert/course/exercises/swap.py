"""Replaces modules of a real pretrained BERT by the reader's own."""

import copy
import inspect
from collections.abc import Callable
from fnmatch import fnmatchcase

from torch import Tensor, nn

from minibert.course.exercises.compare import Mistake, expect_module
from minibert.inference.sentence_embeddings import embed
from minibert.model import BertModel

SENTENCES = (
    "She sat down on the bank by the river.",
    "They rested on the grass beside the stream.",
    "The bank raised its interest rates again.",
    "Borrowing money has become more expensive.",
)


def swap_in(model: BertModel, pattern: str, make: Callable[[nn.Module], nn.Module]) -> BertModel:
    """Returns a copy of `model` in which every module that matches `pattern` is replaced by the
    reader's.

    `pattern` is a name as in `model.named_modules()`, where * matches any text, such as
    "encoder.layer.*.attention.self". `make` takes the old module and returns the new one, which then
    gets the old module's weights. Raises ValueError if no module inside the model matches, and
    Mistake if `make` returns no module, or one with other names or shapes of parameters.
    """
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a BertModel, not a {type(model).__name__}")
    model = copy.deepcopy(model)
    names = [name for name, _ in model.named_modules() if name and fnmatchcase(name, str(pattern))]
    if not names:
        raise ValueError(f"no module of this model matches {pattern!r}")
    for name in names:
        old = model.get_submodule(name)
        new = make(old)
        expect_module(new, f"What make returns for {name}")
        try:
            new.load_state_dict(old.state_dict())
        except RuntimeError as error:
            raise Mistake(
                f"your {type(new).__name__} cannot take the weights of {name}: {error}"
            ) from None
        new.register_forward_pre_hook(leave_out_none, with_kwargs=True)
        model.set_submodule(name, new.train(old.training))
    return model


def leave_out_none(module: nn.Module, arguments: tuple, options: dict) -> tuple[tuple, dict]:
    """Forward pre-hook that drops keyword arguments that are None and that the reader's forward does
    not accept, such as inputs_embeds.
    """
    known = inspect.signature(module.forward).parameters
    kept = {name: value for name, value in options.items() if name in known or value is not None}
    return arguments, kept


def similarities(model: BertModel, tokenizer, sentences=SENTENCES) -> Tensor:
    """Cosine similarities of the mean-pooled vectors of N sentences: [N, N]."""
    vectors = embed(model, tokenizer, sentences)  # [N, H], of length 1
    return vectors @ vectors.T  # [N, N]
