"""Load the head of a published BertSum from a state dict with the original's names.

nlpyang/BertSum, src/models/encoder.py, class TransformerInterEncoder (in nlpyang/PreSumm:
ExtTransformerEncoder).
"""

import logging
import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import TypeVar

import torch
from torch import Tensor, nn

from minibert.config import InputError
from minibert.hub.load_weights import float32_by_default
from minibert.hub.shapes_only import shapes_only
from minibert.positions import sinusoidal_table
from minibert.summarization.heads import InterSentenceEncoder

M = TypeVar("M", bound=nn.Module)

logger = logging.getLogger(__name__)

# (our name, the original's name), replaced in this order
NAMES = (
    ("encoder.layer.", "transformer_inter."),
    ("encoder.norm.", "layer_norm."),
    ("scorer.", "wo."),
    ("attention.self.query.", "self_attn.linear_query."),
    ("attention.self.key.", "self_attn.linear_keys."),
    ("attention.self.value.", "self_attn.linear_values."),
    ("attention.output.dense.", "self_attn.final_linear."),
    ("attention.output.LayerNorm.", "layer_norm."),
    ("output.LayerNorm.", "feed_forward.layer_norm."),
    ("intermediate.dense.", "feed_forward.w_1."),
    ("output.dense.", "feed_forward.w_2."),
)
TENSORS_OF_A_LAYER = 16
FIRST_MATRIX = "transformer_inter.0.feed_forward.w_1.weight"
POSITIONS = "pos_emb.pe"
UNUSED = "transformer_inter.0.layer_norm."  # the original creates it but never calls it


def load_bertsum_head(state_dict: dict[str, Tensor], num_heads: int) -> InterSentenceEncoder:
    """Load the original's inter-sentence transformer from its state dict; in eval mode and float32.

    All sizes are read from the tensors, except the number of attention heads: that is `num_heads`
    (8 in the published models). The position table is optional. The first layer's first norm, which
    the original never uses, is left out if present, listed in the head's `unused_keys`, and logged.

    Raises a ValueError that names the tensors for names that are missing or too many, wrong shapes,
    or a position table that is not the sinusoidal one.
    """
    unused = [name for name in state_dict if name.startswith(UNUSED)]
    tensors = {name: tensor for name, tensor in state_dict.items() if name not in unused}
    table = tensors.pop(POSITIONS, None)
    if FIRST_MATRIX not in tensors or tensors[FIRST_MATRIX].dim() != 2:
        raise InputError(
            "state_dict is no inter-sentence transformer of BertSum: it has no matrix "
            f"{FIRST_MATRIX!r} but {sorted(state_dict)[:3]}, …"
        )
    feedforward_size, hidden_size = tensors[FIRST_MATRIX].shape
    layers = count_layers(tensors, r"transformer_inter\.")
    head = build_from_original(
        lambda: InterSentenceEncoder(
            hidden_size, feedforward_size, num_heads, layers, dropout=0.0
        ).eval(),
        tensors,
        replacing(NAMES),
    )
    if table is not None and not _is_sinusoidal(table, hidden_size):
        raise InputError(
            f"{POSITIONS} of shape {list(table.shape)} is not the table of sines and cosines of "
            f"{hidden_size} columns, "
            "which is all that the original has there"
        )
    head.unused_keys = unused
    if unused:
        logger.warning(
            "%s: in the file, but the original never uses it; left out",
            ", ".join(repr(name)[1:-1] for name in unused),
        )
    return head


def count_layers(tensors: dict[str, Tensor], prefix: str) -> int:
    """How many layers have tensors named `prefix` and their number, by a pattern.

    Raises an InputError where most layers lack most of their tensors.
    """
    numbers = [match[1] for name in tensors if (match := re.match(rf"{prefix}(\d+)\.", name))]
    layers = len(set(numbers))
    if len(numbers) < TENSORS_OF_A_LAYER / 2 * layers:
        raise InputError(
            f"the file names {layers:,} layers, but has only {len(numbers):,} tensors of them; "
            f"a layer has {TENSORS_OF_A_LAYER}"
        )
    return layers


def replacing(names: Iterable[tuple[str, str]]) -> Callable[[str], str]:
    """Return a function that replaces the first of each pair by the second, pair by pair."""
    return lambda name: reduce(lambda name, pair: name.replace(*pair), names, name)


def build_from_original(
    make: Callable[[], M], tensors: dict[str, Tensor], original_name: Callable[[str], str]
) -> M:
    """Make a module and copy tensors into it; `original_name` maps its names to those of `tensors`.

    Raises a ValueError that names the tensors that are missing, unexpected or do not fit, before
    the module takes any memory: the shapes of a few small tensors can ask for a very large one.
    """
    with shapes_only():
        ours = _fitting_names(make(), tensors, original_name)
    with float32_by_default():
        module = make()
    module.load_state_dict({ours[name]: tensor for name, tensor in tensors.items()})
    return module


def _fitting_names(
    module: nn.Module, tensors: dict[str, Tensor], original_name: Callable[[str], str]
) -> dict[str, str]:
    """The module's name of each tensor; a ValueError where one does not fit."""
    ours = {original_name(name): name for name in module.state_dict()}
    wanted = {original_name(name): tensor for name, tensor in module.state_dict().items()}
    problems = [f"{name} has no place" for name in tensors if name not in wanted]
    problems += [f"{name} is missing" for name in wanted if name not in tensors]
    problems += [
        f"{name} has the shape {list(tensors[name].shape)}, wanted {list(wanted[name].shape)}"
        for name in wanted
        if name in tensors and tensors[name].shape != wanted[name].shape
    ]
    problems += [
        f"{name} holds {tensors[name].dtype}, wanted floating-point numbers"
        for name in wanted
        if name in tensors and not tensors[name].is_floating_point()
    ]
    if problems:
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise InputError(
            f"the tensors do not fit a {type(module).__name__} of this size: "
            f"{'; '.join(problems[:5])}{more}"
        )
    return ours


def _is_sinusoidal(table: Tensor, hidden_size: int) -> bool:
    """table [1, positions, H]; the original computes it in float32, which costs it 5e-4 at position
    5,000, and files may hold half precision."""
    if table.dim() < 2 or table.size(-1) != hidden_size or table.numel() == 0:
        return False
    table = table.flatten(0, -2).float()  # [positions, H]
    return torch.allclose(table, sinusoidal_table(*table.shape), atol=1e-2)
