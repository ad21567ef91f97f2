"""What a BERT costs: parameters by part, bytes of memory, activations, floating-point operations of
a pass, hours of training.
"""

import re

import torch

from minibert.config import BertConfig, InputError
from minibert.model import BertModel, BertPreTrainedModel

# Parts of a model by how the names of its parameters begin; what matches none of them belongs to a
# task head.
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

# Peak operations a second of GPUs in the precision that minibert chooses there, from their makers'
# data sheets, without sparsity: bfloat16, but for the T4, which has none and computes in float32.
GPUS = {"T4": 8.1e12, "L4": 121e12, "A100": 312e12, "H100": 989e12}


def count_parameters(config_or_model: BertConfig | BertPreTrainedModel) -> dict[str, int]:
    """Parameters by part, in the order of the model, parts without any left out.

    The sum is the size of the model.

    A config stands for its bare BertModel: 109,482,240 for BERT-base. A tied tensor counts once.
    """
    model = config_or_model
    if isinstance(model, BertConfig):
        with torch.device("meta"):  # shapes without memory
            model = BertModel(model)
    counts = dict.fromkeys(PARTS, 0)
    for name, parameter in model.named_parameters():
        part = next(
            part for part, pattern in PARTS.items() if re.match(pattern, name.removeprefix("bert."))
        )
        counts[part] += parameter.numel()
    return {part: count for part, count in counts.items() if count}


def memory(parameters: int) -> dict[str, int]:
    """Bytes that a model of so many parameters holds; the activations of a pass come on top.

    Weights are 4 bytes each in float32, 2 in float16. Training with AdamW holds 16 bytes for each
    in both cases: float32 weight, gradient and two moments are 4 x 4; mixed precision is 2 + 2 for
    weight and gradient, and 4 + 4 + 4 for a float32 copy of the weight and the two moments
    (Rajbhandari et al. 2019, section 3.1).
    """
    return {
        "weights float32": 4 * parameters,
        "weights float16": 2 * parameters,
        "training with AdamW": 16 * parameters,
    }


def activations(
    config: BertConfig, batch: int = 1, length: int = 128, number: int = 4, mask: int = 1
) -> dict[str, int]:
    """Bytes that the forward pass of a training step keeps for the backward pass, by part, with
    dropout and GELU, without a head.

    A number takes `number` bytes (4 in float32, 2 in half precision), an entry of a dropout mask
    `mask` (1 on a GPU; PyTorch keeps a float32 on a processor). With B rows of S tokens, each layer
    keeps

        attention: hidden states   input, query, key, value, mixed values    5·B·S·H numbers
        attention: weights         before and after dropout, and its mask    2·B·A·S² numbers,
                                                                             B·A·S² entries
        feed-forward               input, before and after the activation    B·S·H + 2·B·S·I numbers
        norms                      inputs of both, two numbers a token       2·B·S·H + 4·B·S numbers
        dropout                    masks of both sublayers                   2·B·S·H entries

    and the embeddings and the last output add two tensors of B·S·H, a norm's two numbers a token
    and one mask; a pre-norm stack has one more norm. The weights are what fused attention does not
    keep. With H-wide masks of one byte, numbers of two and I = 4H a layer comes to B·S·H·(34 +
    5·A·S/H) (Korthikanti et al. 2022, section 4.1), and 8·B·S for its norms.
    """
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
    """Floating-point operations of the matrix products of a forward pass, by part, for `batch` rows
    of `length` tokens.

    A product of an m × k and a k × n matrix is m·n sums of k products: 2·m·n·k operations. With B
    rows of S tokens, each layer has

        attention: projections   4 of S × H by H × H                         8·B·S·H²
        attention: scores, mix   per head S × D by D × S and S × S by S × D   4·B·S²·H
        feed-forward             S × H by H × I and S × I by I × H            4·B·S·H·I

    the pooler has 2·B·H², and the masked-word head 2·B·M·(H² + H·V) for M = `predictions` words in
    a row. Everything else (norms, softmax, GELU) is left out, as is usual: it grows with H where
    these grow with H². Source of the counting: Kaplan et al. 2020, section 2.1. A backward pass
    needs two products for each of these, one for the gradient of either factor, so a training step
    costs three times the forward pass.

    Raises a ValueError for a batch or length below 1, or fewer than 0 predictions.
    """
    if batch < 1 or length < 1 or predictions < 0:
        raise InputError(
            f"batch {batch} and length {length} must be at least 1, predictions "
            f"{predictions} at least 0"
        )
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
    """Floating-point operations of pretraining on so many tokens, in rows of `length`.

    Three forward passes a token, see `flops`.
    """
    if not tokens > 0:
        raise InputError(f"tokens must be above 0, not {tokens}")
    return 3 * sum(flops(config, 1, length, round(mask_rate * length)).values()) * tokens / length


def gpu_hours(operations: float, peak: float, utilisation: float) -> float:
    """Hours of one processor with a `peak` of operations a second of which training uses a share.

    Divide by how many there are.

    `utilisation` is what no data sheet says (Chowdhery et al. 2022, appendix B, "model FLOPs
    utilization"): the operations that the model needs, by the time that they took, as a share of
    the peak. Measure it: `minibert pretrain` prints tokens a second.
    """
    if not 0 < utilisation <= 1:
        raise InputError(
            f"utilisation is a share of the peak: it must lie between 0 and 1, not {utilisation}"
        )
    return operations / (peak * utilisation) / 3600
