"""A look inside a trained BERT: hidden states, attention weights, and ablated heads.

None of these functions changes a model. They also work on an untrained model: compare with one
before you conclude that training is responsible for something. Probes, which predict labels from
hidden states, are in `minibert.inference.probes`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import InputError
from minibert.hub.tokenizer_files import check_switches, list_of_texts
from minibert.inference.checks import check_kind, check_tokenizer
from minibert.inference.sentence_embeddings import mean_pool
from minibert.model import BertModel, BertPreTrainedModel, bert_of, evaluating
from minibert.tokenization import Batch, WordPieceTokenizer

BATCH = 32  # texts that go through the model at once


# -- hidden states and attention -------------------------------------------------------------------


@dataclass
class Capture:
    """Hidden states and attention weights of a model for B texts, on the CPU.

    S is the length of the longest text; shorter ones are padded on the right.
    """

    tokens: list[list[str]]  # B lists, including [CLS] and [SEP], without padding
    hidden_states: Tensor  # [L + 1, B, S, H]: the embeddings, then the output of every layer
    attentions: (
        Tensor | None
    )  # [L, B, A, S, S]: weights of each token (row) on all tokens (columns); None if left out
    attention_mask: Tensor  # [B, S], 1 = a token, 0 = padding


@torch.no_grad()
def capture(
    model: BertPreTrainedModel,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    pairs: Sequence[str] | None = None,
    attentions: bool = True,
) -> Capture:
    """Run a model on texts, or pairs of texts, and return its hidden states and attention weights.

    The model is a BertModel, or any model that has one as `.bert`; it runs in eval mode. Texts are
    truncated to the model's max_position_embeddings. Attention weights take 4·L·B·A·S² bytes, so
    set `attentions` to False for many texts.

    Raises an InputError if `texts` is a string or empty, or has another length than `pairs`.
    """
    texts = list_of_texts("texts", texts)
    pairs = None if pairs is None else list_of_texts("pairs", pairs)
    check_switches(attentions=attentions)
    bert = bert_of(model)
    check_tokenizer(tokenizer, bert)
    batch = tokenizer(texts, pairs, max_length=bert.config.max_position_embeddings)
    states, weights = [], []
    with evaluating(model):
        for start in range(0, len(batch["input_ids"]), BATCH):
            part = Batch({name: tensor[start : start + BATCH] for name, tensor in batch.items()})
            out = bert(
                **part.to(bert.device), output_attentions=attentions, output_hidden_states=True
            )
            states.append(torch.stack(out.hidden_states).cpu())  # [L + 1, BATCH, S, H]
            if attentions:
                weights.append(torch.stack(out.attentions).cpu())  # [L, BATCH, A, S, S]
    tokens = [
        [tokenizer.id_to_token(i) for i in ids[mask.bool()].tolist()]
        for ids, mask in zip(batch["input_ids"], batch["attention_mask"], strict=True)
    ]
    return Capture(
        tokens,
        torch.cat(states, dim=1),
        torch.cat(weights, dim=1) if attentions else None,
        batch["attention_mask"],
    )


def rollout(
    attentions: Tensor | Sequence[Tensor],
    attention_mask: Tensor | None = None,
    residual: float = 0.5,
) -> Tensor:
    """Attention rollout: how much each position depends on every input token, layer by layer.

    Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3 and equation 1,
    heads averaged:

        A_l = 0.5·W_l + 0.5·I        R_1 = A_1        R_l = A_l R_(l-1)

    The identity represents the residual connection; `residual` is its share, 0.5 in the paper. This
    is an approximation, because it ignores the values, the norms and the feed-forward networks.

    attentions [L, B, A, S, S] or L times [B, A, S, S]; attention_mask [B, S] with 1 = a token
    -> [L, B, S, S], the last of which belongs to the whole encoder. Rows of tokens sum to 1; rows
    and columns of padding are 0.

    Raises an InputError for other shapes, or if `residual` is not between 0 and 1.
    """
    if not isinstance(attentions, Tensor):
        layers = list(attentions)
        if len({layer.shape for layer in layers}) != 1:
            raise InputError("attentions must be at least one layer, all of the same shape")
        attentions = torch.stack(layers)  # [L, B, A, S, S]
    if attentions.dim() != 5 or attentions.size(-1) != attentions.size(-2):
        raise InputError(
            "attentions must have the shape [layers, batch, heads, tokens, tokens], not "
            f"{list(attentions.shape)}"
        )
    if not 0 <= residual <= 1:
        raise InputError(
            "residual is the share of the residual connection: it must lie between 0 and "
            f"1, not {residual!r}"
        )
    shape = [attentions.size(1), attentions.size(-1)]
    real = (
        torch.ones(shape, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    )  # [B, S]
    if list(real.shape) != shape:
        raise InputError(f"attention_mask must have the shape {shape}, not {list(real.shape)}")
    both = (real[:, :, None] & real[:, None, :]).to(attentions)  # [B, S, S]
    mixed = (1 - residual) * attentions.mean(dim=2) + residual * torch.eye(shape[1]).to(
        attentions
    )  # [L, B, S, S]
    mixed = F.normalize(mixed * both, p=1, dim=-1)  # [L, B, S, S], rows sum to 1, or are 0
    rolled = [mixed[0]]
    for layer in mixed[1:]:
        rolled.append(layer @ rolled[-1])  # [B, S, S]
    return torch.stack(rolled)  # [L, B, S, S]


# -- heads -----------------------------------------------------------------------------------------


@contextmanager
def ablate_heads(
    model: BertPreTrainedModel, heads: Mapping[int, Sequence[int]], instead: Tensor | None = None
) -> Iterator[BertPreTrainedModel]:
    """Replace the output of some heads by zeros or means, within a `with` statement.

    For example: `with ablate_heads(model, {0: [1, 2]}): …`

    A head's output, before the output projection, becomes zero (Michel et al. 2019, "Are Sixteen
    Heads Really Better than One?": their mask ξ_h = 0) or its vector in `instead` [L, A, D], such
    as its mean from `head_means`. The weights are not changed, and afterwards the model works as
    before, even after an exception. These contexts may be nested.

    heads   a list of head numbers for each layer number, both counted from 0

    Raises an InputError for a layer or head that does not exist, or another shape of `instead`.
    """
    bert = bert_of(model)
    layers, count, size = (
        bert.config.num_hidden_layers,
        bert.config.num_attention_heads,
        bert.config.head_size,
    )
    check_kind("heads", heads, Mapping)
    chosen: Any
    for layer, chosen in heads.items():
        if layer not in range(layers):
            raise InputError(
                f"there is no layer {layer!r}: this model has layers 0 to {layers - 1}"
            )
        if not isinstance(chosen, Iterable) or isinstance(chosen, str | Tensor):
            raise InputError(f"heads of layer {layer} must be a list of numbers, not {chosen!r}")
        if wrong := [head for head in chosen if head not in range(count) or type(head) is not int]:
            raise InputError(
                f"there is no head {wrong[0]!r} in layer {layer}: it has heads 0 to {count - 1}"
            )
    instead = torch.zeros(layers, count, size) if instead is None else instead  # [L, A, D]
    check_kind("instead", instead, Tensor)
    if list(instead.shape) != [layers, count, size]:
        raise InputError(
            f"instead must have the shape {[layers, count, size]}, not {list(instead.shape)}"
        )
    with ExitStack() as stack:
        for layer, chosen in heads.items():
            ablated = torch.zeros(count, 1, dtype=torch.bool)  # [A, 1]
            ablated[list(chosen)] = True

            def replace(
                module: nn.Module,
                inputs: tuple[Tensor],
                ablated: Tensor = ablated,
                replacement: Tensor = instead[layer],
            ) -> Tensor:
                outputs = inputs[0].unflatten(-1, (count, size))  # [B, S, A, D]
                replaced = torch.where(
                    ablated.to(outputs.device), replacement.to(outputs), outputs
                )  # [B, S, A, D]
                return replaced.flatten(-2)  # [B, S, H]

            handle = dense_maps(bert)[layer].register_forward_pre_hook(replace)
            stack.callback(handle.remove)
        yield model


def head_means(
    model: BertPreTrainedModel, tokenizer: WordPieceTokenizer, texts: Sequence[str]
) -> Tensor:
    """The mean output of every head over all tokens of some texts: [L, A, D], for `ablate_heads`.

    Like zeros, the mean carries no information about the text. But zeros may lie far from anything
    that the rest of the model saw in training, whereas the mean is a typical output.
    """
    bert = bert_of(model)
    outputs: list[list[Tensor]] = [[] for _ in bert.encoder.layer]
    with ExitStack() as stack:
        for found, dense in zip(outputs, dense_maps(bert), strict=True):
            handle = dense.register_forward_pre_hook(
                lambda module, inputs, found=found: found.append(inputs[0].cpu())
            )
            stack.callback(handle.remove)
        mask = capture(model, tokenizer, texts, attentions=False).attention_mask  # [B, S]
    mixed = torch.stack([torch.cat(found) for found in outputs])  # [L, B, S, H]
    means = mean_pool(mixed.flatten(1, 2), mask.flatten().expand(len(mixed), -1))  # [L, H]
    return means.unflatten(-1, (bert.config.num_attention_heads, -1))  # [L, A, D]


def dense_maps(bert: BertModel) -> list[nn.Linear]:
    """The output projection of attention in every layer; its input is the heads' outputs."""
    check_kind("bert", bert, BertModel)
    maps = [layer.get_submodule("attention.output.dense") for layer in bert.encoder.layer]
    return [module for module in maps if isinstance(module, nn.Linear)]
