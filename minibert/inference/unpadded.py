"""Inference on a CPU without computing anything for padding.

A batch is padded to its longest text, and a padded position costs as much as a token. Here only the
real tokens of a batch go through the model, laid end to end as T rows of one matrix. All parts of
BERT but attention treat every token on its own, so they take these rows as they are; attention runs
once for all texts of the same length, which needs no mask.

The parts and their weights are those of the BertModel, called as they are: nothing is copied. The
result differs from the padded one by rounding only (below 1e-6 in a vector of length 1), since the
matrix products of PyTorch sum in another order for another number of rows.

A GPU is faster with few large operations: there batches of similar lengths are padded as usual.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert import attention, embeddings, encoder, model, positions
from minibert.attention import BertAttention, BertSelfAttention, BertSelfOutput
from minibert.embeddings import BertEmbeddings, check_inputs
from minibert.encoder import BertEncoder, BertIntermediate, BertLayer, BertOutput
from minibert.model import BertModel, BertOutputs, BertPooler
from minibert.positions import SinusoidalPositions

# Tokens that go through the model at once. On a CPU: enough for an efficient matrix product, few
# enough that what a layer computes stays in the processor's cache. A GPU needs more to be busy.
TOKEN_BUDGET, GPU_TOKEN_BUDGET = 1024, 16_384

# What a BertModel is made of. Their forward functions are remembered: a reader may replace one.
KNOWN: dict[type[nn.Module], Callable[..., Any]] = {
    kind: kind.forward
    for kind in (
        *(BertModel, BertEmbeddings, BertEncoder, BertLayer, BertAttention, BertSelfAttention),
        *(BertSelfOutput, BertIntermediate, BertOutput, BertPooler, SinusoidalPositions),
        *(nn.Linear, nn.Embedding, nn.LayerNorm, nn.Dropout, nn.ModuleList),
    )
}


def _code() -> list[CodeType]:
    """The code of every function and method in the modules that a BertModel is made of."""
    owners: list[Any] = [attention, embeddings, encoder, model, positions]
    owners += [kind for kind in KNOWN if kind.__module__.startswith("minibert.")]
    return [
        member.__code__
        for owner in owners
        for member in vars(owner).values()
        if inspect.isfunction(member)
    ]


CODE = _code()  # compared with `_code()` later: a reader may change a function as well
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
GLOBAL_HOOKS = tuple(f"_global{hooks}" for hooks in HOOKS)  # on all modules of a process


def batches_by_tokens(
    lengths: Sequence[int], most_texts: int | None = None, budget: int = TOKEN_BUDGET
) -> list[list[int]]:
    """The numbers of all texts in batches, from the shortest text to the longest.

    lengths      tokens of each text
    most_texts   how many texts a batch may have; None: as many as fit
    budget       how many tokens a batch may have with its padding; a longer text is a batch alone
    """
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        last = batches[-1] if batches else []
        fits = (len(last) + 1) * lengths[number] <= budget
        if last and fits and (most_texts is None or len(last) < most_texts):
            last.append(number)
        else:
            batches.append([number])
    return batches


def token_budget(device: torch.device) -> int:
    """How many tokens a batch on a device may have, padding included."""
    return TOKEN_BUDGET if device.type == "cpu" else GPU_TOKEN_BUDGET


class UnpaddedBert(nn.Module):
    """A BertModel that leaves padding out, with the same arguments and outputs.

    Padded positions of the last hidden state are 0. With `only_first` the last layer is computed
    for the first token of each text alone, and the last hidden state is (B × 1 × H): all that a
    pooler reads.

    A call that it was not made for goes to the BertModel itself: in training mode, with gradients,
    with padding that is not on the right, or for attention weights and hidden states.
    """

    def __init__(self, bert: BertModel, only_first: bool = False) -> None:
        super().__init__()
        self.bert, self.config, self.only_first = bert, bert.config, only_first
        self.training = bert.training

    def forward(
        self,
        input_ids: Tensor | None = None,
        *,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
    ) -> BertOutputs:
        """As BertModel."""
        unusual = output_attentions or output_hidden_states or torch.is_grad_enabled()
        if unusual or self.bert.training or position_ids is not None or inputs_embeds is not None:
            lengths = None
        else:
            lengths = _lengths(input_ids, attention_mask)  # [B]
        if lengths is None or input_ids is None:
            outputs: BertOutputs = self.bert(
                input_ids,
                token_type_ids=token_type_ids,
                attention_mask=attention_mask,
                position_ids=position_ids,
                inputs_embeds=inputs_embeds,
                output_attentions=output_attentions,
                output_hidden_states=output_hidden_states,
            )
            return outputs
        check_inputs(self.config, input_ids, token_type_ids)
        batch, length = input_ids.shape
        rows = lengths.argsort(stable=True)  # [B], from the shortest text to the longest
        columns = torch.arange(length, device=input_ids.device)  # [S]
        places = (rows[:, None] * length + columns)[columns < lengths[rows, None]]  # [T]
        with torch.inference_mode():
            hidden = self._hidden(input_ids, token_type_ids, places, lengths[rows])  # [T or B, H]
        if self.only_first:
            places, length = rows, 1
        flat = hidden.new_zeros(batch * length, hidden.size(-1))  # [B · S, H] or [B, H]
        flat.index_copy_(0, places, hidden)
        last = flat.unflatten(0, (batch, length))  # [B, S or 1, H]
        pooler = self.bert.pooler
        return BertOutputs(last, pooler(last) if pooler is not None else None)

    def _hidden(
        self, input_ids: Tensor, token_type_ids: Tensor | None, places: Tensor, lengths: Tensor
    ) -> Tensor:
        """The last hidden states of the tokens at `places` [T], or of the first of each text.

        lengths [B] of the texts, in rising order; the tokens of a text follow one another.
        """
        segments = None if token_type_ids is None else token_type_ids.flatten()[None, places]
        hidden = self.bert.embeddings(
            input_ids.flatten()[None, places],
            token_type_ids=segments,
            position_ids=(places % input_ids.size(1))[None],
        )[0]  # [T, H]
        groups = [
            (int(count), int(length))
            for length, count in zip(*lengths.unique_consecutive(return_counts=True), strict=True)
        ]
        *layers, last = self.bert.encoder.layer
        for layer in layers:
            hidden = _layer(layer, hidden, groups)  # [T, H]
        first = lengths.cumsum(0) - lengths if self.only_first else None  # [B]
        hidden = _layer(last, hidden, groups, first)  # [T or B, H]
        return self.bert.encoder.norm(hidden) if self.config.norm_first else hidden


@contextmanager
def without_padding(model: nn.Module, only_first: bool = False) -> Iterator[nn.Module]:
    """Within it `model`, which has a BertModel as its `bert`, leaves padding out.

    It changes nothing where `is_plain` says that the BertModel was altered, or is not on a CPU.
    """
    bert = getattr(model, "bert", None)
    if not isinstance(bert, BertModel) or not is_plain(bert):
        yield model
        return
    model.bert = UnpaddedBert(bert, only_first)
    try:
        yield model
    finally:
        model.bert = bert


def is_plain(model: nn.Module) -> bool:
    """Whether this is a BertModel as the package makes it, on a CPU.

    It is not with a hook, such as `ablate_heads` sets, a part of another class (a reader's own,
    LoRA, quantization), a function or method that was replaced or changed, or a parametrization.
    """
    return (
        type(model) is BertModel
        and _code() == CODE
        and not any(getattr(nn.modules.module, hooks, None) for hooks in GLOBAL_HOOKS)
        and all(
            KNOWN.get(type(module)) is not None
            and type(module).forward is KNOWN[type(module)]
            and not any(callable(getattr(type(module), name, None)) for name in vars(module))
            and not any(getattr(module, hooks, None) for hooks in HOOKS)
            and all(parameter.is_cpu for parameter in module.parameters(recurse=False))
            for module in model.modules()
        )
    )


def _lengths(input_ids: Tensor | None, attention_mask: Tensor | None) -> Tensor | None:
    """The tokens of each text (B); None where padding is not on the right, or a text is empty."""
    if input_ids is None or input_ids.dim() != 2 or input_ids.numel() == 0:
        return None
    if attention_mask is None:
        return input_ids.new_full((len(input_ids),), input_ids.size(1), dtype=torch.long)  # [B]
    if attention_mask.shape != input_ids.shape or attention_mask.dtype.is_floating_point:
        return None
    lengths = attention_mask.bool().sum(dim=1)  # [B]
    right = torch.arange(input_ids.size(1), device=lengths.device) < lengths[:, None]  # [B, S]
    is_usual = lengths.min() > 0 and torch.equal(right.to(attention_mask), attention_mask)
    return lengths if is_usual else None


def _layer(
    layer: nn.Module, hidden: Tensor, groups: list[tuple[int, int]], first: Tensor | None = None
) -> Tensor:
    """One layer for texts laid end to end, hidden [T, H].

    Returns (T × H); or (B × H) with `first` (B), the rows of the texts' first tokens.
    """
    assert isinstance(layer, BertLayer)
    attention, this = layer.attention, layer.attention.self
    inner = attention.output.LayerNorm(hidden) if layer.norm_first else hidden  # [T, H]
    key, value = this.key(inner), this.value(inner)  # [T, H] each
    if first is not None:
        inner, hidden = inner[first], hidden[first]  # [B, H] each
    query = this.query(inner)  # [T or B, H]
    mixed, at, asked = [], 0, 0
    for count, length in groups:
        asking = length if first is None else 1
        parts = [
            rows.unflatten(0, (count, -1)).unflatten(-1, (this.num_heads, -1)).transpose(1, 2)
            for rows in (
                query[asked : asked + count * asking],
                key[at : at + count * length],
                value[at : at + count * length],
            )
        ]
        found = F.scaled_dot_product_attention(*parts)
        mixed.append(found.transpose(1, 2).flatten(0, 1).flatten(1))
        at, asked = at + count * length, asked + count * asking
    hidden = attention.output(torch.cat(mixed), hidden)  # [T or B, H]
    inner = layer.output.LayerNorm(hidden) if layer.norm_first else hidden  # [T or B, H]
    wide = layer.intermediate(inner)  # [T or B, I]
    result: Tensor = layer.output(wide, hidden)  # [T or B, H]
    return result
