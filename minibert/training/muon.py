"""Muon for processors that have no bfloat16 instructions."""

import math

import torch
from torch import Tensor


class Float32Muon(torch.optim.Muon):
    """`torch.optim.Muon` with its matrix products in float32.

    PyTorch's own class computes them in bfloat16. On a processor without such instructions that
    makes a training step of minibert-small about fifty times as long. The update rule is the same
    (Jordan et al. 2024), with the learning rate scaled as by `adjust_lr_fn="match_rms_adamw"`, and
    so is the state that a checkpoint stores.
    """

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Update every matrix that has a gradient. There is no `closure` that computes it anew."""
        for group in self.param_groups:
            momentum = group["momentum"]
            for matrix in (matrix for matrix in group["params"] if matrix.grad is not None):
                state = self.state[matrix]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = torch.zeros_like(matrix.grad)
                buffer = state["momentum_buffer"].lerp_(matrix.grad, 1 - momentum)
                update = orthogonalize(
                    matrix.grad.lerp(buffer, momentum),  # Nesterov
                    group["ns_coefficients"],
                    group["ns_steps"],
                    group["eps"],
                )
                matrix.mul_(1 - group["lr"] * group["weight_decay"])
                matrix.sub_(0.2 * math.sqrt(max(matrix.shape)) * group["lr"] * update)


def orthogonalize(
    matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> Tensor:
    """Move all singular values of a matrix [rows, columns] towards 1 by Newton-Schulz iterations.

    One iteration replaces X by aX + b(XX')X + c(XX')(XX')X, with `coefficients` a, b and c (Jordan
    et al. 2024). `eps` is the smallest divisor.
    """
    a, b, c = coefficients
    x = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix  # the smaller Gram matrix
    x = x / x.norm().clamp(min=eps)  # no singular value is above 1
    for _ in range(steps):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if matrix.shape[0] > matrix.shape[1] else x
