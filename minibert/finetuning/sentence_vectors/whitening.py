"""Whitening: sentence vectors made uncorrelated, a control that needs no training."""

import torch
from torch import Tensor

from minibert.config import InputError

LEAST = 1e-10  # eigenvalues are at least this share of the largest one


def fit_whitening(vectors: Tensor, size: int | None = None) -> tuple[Tensor, Tensor]:
    """The mean and the matrix that whiten vectors [N, H] -> [H] and [H, size], float64.

    With the covariance U Λ Uᵀ of the vectors, the matrix is U Λ^(-1/2); with `size`, only its first
    columns, those of the largest eigenvalues (Su et al. 2021, algorithm 1). Directions in which the
    vectors hardly vary are scaled as if they varied a little, so that nothing is divided by 0.

    Raises an InputError for fewer than two vectors, or a size beyond H.
    """
    if vectors.dim() != 2 or len(vectors) < 2:
        raise InputError(
            f"whitening needs at least two vectors [N, H], not a tensor {list(vectors.shape)}"
        )
    width = vectors.size(1)
    if size is not None and not 1 <= size <= width:
        raise InputError(f"size must be from 1 to {width}, not {size!r}")
    mean = vectors.double().mean(dim=0)  # [H]
    centred = vectors.double() - mean  # [N, H]
    covariance = centred.T @ centred / len(vectors)  # [H, H]
    values, directions = torch.linalg.eigh(covariance)  # [H], [H, H]
    values, directions = values.flip(0), directions.flip(1)  # [H], [H, H]
    least = values[0].clamp(min=torch.finfo(torch.float64).tiny) * LEAST
    return mean, (directions * values.clamp(min=least).rsqrt())[:, :size]  # [H], [H, size]


def whiten(vectors: Tensor, size: int | None = None) -> Tensor:
    """Vectors of length 1 from whitened ones: [N, H] -> [N, size], float32; H without `size`.

    Before the length is divided out, they have mean 0 and the identity as covariance. Raises the
    errors of `fit_whitening`.
    """
    mean, kernel = fit_whitening(vectors, size)
    white = (vectors.double() - mean) @ kernel  # [N, size]
    return torch.nn.functional.normalize(white, dim=-1).float()  # [N, size]
