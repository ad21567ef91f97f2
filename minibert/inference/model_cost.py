"""What a BERT costs: parameters, memory, activations, floating-point operations, training hours."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from torch import nn

from minibert.config import BertConfig, InputError, check_size
from minibert.hub.shapes_only import shapes_only
from minibert.inference.checks import check_kind, check_number
from minibert.model import BertModel, BertPreTrainedModel

# The parts of a model, each with a regular expression for the beginning of its parameters' names.
# Parameters that match no other part belong to a task head.
PARTS = {
    "word embeddings": r"embeddings\.word_embeddings",
    "position embeddings": r"embeddings\.position_embeddings",
    "segment embeddings": r"embeddings\.token_type_embeddings",
    "attention: query, key, value": r"encoder\.layer\.\d+\.attention\.self",
    "attention: output": r"encoder\.layer\.\d+\.attention\.output\.dense",
    "feed-forward": r"encoder\.layer\.\d+\.(intermediate|output)\.dense",
    "norms": r"(embeddings|encoder)\..*(LayerNorm|norm)\.",
    "pooler": r"pooler",
    "heads": r"",
}

# Peak operations per second from the manufacturers' data sheets, without sparsity, in the precision
# that minibert chooses: bfloat16, or float32 for the T4, which does not support bfloat16.
GPUS = {"T4": 8.1e12, "L4": 121e12, "A100": 312e12, "H100": 989e12}


def count_parameters(
    config_or_model: BertConfig | BertPreTrainedModel,
    model_class: Callable[[BertConfig], BertPreTrainedModel] = BertModel,
) -> dict[str, int]:
    """Count the parameters of each part of a model; parts without parameters are left out.

    The counts add up to the model's size. For a config, they are those of a model of this class;
    a BertModel has no task head, and for BERT-base 109,482,240 in total. Tied tensors are counted
    once.
    """
    if not isinstance(config_or_model, BertConfig | nn.Module):
        raise InputError(
            "config_or_model must be a BertConfig or a model, not a "
            f"{type(config_or_model).__name__}"
        )
    if not callable(model_class):
        raise InputError(f"model_class must be a class, not a {type(model_class).__name__}")
    layers = 1
    if isinstance(config_or_model, BertConfig):  # one layer is enough, because all are alike
        layers = config_or_model.num_hidden_layers
        one = replace(config_or_model, num_hidden_layers=1)
        named = _names_and_sizes(one.to_json_string(), model_class)
    else:
        named = tuple((name, each.numel()) for name, each in config_or_model.named_parameters())
    counts = dict.fromkeys(PARTS, 0)
    for name, size in named:
        name = name.removeprefix("bert.")
        part = next(part for part, pattern in PARTS.items() if re.match(pattern, name))
        counts[part] += size * (layers if name.startswith("encoder.layer.") else 1)
    return {part: count for part, count in counts.items() if count}


@lru_cache(maxsize=1024)
def _names_and_sizes(
    config: str, model_class: Callable[[BertConfig], BertPreTrainedModel]
) -> tuple[tuple[str, int], ...]:
    """The parameters of a model; remembered, because a search over shapes asks often.

    The config is the text of a config.json: an object may hold a dict, which has no hash.
    """
    with shapes_only():  # allocates no memory
        model = model_class(BertConfig.from_dict(json.loads(config)))
    return tuple((name, each.numel()) for name, each in model.named_parameters())


def memory(parameters: int) -> dict[str, int]:
    """Bytes of memory for a model with this number of parameters, without activations.

    A weight takes 4 bytes in float32 and 2 in float16. Training with AdamW takes 16 bytes for each
    parameter in both cases: in float32, 4 each for the weight, the gradient and two moments; in
    mixed precision, 2 + 2 for weight and gradient, and 4 + 4 + 4 for a float32 copy of the weight
    and the two moments (Rajbhandari et al. 2019, section 3.1).
    """
    check_number("parameters", parameters, int, least=0)
    return {
        "weights float32": 4 * parameters,
        "weights float16": 2 * parameters,
        "training with AdamW": 16 * parameters,
    }


def activations(
    config: BertConfig, batch: int = 1, length: int = 128, number: int = 4, mask: int = 1
) -> dict[str, int]:
    """Bytes that a training step's forward pass stores for the backward pass, by part of the model.

    This is for a model with dropout and GELU, and without a task head. A number takes `number`
    bytes (4 in float32, 2 in half precision), and an entry of a dropout mask takes `mask` bytes (1
    on a GPU, 4 on a CPU, where PyTorch stores a float32). With B sequences of S tokens, each layer
    stores

        attention: hidden states   input, query, key, value, mixed values    5·B·S·H numbers
        attention: weights         before and after dropout, and its mask    2·B·A·S² numbers,
                                                                             B·A·S² entries
        feed-forward               input, before and after the activation    B·S·H + 2·B·S·I numbers
        norms                      inputs of both, two numbers per token     2·B·S·H + 4·B·S numbers
        dropout                    masks of both sublayers                   2·B·S·H entries

    The embeddings and the last output add two tensors of B·S·H, a norm's two numbers per token and
    one dropout mask; a pre-norm stack has one more norm. Fused attention does not store the
    attention weights. With 2-byte numbers, 1-byte masks and I = 4H, a layer takes B·S·H·(34 +
    5·A·S/H) bytes (Korthikanti et al. 2022, section 4.1), plus 8·B·S for its norms.
    """
    check_kind("config", config, BertConfig)
    for name, value in (("batch", batch), ("length", length), ("number", number)):
        check_size(name, value)
    check_number("mask", mask, int, least=0)
    layers, hidden, tokens = config.num_hidden_layers, config.hidden_size, batch * length
    pairs = config.num_attention_heads * tokens * length
    norm = tokens * (hidden + 2) * number
    return {
        "embeddings, last output": norm
        + tokens * hidden * (number + mask)
        + config.norm_first * norm,
        "attention: hidden states": layers * 5 * tokens * hidden * number,
        "attention: weights": layers * pairs * (2 * number + mask),
        "feed-forward": layers * tokens * (hidden + 2 * config.intermediate_size) * number,
        "norms": layers * 2 * norm,
        "dropout": layers * 2 * tokens * hidden * mask,
    }


def flops(
    config: BertConfig, batch: int = 1, length: int = 128, predictions: int = 0
) -> dict[str, int]:
    """Floating-point operations of a forward pass's matrix products, by part of the model.

    The product of an m × k and a k × n matrix is m·n sums of k products: 2·m·n·k operations. With
    B = `batch` sequences of S = `length` tokens, each layer has

        attention: projections   4 of S × H by H × H                         8·B·S·H²
        attention: scores, mix   per head S × D by D × S and S × S by S × D   4·B·S²·H
        feed-forward             S × H by H × I and S × I by I × H            4·B·S·H·I

    The pooler has 2·B·H², and the MLM head 2·B·M·(H² + H·V) for M = `predictions` tokens in each
    sequence. Everything else (norms, softmax, GELU) is ignored, as usual, because it grows with H
    and the products grow with H². The method is that of Kaplan et al. 2020, section 2.1. The
    backward pass needs two products for each of these, one for the gradient of each factor, so a
    training step costs three times as much as the forward pass.

    Raises an InputError if `batch` or `length` is below 1 or `predictions` is below 0.
    """
    check_kind("config", config, BertConfig)
    check_size("batch", batch)
    check_size("length", length)
    check_number("predictions", predictions, int, least=0)
    layers, hidden, tokens = config.num_hidden_layers, config.hidden_size, batch * length
    counts = {
        "attention: projections": layers * 8 * tokens * hidden**2,
        "attention: scores, mix": layers * 4 * tokens * length * hidden,
        "feed-forward": layers * 4 * tokens * hidden * config.intermediate_size,
        "pooler": 2 * batch * hidden**2,
        "masked-word head": 2 * batch * predictions * (hidden**2 + hidden * config.vocab_size),
    }
    return {part: count for part, count in counts.items() if count}


def training_flops(
    config: BertConfig, tokens: float, length: int = 128, mask_rate: float = 0.15
) -> float:
    """Floating-point operations of pretraining on this many tokens, in sequences of `length`.

    A training step costs as much as three forward passes; see `flops`. Raises an InputError if
    `tokens` is not above 0 or is more than 1e30.
    """
    check_kind("config", config, BertConfig)
    check_number("tokens", tokens)
    check_size("length", length)
    check_number("mask_rate", mask_rate, least=0)
    if mask_rate > 1:
        raise InputError(
            f"mask_rate is a share of the tokens: it must be at most 1, not {mask_rate}"
        )
    if not 0 < tokens <= 1e30:
        raise InputError(f"tokens must be above 0 and at most 1e30, not {tokens}")
    return 3 * sum(flops(config, 1, length, round(mask_rate * length)).values()) * tokens / length


def gpu_hours(operations: float, peak: float, utilisation: float) -> float:
    """Hours that one GPU needs for this many operations; divide by the number of GPUs.

    `peak` is in operations per second. `utilisation` is the share of the peak that training reaches
    (Chowdhery et al. 2022, appendix B, "model FLOPs utilization"): the operations that the model
    needs, divided by the time that they take and by the peak. No data sheet gives it, so measure
    it: `minibert pretrain` prints tokens per second.

    Raises an InputError if `utilisation` is below 1e-6 or above 1, or `peak` is not above 0.
    """
    check_number("operations", operations, least=0)
    check_number("peak", peak)
    check_number("utilisation", utilisation)
    if not peak > 0:
        raise InputError(f"peak must be above 0 operations per second, not {peak}")
    if not 1e-6 <= utilisation <= 1:
        raise InputError(
            f"utilisation is a share of the peak: it must lie between 1e-6 and 1, not {utilisation}"
        )
    return operations / (peak * utilisation) / 3600
