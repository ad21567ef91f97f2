"""A look inside a trained BERT: its hidden states, its attention, and what is lost without a head.

None of this changes a model, and all of it works on an untrained one: show what you find beside
that control. Probes, which read labels off hidden states, are in `minibert.inference.probes`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import InputError
from minibert.inference.sentence_embeddings import mean_pool
from minibert.model import BertModel, BertPreTrainedModel, bert_of, evaluating
from minibert.tokenization import Batch, WordPieceTokenizer

BATCH = 32  # texts that go through the model at once


# -- hidden states and attention -------------------------------------------------------------------


@dataclass
class Capture:
    """What a model held while it read B texts, on the CPU.

    S is the longest of them, padding stands on the right.
    """

    tokens: list[list[str]]  # B lists, [CLS] and [SEP] among them, without padding
    hidden_states: Tensor  # [L + 1, B, S, H]: the embeddings, then every layer's output
    attentions: (
        Tensor | None
    )  # [L, B, A, S, S]: how much a token (row) takes from each (column); None where not asked for
    attention_mask: Tensor  # [B, S], 1 = a token, 0 = padding


@torch.no_grad()
def capture(
    model: BertPreTrainedModel,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    pairs: Sequence[str] | None = None,
    attentions: bool = True,
) -> Capture:
    """Read texts, or pairs of them, with a BertModel or any model that has one as `.bert`, and keep
    what it held.

    Longer texts are cut at the model's max_position_embeddings. The model is put into eval mode and
    back. Attentions take 4·L·B·A·S² bytes: leave them out for many texts.

    Errors: a ValueError for a text that is not in a list, an empty list, or another number of
    pairs.
    """
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of texts, not {texts!r}")
    bert = bert_of(model)
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
    """How much of every input token has flowed into each position by each layer, if attention were
    all that mixes them.

    Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3 and equation 1,
    heads averaged:

        A_l = 0.5·W_l + 0.5·I        R_1 = A_1        R_l = A_l R_(l-1)

    The identity stands for the residual connection; `residual` is its share, 0.5 as published. It
    is a model of the model: values, norms and the feed-forward are left out.

    attentions [L, B, A, S, S] or L times [B, A, S, S]; attention_mask [B, S] with 1 = a token
    -> [L, B, S, S], the last of them is the whole encoder's. Rows of tokens sum to 1; rows and
    columns of padding are 0.

    Errors: a ValueError for other shapes, or a residual that is no share.
    """
    attentions = torch.stack(list(attentions)) if not isinstance(attentions, Tensor) else attentions
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
    """Within it, what these heads found never reaches the rest of the model.

    Use it as `with ablate_heads(model, {0: [1, 2]}): …`

    A head's output, before the map that mixes the heads, is zero (Michel et al. 2019, "Are Sixteen
    Heads Really Better than One?": their mask ξ_h = 0), or its row of `instead` [L, A, D], such as
    `head_means` gives. Weights are not touched; after it, also after an exception, the model is
    what it was. May be nested.

    heads   numbers of heads for the number of their layer, both counted from 0
    Errors: a ValueError for a layer or head that is not there, or means of another shape.
    """
    bert = bert_of(model)
    layers, count, size = (
        bert.config.num_hidden_layers,
        bert.config.num_attention_heads,
        bert.config.head_size,
    )
    for layer, chosen in heads.items():
        if layer not in range(layers):
            raise InputError(
                f"there is no layer {layer!r}: the model's layers are 0 to {layers - 1}"
            )
        if isinstance(chosen, int):
            raise InputError(f"heads of layer {layer} must be a list of numbers, not {chosen!r}")
        if wrong := [head for head in chosen if head not in range(count)]:
            raise InputError(
                f"there is no head {wrong[0]!r} in layer {layer}: its heads are 0 to {count - 1}"
            )
    instead = torch.zeros(layers, count, size) if instead is None else instead  # [L, A, D]
    if list(instead.shape) != [layers, count, size]:
        raise InputError(
            f"instead must have the shape {[layers, count, size]}, not {list(instead.shape)}"
        )
    with ExitStack() as stack:
        for layer, chosen in heads.items():
            gone = torch.zeros(count, 1, dtype=torch.bool)  # [A, 1]
            gone[list(chosen)] = True

            def replace(
                module: nn.Module,
                inputs: tuple[Tensor],
                gone: Tensor = gone,
                other: Tensor = instead[layer],
            ) -> Tensor:
                mixed = inputs[0].unflatten(-1, (count, size))  # [B, S, A, D]
                return torch.where(gone.to(mixed.device), other.to(mixed), mixed).flatten(
                    -2
                )  # [B, S, H]

            handle = dense_maps(bert)[layer].register_forward_pre_hook(replace)
            stack.callback(handle.remove)
        yield model


def head_means(
    model: BertPreTrainedModel, tokenizer: WordPieceTokenizer, texts: Sequence[str]
) -> Tensor:
    """The mean output of every head over all tokens of some texts: [L, A, D], for `ablate_heads`.

    A zero may be an output that the next layer has never seen; the mean says nothing about the
    text, and is one that it has.
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
    """Of every layer, the linear map that mixes the heads: what it takes in is their output."""
    maps = [layer.get_submodule("attention.output.dense") for layer in bert.encoder.layer]
    return [module for module in maps if isinstance(module, nn.Linear)]
