"""The losses that train sentence vectors: contrastive (SimCSE), and distillation from a teacher."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass(frozen=True)
class Loss:
    """A loss, and what is worth reporting about its batch."""

    total: Tensor  # scalar, what the update minimises
    measures: dict[str, Tensor]  # scalars without a gradient


def cosine_matrix(one: Tensor, other: Tensor) -> Tensor:
    """The cosine of every vector in `one` with every vector in `other`.

    [B, H] and [B, H] -> [B, B].
    """
    return F.normalize(one, dim=-1) @ F.normalize(other, dim=-1).T  # [B, B]


def contrastive_loss(one: Tensor, other: Tensor, temperature: float) -> Loss:
    """The vectors of B texts and of their B partners; the partners of the others are the negatives.

    one, other [B, H]. The loss is the mean over i of
    -log( exp(cos(one_i, other_i) / temperature) / sum over j of exp(cos(one_i, other_j) /
    temperature) ) (Gao et al. 2021, equation 1). With `one` and `other` from the same sentences
    under two dropout masks, that is unsupervised SimCSE (section 3).

    Measures: `cosine`, the mean of cos(one_i, other_i); `accuracy`, the share of texts whose own
    partner is the most similar one.
    """
    cosines = cosine_matrix(one, other)  # [B, B]
    partner = torch.arange(len(cosines), device=cosines.device)  # [B]
    loss = F.cross_entropy(cosines / temperature, partner)
    with torch.no_grad():
        measures = {
            "cosine": cosines.diagonal().mean(),
            "accuracy": (cosines.argmax(dim=1) == partner).float().mean(),
        }
    return Loss(loss, measures)


def distillation_loss(student: Tensor, target: Tensor, relational_weight: float) -> Loss:
    """How far the student's vectors of B texts are from the targets, student and target [B, H].

    mean over i of (1 - cos(s_i, t_i))
    + relational_weight · mean over i, j of (cos(s_i, s_j) - cos(t_i, t_j))²

    The first term moves every vector to its target (as Reimers & Gurevych 2020, section 2, who
    minimise the squared distance). The second compares the relations within the batch (Park et al.
    2019, section 3.1, with the cosine as the potential function).

    Measures: `cosine`, the mean of cos(s_i, t_i); `relational`, the second mean.
    """
    cosine = F.cosine_similarity(student, target, dim=-1).mean()
    difference = cosine_matrix(student, student) - cosine_matrix(target, target)  # [B, B]
    relational = difference.square().mean()
    loss = 1 - cosine + relational_weight * relational
    return Loss(loss, {"cosine": cosine.detach(), "relational": relational.detach()})
