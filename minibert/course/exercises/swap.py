"""Swap it in: the reader's own part in the place of the package's, inside a real pretrained BERT."""

import copy
import inspect
from collections.abc import Callable
from fnmatch import fnmatchcase

from torch import Tensor, nn

from minibert.course.exercises.compare import Mistake
from minibert.inference.sentence_embeddings import embed
from minibert.model import BertModel

SENTENCES = (
    "She sat down on the bank by the river.",
    "They rested on the grass beside the stream.",
    "The bank raised its interest rates again.",
    "Borrowing money has become more expensive.",
)


def swap_in(model: BertModel, pattern: str, make: Callable[[nn.Module], nn.Module]) -> BertModel:
    """A copy of `model` in which every part whose name matches `pattern` is the reader's, with the old part's weights.

    `pattern` is a name as in `model.named_modules()`, with * for any layer, such as "encoder.layer.*.attention.self";
    `make` gets the old part and returns the new one, whose parameters must have the same names and shapes.
    """
    model = copy.deepcopy(model)
    names = [name for name, _ in model.named_modules() if fnmatchcase(name, pattern)]
    if not names:
        raise ValueError(f"no part of this model is called {pattern!r}")
    for name in names:
        old = model.get_submodule(name)
        new = make(old)
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
    """Leave out the options that are None and that the reader's forward does not have, such as inputs_embeds."""
    known = inspect.signature(module.forward).parameters
    kept = {name: value for name, value in options.items() if name in known or value is not None}
    return arguments, kept


def similarities(model: BertModel, tokenizer, sentences=SENTENCES) -> Tensor:
    """Cosine similarities of the mean-pooled sentence vectors: [N, N]."""
    vectors = embed(model, tokenizer, list(sentences))  # [N, H], of length 1
    return vectors @ vectors.T  # [N, N]
