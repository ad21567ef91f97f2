"""The optimisers, their groups of parameters, and the learning-rate schedule."""

import math

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from minibert.config import InputError
from minibert.training.muon import Float32Muon
from minibert.training.precision import choose_precision

MOMENTUM = 0.95  # for Muon (Jordan et al. 2024)
# for AdamW; google-research/bert, optimization.py, `AdamWeightDecayOptimizer`
BETAS, EPS = (0.9, 0.999), 1e-6


def decayed(name: str) -> bool:
    """Whether weight decay applies to the parameter with this name.

    It applies to all parameters except biases and norms, as in google-research/bert,
    optimization.py. Any name that contains "norm" counts as a norm: a LayerNorm, or `encoder.norm`
    at the end of a pre-norm stack.
    """
    return not (name.endswith("bias") or "norm" in name.lower())


def make_optimizers(
    model: nn.Module,
    name: str,
    learning_rate: float,
    matrix_learning_rate: float,
    weight_decay: float,
) -> list[Optimizer]:
    """Create the optimisers: AdamW alone, or Muon for the matrices and AdamW for the rest.

    "adamw"  Loshchilov & Hutter 2017, with the parameter groups of the original BERT code, but with
             bias correction (Kingma & Ba 2014, algorithm 1), as in every later implementation.
    "muon"   Jordan et al. 2024: orthogonalises the momentum of every matrix of the encoder, the
             pooler and the MLM transform before applying it, so that all its directions learn at
             the same pace. AdamW updates embeddings, biases and norms. Its matrix products are
             bfloat16 where the hardware supports it, or else float32.

    Every parameter group has a `peak_lr`, which `set_learning_rate` multiplies by the schedule's
    factor. Raises an InputError for any other name.
    """
    if name not in ("adamw", "muon"):
        raise InputError(f"optimizer must be one of muon, adamw, not {name!r}")
    named = [
        (key, parameter) for key, parameter in model.named_parameters() if parameter.requires_grad
    ]
    matrices = {
        key
        for key, parameter in named
        if name == "muon"
        and parameter.dim() == 2
        and "embeddings" not in key
        and "seq_relationship" not in key
    }
    groups = [
        {
            "params": [
                (key, parameter)
                for key, parameter in named
                if key not in matrices and decayed(key) == decay
            ],
            "weight_decay": weight_decay if decay else 0.0,
        }
        for decay in (True, False)
    ]
    optimizers: list[Optimizer]
    fused = all(parameter.device.type in ("cpu", "cuda") for _, parameter in named)
    optimizers = [torch.optim.AdamW(groups, lr=learning_rate, betas=BETAS, eps=EPS, fused=fused)]
    if matrices:
        device = next(parameter.device for _, parameter in named)
        is_slow = choose_precision("auto", device) == torch.float32
        muon = Float32Muon if is_slow else torch.optim.Muon
        optimizers.append(
            muon(
                [(key, parameter) for key, parameter in named if key in matrices],
                lr=matrix_learning_rate,
                weight_decay=weight_decay,
                momentum=MOMENTUM,
                adjust_lr_fn="match_rms_adamw",
            )
        )
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["peak_lr"] = group["lr"]
    return optimizers


def learning_rate_schedule(step: int, steps: int, warmup: int, decay_share: float = 1.0) -> float:
    """The factor that multiplies the peak learning rate at a step, counted from 0.

    It rises linearly over `warmup` steps and falls linearly to 0 over the last `decay_share` of all
    steps. With decay_share 1, this is the schedule of the original BERT code: step / warmup, then
    1 - step / steps, which starts below 1 (google-research/bert, optimization.py,
    `create_optimizer`). With a smaller share, the rate stays at its peak in between, so a run can
    be continued from a checkpoint before the decay (Hägele et al. 2024).
    """
    if step < warmup:
        return step / warmup
    return min(1.0, (1 - step / steps) / decay_share)


def cosine_schedule(step: int, steps: int, warmup: int) -> float:
    """As `learning_rate_schedule`, but the rate falls along half a cosine.

    It falls slowly at first, fastest in the middle, and slowly towards 0 (Loshchilov & Hutter 2016,
    eq. 5, without restarts).
    """
    if step < warmup:
        return step / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))


def set_learning_rate(optimizers: list[Optimizer], factor: float) -> None:
    """Set every group's learning rate to `factor` times its peak."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group["peak_lr"] * factor


def update(optimizers: list[Optimizer], clip: float) -> Tensor:
    """Update all weights once and clear their gradients.

    Gradients whose total norm is larger than `clip` are scaled down to that norm first (Pascanu et
    al. 2013, algorithm 1). Returns the norm before clipping.
    """
    parameters = [
        parameter
        for optimizer in optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    ]
    norm = nn.utils.clip_grad_norm_(parameters, clip)
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
    return norm
