"""Two losses for sentence heads: the original's binary cross-entropy, and a listwise loss."""

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.config import InputError

# Temperature of the labels in `listwise_loss`: a ROUGE of 0.4 weighs e times as much as 0.3.
TEMPERATURE = 0.1


def sentence_loss(logits: Tensor, labels: Tensor, sentence_mask: Tensor) -> Tensor:
    """Binary cross-entropy summed over the real sentences, as the original program does; a scalar.

    logits and labels [B, N]; a label is 1 for a sentence of the summary, 0 for any other, or a
    number in between. Raises a ValueError for labels outside 0 to 1 or of another shape.
    """
    if labels.shape != logits.shape:
        raise InputError(
            f"labels must have the shape {list(logits.shape)}, not {list(labels.shape)}"
        )
    logits, labels = (
        logits[sentence_mask],
        labels[sentence_mask].to(logits.dtype),
    )  # [real sentences] each
    wrong = labels[~((labels >= 0) & (labels <= 1))]  # [wrong labels], NaN included
    if wrong.numel():
        raise InputError(f"labels must lie between 0 and 1, but one is {float(wrong[0])}")
    return F.binary_cross_entropy_with_logits(logits, labels, reduction="sum")


def listwise_loss(logits: Tensor, labels: Tensor, sentence_mask: Tensor) -> Tensor:
    """Cross-entropy between two distributions over the sentences of a document, summed over
    documents; a scalar.

        - Σ_n p_n log softmax(logits)_n    with p = softmax(labels / 0.1)

    ListNet with its top-one probabilities (Cao et al. 2007, "Learning to Rank: From Pairwise
    Approach to Listwise Approach", section 4). logits and labels [B, N]; a label says how good the
    sentence would be as a summary, for example its ROUGE F1 (0 to 1), or just 1 or 0. Only the
    comparison of sentences within one document matters.
    """
    if labels.shape != logits.shape:
        raise InputError(
            f"labels must have the shape {list(logits.shape)}, not {list(labels.shape)}"
        )
    lowest = torch.finfo(logits.dtype).min  # not -inf: 0 times that is NaN
    target = (
        (labels.to(logits.dtype) / TEMPERATURE).masked_fill(~sentence_mask, lowest).softmax(dim=-1)
    )  # [B, N]
    predicted = logits.masked_fill(~sentence_mask, lowest).log_softmax(dim=-1)  # [B, N]
    return -(target * predicted).masked_fill(~sentence_mask, 0.0).sum()


LOSSES = {"bce": sentence_loss, "listwise": listwise_loss}  # "bce" is the original's
