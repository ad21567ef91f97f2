"""Definitions that several exercises of this chapter share."""

import torch
from torch import Tensor

CHAPTER = "02_embeddings"


def layer_norm(x, gamma, beta, eps=1e-12):
    """x [..., H], gamma [H], beta [H] -> normalised x [..., H]."""
    # blank from here: equation 2.2, without F.layer_norm
    mean = x.mean(dim=-1, keepdim=True)  # one mean per token: [..., 1]
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)  # [..., 1]
    normed = (x - mean) / torch.sqrt(variance + eps)  # [..., H]
    return gamma * normed + beta  # stretch every feature, then shift it


def _with_numbers(suspects, right: Tensor) -> list[tuple[Tensor, str]]:
    """Adds to each suspect's feedback the number that it gives and the correct one, at the position
    where they differ most.
    """
    told = []
    for value, sentence in suspects:
        worst = (value - right).abs().nan_to_num(0).argmax()
        at = [int(i) for i in torch.unravel_index(worst, right.shape)]
        told.append(
            (
                value,
                f"at {at} you have {value.flatten()[worst]:.3f} where {right.flatten()[worst]:.3f} is right: {sentence}",
            )
        )
    return told
