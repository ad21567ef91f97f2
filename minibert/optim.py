"""What moves the weights in pretraining: the optimisers, their groups of parameters, and the learning rate's course."""

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

MOMENTUM = 0.95             # of Muon (Jordan et al. 2024)
BETAS, EPS = (0.9, 0.999), 1e-6     # of AdamW; google-research/bert, optimization.py, `AdamWeightDecayOptimizer`


def decayed(name: str) -> bool:
    """Whether weight decay pulls at a parameter: all but biases and norms (google-research/bert, optimization.py).

    What has "norm" anywhere in its name is a norm's: LayerNorm, the closing `encoder.norm` of a pre-norm stack, with or without
    a model around it.
    """
    return not (name.endswith("bias") or "norm" in name.lower())


def make_optimizers(model: nn.Module, name: str, learning_rate: float, matrix_learning_rate: float, weight_decay: float) -> list[Optimizer]:
    """The optimisers of a run: AdamW on everything, or Muon on the matrices inside and AdamW on the rest.

    "adamw"  Loshchilov & Hutter 2017 with the groups of the original program. Unlike it, with bias correction
             (Kingma & Ba 2014, algorithm 1), as every later implementation.
    "muon"   Jordan et al. 2024: the momentum of every matrix of the encoder, the pooler and the masked-word transform is
             made orthogonal before it is applied, so that all its directions learn at the same pace. Word, position and
             segment tables, biases and norms stay with AdamW.

    Every group carries `peak_lr`, which `set_learning_rate` multiplies by the schedule's factor. Raises a ValueError for another name.
    """
    if name not in ("adamw", "muon"):
        raise ValueError(f"optimizer must be one of muon, adamw, not {name!r}")
    named = [(key, parameter) for key, parameter in model.named_parameters() if parameter.requires_grad]
    matrices = {key for key, parameter in named if name == "muon" and parameter.dim() == 2
                and "embeddings" not in key and "seq_relationship" not in key}
    groups = [{"params": [(key, parameter) for key, parameter in named if key not in matrices and decayed(key) == decay],
               "weight_decay": weight_decay if decay else 0.0} for decay in (True, False)]
    fused = all(parameter.device.type in ("cpu", "cuda") for _, parameter in named)
    optimizers = [torch.optim.AdamW(groups, lr=learning_rate, betas=BETAS, eps=EPS, fused=fused)]
    if matrices:
        if not hasattr(torch.optim, "Muon"):
            raise ValueError(f"optimizer 'muon' needs PyTorch 2.9 or later; this is {torch.__version__}. Use optimizer 'adamw'")
        optimizers.append(torch.optim.Muon([(key, parameter) for key, parameter in named if key in matrices], lr=matrix_learning_rate,
                                           weight_decay=weight_decay, momentum=MOMENTUM, adjust_lr_fn="match_rms_adamw"))
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["peak_lr"] = group["lr"]
    return optimizers


def schedule(step: int, steps: int, warmup: int, decay_share: float = 1.0) -> float:
    """The factor on the peak learning rate at a step, counted from 0.

    Up in a line over `warmup` steps, down in a line to 0 over the last `decay_share` of all steps. With decay_share 1 this
    is the original's: step / warmup first, then 1 - step / steps, which begins below 1 (google-research/bert,
    optimization.py, `create_optimizer`). A smaller share keeps the peak in between, so that a run can be carried on
    from before its decline (Hägele et al. 2024).
    """
    if step < warmup:
        return step / warmup
    return min(1.0, (1 - step / steps) / decay_share)


def set_learning_rate(optimizers: list[Optimizer], factor: float) -> None:
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group["peak_lr"] * factor


def update(optimizers: list[Optimizer], clip: float) -> Tensor:
    """One update of all weights by their gradients, which are then cleared; returns the norm that they had together.

    Beyond the norm `clip` all gradients are made smaller by the same factor (Pascanu et al. 2013, algorithm 1).
    """
    parameters = [parameter for optimizer in optimizers for group in optimizer.param_groups for parameter in group["params"]]
    norm = nn.utils.clip_grad_norm_(parameters, clip)
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
    return norm
