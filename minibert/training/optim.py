"""The optimisers, their groups of parameters, and the learning-rate schedule."""

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from minibert.config import InputError

MOMENTUM = 0.95  # of Muon (Jordan et al. 2024)
# of AdamW; google-research/bert, optimization.py, `AdamWeightDecayOptimizer`
BETAS, EPS = (0.9, 0.999), 1e-6


def decayed(name: str) -> bool:
    """Whether weight decay applies to a parameter: to all but biases and norms.

    This follows google-research/bert, optimization.py. A name with "norm" anywhere in it belongs to
    a norm: a LayerNorm, or `encoder.norm` at the end of a pre-norm stack.
    """
    return not (name.endswith("bias") or "norm" in name.lower())


def make_optimizers(
    model: nn.Module,
    name: str,
    learning_rate: float,
    matrix_learning_rate: float,
    weight_decay: float,
) -> list[Optimizer]:
    """The optimisers of a run: AdamW on everything, or Muon on the matrices and AdamW on the rest.

    "adamw"  Loshchilov & Hutter 2017, with the parameter groups of the original program. Unlike it,
             with bias correction (Kingma & Ba 2014, algorithm 1), as in every later implementation.
    "muon"   Jordan et al. 2024: the momentum of every matrix of the encoder, the pooler and the MLM
             transform is made orthogonal before it is applied, so that all its directions learn at
             the same pace. Embeddings, biases and norms stay with AdamW.

    Every group has a `peak_lr`, which `set_learning_rate` multiplies by the schedule's factor.
    Raises an InputError for another name, and for "muon" where PyTorch has no Muon.
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
        if not hasattr(torch.optim, "Muon"):
            raise InputError(
                f"optimizer 'muon' needs PyTorch 2.9 or later; this is {torch.__version__}. "
                "Use optimizer 'adamw'"
            )
        optimizers.append(
            torch.optim.Muon(
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
    """The factor on the peak learning rate at a step, counted from 0.

    It rises linearly over `warmup` steps and falls linearly to 0 over the last `decay_share` of all
    steps. With decay_share 1 this is the original: step / warmup first, then 1 - step / steps,
    which begins below 1 (google-research/bert, optimization.py, `create_optimizer`). A smaller
    share holds the peak in between, so that a run can be continued from before its decay
    (Hägele et al. 2024).
    """
    if step < warmup:
        return step / warmup
    return min(1.0, (1 - step / steps) / decay_share)


def set_learning_rate(optimizers: list[Optimizer], factor: float) -> None:
    """Set every group's learning rate to `factor` times its peak."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group["peak_lr"] * factor


def update(optimizers: list[Optimizer], clip: float) -> Tensor:
    """One update of all weights by their gradients, which are then cleared.

    Returns the norm of all gradients together. Where it is larger than `clip`, all gradients are
    scaled down to that norm (Pascanu et al. 2013, algorithm 1).
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
